/**
 * The orders of a list (contract/registry.md section 7.2). Every order is total: ties go by id, in the direction of the
 * last named term, so that one index can answer it from either end. Null counts last in both directions.
 */

export interface OrderTerm {
  /** SQL of ours. */
  readonly sql: string;
  readonly nullable: boolean;
  readonly descending: boolean;
}

export interface Ordering {
  /** What a cursor is bound to. */
  readonly name: string;
  /** Ends with the id. */
  readonly terms: readonly OrderTerm[];
}

/** The empty expression stands for "as it comes", which is by id here. */
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
  ENTITY_VERIFIED: { sql: "(domains.verification_status = 'Verified')", nullable: false },
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

/** `list` tells the lists apart, so that a cursor of one is none of another. */
export function orderingOf(list: string, orderBy: readonly string[]): Ordering {
  const terms = new Map<string, OrderTerm>();
  let descending = false;
  for (const name of orderBy) {
    const [, column = "", direction] = /^(.*?)(?:_(ASC|DESC))?$/.exec(name) ?? [];
    const term = entityTerms[column as TermName];
    if (term === undefined) continue;
    descending = direction === "DESC";
    if (!terms.has(term.sql)) terms.set(term.sql, { ...term, descending });
    // Nothing ties behind an id.
    if (term.sql === ID) break;
  }
  if (!terms.has(ID)) terms.set(ID, { sql: ID, nullable: false, descending });
  return { name: [list, ...orderBy].join(" "), terms: [...terms.values()] };
}

const ID = "domains.id";

/** The list from its other end. */
export function orderClause({ terms }: Ordering, backwards: boolean): string {
  return terms
    .map(({ sql, nullable, descending }) => {
      const direction = descending === backwards ? "ASC" : "DESC";
      return `${sql} ${direction}${nullable ? ` NULLS ${backwards ? "FIRST" : "LAST"}` : ""}`;
    })
    .join(", ");
}
