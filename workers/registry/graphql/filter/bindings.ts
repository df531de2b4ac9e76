/**
 * The parameters of one SQL statement. Whatever comes from a caller goes through `bind` and is a numbered placeholder in
 * the text; lists and JSON go in as one parameter each, read there with json_each.
 */
import { refusal } from "../refusal.ts";

export type SqlValue = string | number | null;

export interface Bindings {
  /** The placeholder of the value, such as `?3`; equal values share one. */
  bind(value: SqlValue): string;
  /** In the order of their numbers. */
  readonly values: readonly SqlValue[];
}

/** A statement takes 100 parameters at most (a limit of D1). */
export const PARAMETERS = 100;

export function createBindings(): Bindings {
  const numbers = new Map<SqlValue, number>();
  return {
    bind(value) {
      const known = numbers.get(value);
      if (known !== undefined) return `?${known}`;
      if (numbers.size >= PARAMETERS) throw refusal("query_too_costly", TOO_MANY);
      numbers.set(value, numbers.size + 1);
      return `?${numbers.size}`;
    },
    get values() {
      return [...numbers.keys()];
    },
  };
}

const TOO_MANY = "The filter compares with too many different values; use in with a list";
