/** The filters of a list of domains as SQL, and the ways into the table that they open (domain-list.ts chooses one). */
import { equalityFilters, type DomainListQuery, type EqualityFilter } from "../domain/list-query.ts";

export interface Condition {
  readonly sql: string;
  readonly values: readonly (string | number | null)[];
}

/** A filter with an index of its own. */
export interface Path {
  readonly filter: EqualityFilter | "created" | "updated";
  /** The filter's values, as a JSON list; `condition` takes one of them as `wanted.value`. */
  readonly wanted: string;
  readonly condition: string;
  /** Rows that match, for counting some of them. */
  readonly probe: Condition;
  /** The index to walk when none has the order of the list. */
  readonly index: string;
  /** The index that has also the order of creation, and of ids. */
  readonly byCreation?: string;
  readonly byId?: string;
  readonly from: (index: string) => string;
  /** Creation and id, where the index has them. */
  readonly orderColumns: readonly [string, string];
}

const columns: Readonly<Record<Exclude<EqualityFilter, "controller">, string>> = {
  type: "type_key",
  class: "class",
  owner: "owner",
  relayerNode: "relayer_node",
  externalId: "external_id",
  status: "status",
  verificationStatus: "verification_status",
};

const indexes: Readonly<Record<EqualityFilter, Pick<Path, "index" | "byCreation" | "byId">>> = {
  type: both("domains_by_type"),
  class: both("domains_by_class"),
  owner: both("domains_by_owner"),
  status: both("domains_by_status"),
  verificationStatus: both("domains_by_verification_status"),
  relayerNode: { index: "domains_by_relayer_node_creation", byCreation: "domains_by_relayer_node_creation" },
  externalId: { index: "domains_by_external_id", byCreation: "domains_by_external_id" },
  controller: { index: "domain_controllers_by_creation", byCreation: "domain_controllers_by_creation" },
};

function both(index: string) {
  return { index, byId: index, byCreation: `${index}_creation` };
}

export function pathsOf({ equal, times, sort }: DomainListQuery): readonly Path[] {
  const byValue = equalityFilters.flatMap((filter) => {
    const values = equal[filter];
    return values === undefined ? [] : [valuePath(filter, JSON.stringify(values))];
  });
  const created = rangePath("created", times.createdFrom, times.createdTo);
  const updated = rangePath("updated", times.updatedFrom, times.updatedTo);
  return [
    ...byValue,
    // In its own order a range is a part of the walk already.
    ...(sort.field === "createdAt" ? [] : created),
    ...(sort.field === "updatedAt" ? [] : updated),
  ];
}

function valuePath(filter: EqualityFilter, wanted: string): Path {
  const own = { filter, wanted, ...indexes[filter] };
  const values = [wanted];
  if (filter === "controller") {
    const table = "domain_controllers AS controllers";
    return {
      ...own,
      condition: "controllers.did = wanted.value",
      probe: { sql: `SELECT 1 FROM ${table} WHERE did IN (SELECT value FROM json_each(?))`, values },
      from: (index) => `${table} INDEXED BY ${index} CROSS JOIN domains ON domains.id = controllers.domain_id`,
      orderColumns: ["controllers.created_at", "controllers.domain_id"],
    };
  }
  const column = columns[filter];
  return {
    ...own,
    condition: `domains.${column} = wanted.value`,
    probe: { sql: `SELECT 1 FROM domains WHERE ${column} IN (SELECT value FROM json_each(?))`, values },
    from: tableWalked,
    orderColumns: inTable,
  };
}

function tableWalked(index: string): string {
  return `domains INDEXED BY ${index}`;
}

const inTable = ["domains.created_at", "domains.id"] as const;

function rangePath(filter: "created" | "updated", from: number | undefined, to: number | undefined): readonly Path[] {
  if (from === undefined && to === undefined) return [];
  const { sql, values } = rangeOf(`${filter}_at`, from, to);
  const index = filter === "created" ? "domains_by_creation" : "domains_by_update";
  return [
    {
      filter,
      // The range is walked once, so there is one value that nothing asks for.
      wanted: "[0]",
      condition: "1",
      probe: { sql: `SELECT 1 FROM domains WHERE ${sql}`, values },
      index,
      from: tableWalked,
      orderColumns: inTable,
    },
  ];
}

/** Every filter but the words and the one that the path itself is. */
export function conditionsOf(query: DomainListQuery, walked: Path["filter"] | undefined): readonly Condition[] {
  const { equal, times } = query;
  const equalities = equalityFilters.flatMap((filter) => {
    const values = equal[filter];
    return values === undefined || filter === walked ? [] : [equality(filter, JSON.stringify(values))];
  });
  const { validAt } = times;
  return [
    ...equalities,
    ...ranges("created_at", times.createdFrom, times.createdTo),
    ...ranges("updated_at", times.updatedFrom, times.updatedTo),
    ...(validAt === undefined ? [] : [validity(validAt)]),
  ];
}

/** The unary plus keeps an index of this filter out of the plan, so that the walk stays in the order of the list. */
function equality(filter: EqualityFilter, wanted: string): Condition {
  const values = [wanted];
  if (filter === "controller") {
    const sql = `EXISTS (SELECT 1 FROM domain_controllers AS held WHERE held.domain_id = domains.id
      AND held.did IN (SELECT value FROM json_each(?)))`;
    return { sql, values };
  }
  return { sql: `+domains.${columns[filter]} IN (SELECT value FROM json_each(?))`, values };
}

function ranges(column: string, from: number | undefined, to: number | undefined): readonly Condition[] {
  return from === undefined && to === undefined ? [] : [rangeOf(`domains.${column}`, from, to)];
}

/** Half open: from on, and before to. */
function rangeOf(column: string, from: number | undefined, to: number | undefined): Condition {
  const bounds = [
    ...(from === undefined ? [] : [{ sql: `${column} >= ?`, value: from }]),
    ...(to === undefined ? [] : [{ sql: `${column} < ?`, value: to }]),
  ];
  return { sql: bounds.map(({ sql }) => sql).join(" AND "), values: bounds.map(({ value }) => value) };
}

function validity(at: number): Condition {
  const sql = `(+domains.valid_from_ms IS NULL OR +domains.valid_from_ms <= ?)
    AND (+domains.valid_until_ms IS NULL OR ? < +domains.valid_until_ms)`;
  return { sql, values: [at, at] };
}
