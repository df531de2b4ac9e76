/**
 * Access paths that a filter offers: members that every row must satisfy and that an index answers. A list is read
 * through one of them, or in its own order.
 */
import { isJsonObject, type JsonValue } from "../../../platform/json.ts";
import { entityFilterColumns, storedValue } from "./columns.ts";
import type { FilterInput } from "./filter/compile.ts";
import { ID_INDEX, type Ordering, type Segment } from "./order.ts";
import { allOf, ID_BYTES, TRUE, type Bindings } from "../store/sql.ts";

type StoredValue = string | number;

export interface AccessPath {
  /** The filter's member that the path answers. */
  readonly member: string;
  /** The FROM clause with that index; it includes `domains`. */
  readonly from: (index: string | undefined) => string;
  /** The condition of the whole path: any of its values. */
  readonly where: (bindings: Bindings) => string;
  /** Its possible values, each of which can be walked separately; undefined for a range. */
  readonly values?: readonly StoredValue[];
  /** SQL of the column that is compared with a value. */
  readonly column: string;
  /** The index to walk if none has the order of the list; undefined for the table's own index. */
  readonly index: string | undefined;
  /** The indexes that list a value's rows by id, or by creation. */
  readonly byId?: string | undefined;
  readonly byCreation?: string;
  /** SQL of the domain's id and creation in these indexes. */
  readonly id: string;
  readonly created: string;
}

/** The FROM clause for reading the path unordered, or by id. */
export function sourceOf({ from, byId, index }: AccessPath): string {
  return from(byId ?? index);
}

/** Whether an index of the path lists its rows by id, or by creation. */
export function inOrderOf(path: AccessPath, { terms: [first, second, ...more] }: Ordering): boolean {
  if (first === undefined || more.length > 0 || (path.values?.length ?? 1) > 1) return false;
  if (second === undefined) return path.member === CONTROLLER || path.byId !== undefined;
  return first.sql === inTable.created && second.descending === first.descending && path.byCreation !== undefined;
}

/** The path's rows in an order for which `inOrderOf` holds. */
export function segmentOf(path: AccessPath, { terms }: Ordering): Segment {
  const isByCreation = terms.length > 1;
  return {
    source: isByCreation ? path.from(path.byCreation) : sourceOf(path),
    where: path.where,
    columns: isByCreation ? [path.created, path.id] : [path.id],
    descending: terms[0]?.descending ?? false,
    prefix: [],
  };
}

const inTable = {
  from: (index: string | undefined) => (index === undefined ? "domains" : `domains INDEXED BY ${index}`),
  id: ID_BYTES,
  created: "domains.created_at",
};

/** The whole table in order of ids. */
export const everything: AccessPath = {
  ...inTable,
  id: "domains.id",
  member: "",
  where: () => TRUE,
  column: "1",
  index: ID_INDEX,
  byId: ID_INDEX,
};

const CONTROLLER = "controller";
const withCreation = (index: string) => ({ index, byId: index, byCreation: `${index}_creation` });

/** Paths that usually match the fewest rows first. */
const columns = {
  id: { column: "domains.id", index: ID_INDEX, byId: ID_INDEX, id: "domains.id" },
  externalId: {
    column: "domains.external_id",
    index: "domains_by_external_id",
    byCreation: "domains_by_external_id",
  },
  [CONTROLLER]: {
    column: "held.did",
    index: undefined,
    byCreation: "domain_controllers_by_creation",
    from: (index: string | undefined) =>
      `domain_controllers AS held${index === undefined ? "" : ` INDEXED BY ${index}`} CROSS JOIN domains ON domains.id = held.domain_id`,
    id: "held.domain_id",
    created: "held.created_at",
  },
  owner: { column: "domains.owner", ...withCreation("domains_by_owner") },
  name: { column: "domains.name", index: "domains_by_name", byId: "domains_by_name" },
  class: { column: "domains.class", ...withCreation("domains_by_class") },
  relayerNode: {
    column: "domains.relayer_node",
    index: "domains_by_relayer_node_creation",
    byCreation: "domains_by_relayer_node_creation",
  },
  type: { column: "domains.type_key", ...withCreation("domains_by_type") },
  verificationStatus: { column: "domains.verification_status", ...withCreation("domains_by_verification_status") },
  status: { column: "domains.status", ...withCreation("domains_by_status") },
} as const;

type PathName = keyof typeof columns & keyof typeof entityFilterColumns;

/** The required values of each member. */
type Wanted = Readonly<Partial<Record<PathName, readonly StoredValue[]>>>;

/** `filter` and `condition` as coerced by the schema. */
export function accessPaths(
  filter: FilterInput | null | undefined,
  condition?: FilterInput | null,
): readonly AccessPath[] {
  const wanted: Wanted = { ...required(filter), ...equalities(condition) };
  const [relayer, type] = [only(wanted.relayerNode), only(wanted.type)];
  const paths = (Object.keys(columns) as PathName[]).flatMap((name) => {
    const values = wanted[name];
    return values === undefined ? [] : [pathOf(name, values)];
  });
  const beginning = wanted.name === undefined ? requiredBeginning(filter) : undefined;
  return [
    ...(relayer === undefined || type === undefined ? [] : [ofRelayerAndType(relayer, type)]),
    ...paths,
    ...(beginning === undefined ? [] : [ofBeginning(beginning)]),
  ];
}

function pathOf(member: PathName, values: readonly StoredValue[]): AccessPath {
  const { column } = columns[member];
  const single = only(values);
  return {
    ...inTable,
    ...columns[member],
    member,
    values,
    where: ({ bind }) =>
      single === undefined
        ? `${column} IN (SELECT value FROM json_each(${bind(JSON.stringify(values))}))`
        : `${column} = ${bind(single)}`,
  };
}

function ofRelayerAndType(relayer: StoredValue, type: StoredValue): AccessPath {
  const index = "domains_by_relayer_node";
  return {
    ...inTable,
    member: "relayerNode",
    column: "domains.relayer_node",
    index,
    byId: index,
    where: ({ bind }) => allOf([`domains.relayer_node = ${bind(relayer)}`, `domains.type_key = ${bind(type)}`]),
  };
}

/** Names with a prefix. The filter itself then removes names that do not match. */
function ofBeginning(beginning: string): AccessPath {
  const { column, index } = columns.name;
  const end = behindAll(beginning);
  return {
    ...inTable,
    member: "name",
    column,
    index,
    where: ({ bind }) =>
      allOf([`${column} >= ${bind(beginning)}`, ...(end === undefined ? [] : [`${column} < ${bind(end)}`])]),
  };
}

const LAST_CHARACTER = 0x10_ff_ff;
const SURROGATES = { first: 0xd8_00, behind: 0xe0_00 } as const;

/** The smallest text after all texts with the prefix, by code points; undefined if there is none. */
function behindAll(beginning: string): string | undefined {
  const characters = Array.from(beginning);
  while (characters.at(-1)?.codePointAt(0) === LAST_CHARACTER) characters.pop();
  const last = characters.pop()?.codePointAt(0);
  if (last === undefined) return undefined;
  const next = last + 1 === SURROGATES.first ? SURROGATES.behind : last + 1;
  return characters.join("") + String.fromCodePoint(next);
}

/** The first prefix that every name must have. */
function requiredBeginning(filter: FilterInput | null | undefined): string | undefined {
  const { name, and } = filter ?? {};
  const beginning = (name as FilterInput | null | undefined)?.["startsWith"];
  if (typeof beginning === "string" && beginning !== "" && beginning.isWellFormed())
    return entityFilterColumns.name.part.fold(beginning);
  return ((and ?? []) as readonly (FilterInput | null)[]).map(requiredBeginning).find((each) => each !== undefined);
}

/** A half-open time range; `member` is createdAt or updatedAt. */
export function timeRange(
  member: "createdAt" | "updatedAt",
  from: number | undefined,
  to: number | undefined,
): AccessPath | undefined {
  if (from === undefined && to === undefined) return undefined;
  const [column, index] =
    member === "createdAt"
      ? (["domains.created_at", "domains_by_creation"] as const)
      : (["domains.updated_at", "domains_by_update"] as const);
  return {
    ...inTable,
    member,
    column,
    index,
    where: ({ bind }) =>
      allOf([
        ...(from === undefined ? [] : [`${column} >= ${bind(from)}`]),
        ...(to === undefined ? [] : [`${column} < ${bind(to)}`]),
      ]),
  };
}

/** Counts the rows that a path matches, up to `most`; `size` is SQL of a row's bytes. */
export function probeSql(path: AccessPath, bindings: Bindings, most: number, size = "0"): string {
  const entries = `SELECT ${size} AS bytes FROM ${sourceOf(path)} WHERE ${path.where(bindings)} LIMIT ${bindings.bind(most)}`;
  return `SELECT count(*) AS matches, total(bytes) AS bytes FROM (${entries})`;
}

/** If several members restrict one column, the last is used; each of them must hold. */
function required(filter: FilterInput | null | undefined): Wanted {
  let wanted: Wanted = {};
  for (const [name, value] of Object.entries(filter ?? {})) {
    if (value === null || value === undefined) continue;
    if (name === "and") for (const each of value as FilterInput[]) wanted = { ...wanted, ...required(each) };
    else if (name === "iidById") wanted = { ...wanted, ...required(value as FilterInput) };
    else if (name === "context") wanted = { ...wanted, ...ofClass((value as FilterInput)["contains"]) };
    else if (name === "controller") wanted = { ...wanted, ...ofControllers(value as FilterInput) };
    else wanted = { ...wanted, ...ofColumn(name, value as FilterInput) };
  }
  return wanted;
}

function equalities(condition: FilterInput | null | undefined): Wanted {
  let wanted: Wanted = {};
  for (const [name, value] of Object.entries(condition ?? {})) {
    wanted = { ...wanted, ...ofColumn(name, { equalTo: value }) };
  }
  return wanted;
}

function ofColumn(name: string, { equalTo, notDistinctFrom, in: list }: FilterInput): Wanted {
  // No index covers this one: true corresponds to one verification status.
  if (name === "entityVerified") return equalTo === true ? { verificationStatus: ["Verified"] } : {};
  if (!isPathName(name)) return {};
  const single = equalTo ?? notDistinctFrom;
  const operands = single === undefined || single === null ? list : [single];
  if (!Array.isArray(operands)) return {};
  const values = operands.map((operand) => storedValue(entityFilterColumns[name], operand));
  return values.every((value) => value !== undefined) ? { [name]: values } : {};
}

function isPathName(name: string): name is PathName {
  return Object.hasOwn(columns, name);
}

function ofControllers({ anyEqualTo, overlaps, contains, equalTo }: FilterInput): Wanted {
  if (typeof anyEqualTo === "string") return { controller: [anyEqualTo] };
  const texts = (list: unknown) => (Array.isArray(list) && list.every((each) => typeof each === "string") ? list : []);
  const first = [...texts(contains), ...texts(equalTo)].at(0);
  if (first !== undefined) return { controller: [first] };
  return Array.isArray(overlaps) && texts(overlaps).length > 0 ? { controller: texts(overlaps) } : {};
}

/** The one entry of a context with this key. */
function ofClass(wanted: unknown): Wanted {
  const entries = Array.isArray(wanted) ? (wanted as JsonValue[]) : [];
  const named = entries.find((each) => isJsonObject(each) && each["key"] === "class");
  const value = isJsonObject(named) ? named["val"] : undefined;
  return typeof value === "string" ? { class: [value] } : {};
}

function only(values: readonly StoredValue[] | undefined): StoredValue | undefined {
  return values?.length === 1 ? values[0] : undefined;
}
