/** A descriptor image in use, by the name that `sets` has for it. */
import type { Schema } from "./descriptors/load.ts";

export interface LoadedSet {
  readonly name: string;
  readonly schema: Schema;
}
