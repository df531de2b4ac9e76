/**
 * The orders of the list of domains, and conditions for positions in them. Every order is total: equal rows are ordered
 * by id, in the direction of the last named term, so that one index can be read from either end. Null comes last in
 * both directions.
 */
import { allOf, anyOf, FALSE, ID_BYTES, TRUE, type Bindings, type SqlValue } from "../store/sql.ts";

export interface OrderTerm {
  /** Our own SQL. */
  readonly sql: string;
  readonly nullable: boolean;
  readonly descending: boolean;
}

export interface Ordering {
  /** The last term is the id. */
  readonly terms: readonly OrderTerm[];
}

/** The empty expression stands for the natural order, which is by id. */
const entityTerms = {
  NATURAL: undefined,
  PRIMARY_KEY: { sql: "domains.id", nullable: false },
  ID: { sql: "domains.id", nullable: false },
  TYPE: { sql: "domains.type_key", nullable: false },
  NAME: { sql: "domains.name", nullable: true },
  START_DATE: { sql: "domains.valid_from_ms", nullable: true },
  END_DATE: { sql: "domains.valid_until_ms", nullable: true },
  STATUS: { sql: "domains.status", nullable: false },
  RELAYER_NODE: { sql: "domains.relayer_node", nullable: true },
  ENTITY_VERIFIED: { sql: "CASE domains.verification_status WHEN 'Verified' THEN 1 ELSE 0 END", nullable: false },
  EXTERNAL_ID: { sql: "domains.external_id", nullable: true },
  OWNER: { sql: "domains.owner", nullable: false },
  CREATED_AT: { sql: "domains.created_at", nullable: false },
  UPDATED_AT: { sql: "domains.updated_at", nullable: false },
} as const satisfies Record<string, Omit<OrderTerm, "descending"> | undefined>;

type TermName = keyof typeof entityTerms;

/** The values of the enum EntitiesOrderBy, then of IidsOrderBy. */
export const entityOrders = orderNames(Object.keys(entityTerms) as TermName[]);
export const iidOrders = orderNames(["NATURAL", "PRIMARY_KEY", "ID"]);

function orderNames(terms: readonly TermName[]): readonly string[] {
  return terms.flatMap((term) => (term === "NATURAL" ? [term] : [`${term}_ASC`, `${term}_DESC`]));
}

/** `orderBy` contains names of `entityOrders`. */
export function orderingOf(orderBy: readonly string[]): Ordering {
  const terms = new Map<string, OrderTerm>();
  let descending = false;
  for (const name of orderBy) {
    const [, column = "", direction] = /^(.*?)(?:_(ASC|DESC))?$/.exec(name) ?? [];
    const term = entityTerms[column as TermName];
    if (term === undefined) continue;
    descending = direction === "DESC";
    if (!terms.has(term.sql)) terms.set(term.sql, { ...term, descending });
    // Ids are unique, so no term after an id matters.
    if (term.sql === ID) break;
  }
  if (!terms.has(ID)) terms.set(ID, { sql: ID, nullable: false, descending });
  return { terms: [...terms.values()] };
}

const ID = "domains.id";

/** `backwards` reads the list from its end. */
export function orderClause({ terms }: Ordering, backwards: boolean): string {
  return terms
    .map(({ sql, nullable, descending }) => {
      const direction = descending === backwards ? "ASC" : "DESC";
      return `${sql} ${direction}${nullable ? ` NULLS ${backwards ? "FIRST" : "LAST"}` : ""}`;
    })
    .join(", ");
}

/** One value per term of the order. */
export type Keyset = readonly SqlValue[];

export type Side = "after" | "before";

/** The rows strictly on that side of the position. */
export function beyond(side: Side, { terms }: Ordering, keyset: Keyset, bindings: Bindings): string {
  const valueAt = (at: number) => keyset[at] ?? null;
  const alternatives = terms.map((term, at) =>
    allOf([
      ...terms.slice(0, at).map((earlier, place) => `${earlier.sql} IS ${bindings.bind(valueAt(place))}`),
      passes(side, term, valueAt(at), bindings),
    ]),
  );
  const [first] = terms;
  // Implied by the rest; it lets an index begin at the position.
  const bound =
    first !== undefined && !first.nullable && terms.length > 1
      ? [`${first.sql} ${comparison(side, first)}= ${bindings.bind(valueAt(0))}`]
      : [];
  return allOf([...bound, anyOf(alternatives)]);
}

function passes(side: Side, term: OrderTerm, value: SqlValue, { bind }: Bindings): string {
  const { sql, nullable } = term;
  // Null is last in both directions.
  if (value === null) return side === "after" ? FALSE : `${sql} IS NOT NULL`;
  const compared = `${sql} ${comparison(side, term)} ${bind(value)}`;
  return nullable && side === "after" ? `(${compared} OR ${sql} IS NULL)` : compared;
}

function comparison(side: Side, { descending }: OrderTerm): "<" | ">" {
  return (side === "after") === descending ? "<" : ">";
}

/** A contiguous part of an index. Nulls come last in every order, so an order with nulls has two segments. */
export interface Segment {
  /** The FROM clause with its index. */
  readonly source: string;
  readonly where: (bindings: Bindings) => string;
  /** SQL of the index's columns, all in one direction. */
  readonly columns: readonly string[];
  readonly descending: boolean;
  /** The values before these columns in the keyset of every row of the segment. */
  readonly prefix: Keyset;
}

/** A position in a walked list: the segment, and the values of its columns. */
export interface WalkPlace {
  readonly segment: number;
  readonly values: Keyset;
}

/** The index that SQLite creates for a unique column. */
export const ID_INDEX = "sqlite_autoindex_domains_1";

/** Indexes of single columns, followed by the bytes of the id. */
const orderIndexes: Readonly<Record<string, string>> = {
  "domains.type_key": "domains_by_type",
  "domains.name": "domains_by_name",
  "domains.valid_from_ms": "domains_by_beginning",
  "domains.valid_until_ms": "domains_by_validity",
  "domains.status": "domains_by_status",
  "domains.owner": "domains_by_owner",
  "domains.created_at": "domains_by_creation",
  "domains.updated_at": "domains_by_update",
};

/** How indexes walk the whole table in this order; undefined if none can. */
export function segmentsOf({ terms }: Ordering): readonly Segment[] | undefined {
  const [first, id, ...more] = terms;
  if (first === undefined || more.length > 0) return undefined;
  const { descending } = first;
  if (id === undefined) {
    return [{ source: `domains INDEXED BY ${ID_INDEX}`, where: () => TRUE, columns: [ID], descending, prefix: [] }];
  }
  const index = orderIndexes[first.sql];
  // An index has one direction for all its columns.
  if (index === undefined || id.descending !== descending) return undefined;
  const own = { source: `domains INDEXED BY ${index}`, descending };
  const valued = { ...own, columns: [first.sql, ID_BYTES], prefix: [] };
  if (!first.nullable) return [{ ...valued, where: () => TRUE }];
  return [
    { ...valued, where: () => `${first.sql} IS NOT NULL` },
    { ...own, where: () => `${first.sql} IS NULL`, columns: [ID_BYTES], prefix: [null] },
  ];
}

/** Whether an index walks the order of this name alone. */
export function hasIndex(orderBy: string): boolean {
  return segmentsOf(orderingOf([orderBy])) !== undefined;
}

export function placeOf(keyset: Keyset, segments: readonly Segment[]): WalkPlace {
  const prefixed = segments.findIndex(
    ({ prefix }) => prefix.length > 0 && prefix.every((value, at) => value === (keyset[at] ?? null)),
  );
  const segment = Math.max(0, prefixed);
  return { segment, values: keyset.slice(segments[segment]?.prefix.length ?? 0) };
}
