/** The shared state of the compiled writers of one message. */
import type { DescMessage, Registry } from "@bufbuild/protobuf";
import type { ReadOptions } from "./field-options.ts";

/** One document is printed at a time, because printing is synchronous. */
export interface Writing {
  readonly settings: WriterSettings;
  readonly optionsOf: ReadOptions;
  /** A message in its own form: an object, or the form of a well-known type. */
  readonly messageOf: (type: DescMessage) => (message: unknown) => string;
  /** The members of an ordinary message, without the braces: an Any puts `@type` before them. */
  readonly membersOf: (type: DescMessage) => (message: unknown) => string;
  /** The state of the current document. */
  readonly state: { unknownFields: number; anyDepth: number; error?: string };
}

export interface WriterSettings {
  /** Types that an Any can contain, and the options of fields. */
  readonly registry: Registry;
  /** An Any of an unknown type: `value` prints its bytes in base64, `error` fails the response as a node does. */
  readonly unknownAny?: "value" | "error";
}
