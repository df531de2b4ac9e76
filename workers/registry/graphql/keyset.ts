/**
 * The SQL of "after this place" and "before it" in an order (contract/registry.md section 7.3). A place is the values of
 * the order's terms; rows that come or go elsewhere do not move it.
 */
import type { Bindings, SqlValue } from "./filter/bindings.ts";
import { allOf, anyOf, FALSE } from "./filter/conditions.ts";
import type { Ordering, OrderTerm } from "./ordering.ts";

/** One value for each term of the order. */
export type Keyset = readonly SqlValue[];

export type Side = "after" | "before";

/** The rows strictly on that side of the place. */
export function beyond(side: Side, { terms }: Ordering, keyset: Keyset, bindings: Bindings): string {
  const valueAt = (at: number) => keyset[at] ?? null;
  const alternatives = terms.map((term, at) =>
    allOf([
      ...terms.slice(0, at).map((earlier, place) => `${earlier.sql} IS ${bindings.bind(valueAt(place))}`),
      passes(side, term, valueAt(at), bindings),
    ]),
  );
  const [first] = terms;
  // Follows from the rest; it lets an index begin at the place.
  const bound =
    first !== undefined && !first.nullable && terms.length > 1
      ? [`${first.sql} ${comparison(side, first)}= ${bindings.bind(valueAt(0))}`]
      : [];
  return allOf([...bound, anyOf(alternatives)]);
}

function passes(side: Side, term: OrderTerm, value: SqlValue, { bind }: Bindings): string {
  const { sql, nullable } = term;
  // Null is last whichever the direction.
  if (value === null) return side === "after" ? FALSE : `${sql} IS NOT NULL`;
  const compared = `${sql} ${comparison(side, term)} ${bind(value)}`;
  return nullable && side === "after" ? `(${compared} OR ${sql} IS NULL)` : compared;
}

function comparison(side: Side, { descending }: OrderTerm): "<" | ">" {
  return (side === "after") === descending ? "<" : ">";
}
