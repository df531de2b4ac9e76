/**
 * Counts that the database maintains (migrations/0010_registry_counts.sql): the number of domains per type, owner,
 * class and relayer node, each by status and verification status. They answer the totals that portals show, and serve
 * as cost estimates for other totals.
 */
import type { AccessPath } from "./access-paths.ts";
import { entityFilterColumns, storedValue } from "./columns.ts";
import { compileCondition, compileFilter, type FilterInput } from "./filter/compile.ts";
import { allOf, type Bindings } from "../store/sql.ts";

/** Members whose values are counted. */
const counted = ["type", "owner", "class", "relayerNode"] as const;
type CountedMember = (typeof counted)[number];

/**
 * Members by which every count is divided. Their filters are compiled over the table of counts, whose columns have the
 * same names.
 */
const divided = new Set(["status", "statusCode", "verificationStatus", "entityVerified", "and", "or", "not"]);

/** SQL of the number of matching domains, if the counts answer the whole filter; otherwise undefined. */
export function keptCount(
  filter: FilterInput | null | undefined,
  condition: FilterInput | null | undefined,
): ((bindings: Bindings) => string) | undefined {
  const members = membersOf(filter, condition);
  const values = members.filter(({ name }) => isCounted(name));
  const [value, ...more] = values;
  if (more.length > 0) return undefined;
  const rest = members.filter((each) => each !== value);
  if (!rest.every(({ name, filter: each }) => isDivided({ [name]: each }))) return undefined;
  const of = value === undefined ? undefined : valuesOf(value);
  if (value !== undefined && of === undefined) return undefined;
  return (bindings) => {
    const statuses = rest.map(({ name, filter: each }) =>
      each === null
        ? compileCondition({ [name]: null }, bindings)
        : compileFilter({ [name]: each }, entityFilterColumns, bindings),
    );
    return sumSql(value?.name ?? "all", of ?? [""], statuses, bindings);
  };
}

/** SQL of the number of entries of the path; undefined if no count contains it. */
export function keptRows({ member, values }: AccessPath): ((bindings: Bindings) => string) | undefined {
  if (values === undefined) return undefined;
  if (isCounted(member)) return (bindings) => sumSql(member, values, [], bindings);
  if (member !== "status" && member !== "verificationStatus") return undefined;
  const column = member === "status" ? "domains.status" : "domains.verification_status";
  return (bindings) => {
    const wanted = `${column} IN (SELECT value FROM json_each(${bindings.bind(JSON.stringify(values))}))`;
    return sumSql("all", [""], [wanted], bindings);
  };
}

/** SQL of the number of domains. */
export const keptTotal = () => `(${totalSql})`;
export const totalSql = "SELECT total(domains) AS domains FROM domain_counts WHERE member = 'all'";

function sumSql(
  member: string,
  values: readonly (string | number)[],
  conditions: readonly string[],
  { bind }: Bindings,
): string {
  const all = allOf([
    `domains.member = ${bind(member)}`,
    `domains.value IN (SELECT value FROM json_each(${bind(JSON.stringify(values))}))`,
    ...conditions,
  ]);
  return `(SELECT total(domains.domains) FROM domain_counts AS domains WHERE ${all})`;
}

interface Member {
  readonly name: string;
  /** Null for the condition that a member is not set. */
  readonly filter: FilterInput | null;
}

/** All conditions that must hold, with `and` expanded. */
function membersOf(
  filter: FilterInput | null | undefined,
  condition: FilterInput | null | undefined,
): readonly Member[] {
  const opened = (each: FilterInput | null | undefined): readonly Member[] =>
    Object.entries(each ?? {}).flatMap(([name, value]) => {
      if (value === null || value === undefined) return [];
      if (name === "and") return (value as readonly (FilterInput | null)[]).flatMap(opened);
      return Object.values(value).every((operand) => operand === null || operand === undefined)
        ? []
        : [{ name, filter: value as FilterInput }];
    });
  const equalities = Object.entries(condition ?? {}).flatMap(([name, value]) =>
    value === undefined ? [] : [{ name, filter: value === null ? null : { equalTo: value } }],
  );
  return [...opened(filter), ...equalities];
}

function isCounted(name: string): name is CountedMember {
  return (counted as readonly string[]).includes(name);
}

function isDivided(filter: FilterInput | null): boolean {
  return Object.entries(filter ?? {}).every(([name, value]) => {
    if (!divided.has(name)) return false;
    if (name === "not") return isDivided(value as FilterInput | null);
    return name !== "and" && name !== "or" ? true : (value as readonly (FilterInput | null)[]).every(isDivided);
  });
}

/** The values, if the filter is an equality; otherwise undefined. */
function valuesOf({ name, filter }: Member): readonly (string | number)[] | undefined {
  const given = Object.entries(filter ?? {}).filter(([, operand]) => operand !== null && operand !== undefined);
  const [[operator, operand] = ["", undefined], ...more] = given;
  if (filter === null || more.length > 0 || !isCounted(name)) return undefined;
  if (operator !== "equalTo" && operator !== "notDistinctFrom" && operator !== "in") return undefined;
  const operands: readonly unknown[] = Array.isArray(operand) ? operand : [operand];
  const values = operands.map((each) => storedValue(entityFilterColumns[name], each));
  return values.every((each) => each !== undefined) ? values : undefined;
}
