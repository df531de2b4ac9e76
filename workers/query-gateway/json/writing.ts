/** What the compiled writers of one message share. */
import type { DescMessage, Registry } from "@bufbuild/protobuf";
import type { ReadOptions } from "./field-options.ts";

/** One document is printed at a time, since nothing in it waits. */
export interface Writing {
  readonly settings: WriterSettings;
  readonly optionsOf: ReadOptions;
  /** A message in its own form: an object, or what a well-known type has instead. */
  readonly messageOf: (type: DescMessage) => (message: unknown) => string;
  /** The members of an ordinary message, without the braces: an Any puts `@type` before them. */
  readonly membersOf: (type: DescMessage) => (message: unknown) => string;
  /** Of the document that is being printed. */
  readonly state: { unknownFields: number; anyDepth: number; error?: string };
}

export interface WriterSettings {
  /** Types that an Any may hold, and the options of fields. */
  readonly registry: Registry;
  /** An Any of an unknown type: `value` prints its bytes in base64, `error` fails the answer as a node does. */
  readonly unknownAny?: "value" | "error";
}
