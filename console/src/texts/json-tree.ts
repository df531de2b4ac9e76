/** Words of the viewer of JSON values. */
import { grouped } from "./number.ts";

export const jsonTreeTexts = {
  more: (remaining: number, slice: number) =>
    `Show ${grouped(Math.min(remaining, slice))} more of ${grouped(remaining)}`,
};
