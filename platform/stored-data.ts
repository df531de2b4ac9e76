/**
 * Declarations of the data that a store holds. Each is a file `stored-data.ts` beside the store's code; docs/data-protection.md is
 * generated from them, and a test compares them with the real tables, object classes and bindings. Not part of the Worker.
 */

/** The people whom data describes. */
export type Person = "chat user" | "phone customer" | "registry user" | "staff" | "address";

/** Data about people. Each member but `about` is a phrase for a table of the document. */
export interface PersonalData {
  readonly about: readonly [Person, ...Person[]];
  readonly holds: string;
  readonly why: string;
  /** How long it is kept. */
  readonly kept: string;
  /** The effect of an erasure of the person. */
  readonly erased: string;
}

/** A text describes data that is not about people. */
export type Holding = PersonalData | string;

export interface StoredData {
  /** `DATABASE`, the class of a Durable Object, or another binding. */
  readonly place: string;
  /** By the name of the table; in a place without tables, by the pattern of the key. */
  readonly holdings: Readonly<Record<string, Holding>>;
}
