/**
 * Ways into the table that a filter opens: members that every row must satisfy and that an index answers. A list is read
 * through one of them, or in its own order (list-reader.ts).
 */
import { isJsonObject, type JsonValue } from "../../platform/json.ts";
import { verificationStatuses } from "../domain/domain.ts";
import { typeKeyOf } from "../domain/known-types.ts";
import type { Bindings } from "./filter/bindings.ts";
import type { FilterInput } from "./filter/compile.ts";

export interface AccessPath {
  /** What stands behind FROM; `domains` is in it. */
  readonly source: string;
  readonly where: (bindings: Bindings) => string;
  /** SQL of the domain's id there. */
  readonly id: string;
  /** The index has the rows in the order of their ids. */
  readonly ordered: boolean;
}

/** The whole table in the order of ids. The index is the one that SQLite makes for a unique column. */
export const everything: AccessPath = {
  source: "domains INDEXED BY sqlite_autoindex_domains_1",
  where: () => "1",
  id: "domains.id",
  ordered: true,
};

/** Those that usually match the fewest rows first. */
const columns = {
  id: { column: "id", index: "sqlite_autoindex_domains_1", ordered: true },
  externalId: { column: "external_id", index: "domains_by_external_id", ordered: false },
  controller: undefined,
  owner: { column: "owner", index: "domains_by_owner", ordered: true },
  class: { column: "class", index: "domains_by_class", ordered: true },
  relayerNode: { column: "relayer_node", index: "domains_by_relayer_node", ordered: false },
  type: { column: "type_key", index: "domains_by_type", ordered: true },
  verificationStatus: { column: "verification_status", index: "domains_by_verification_status", ordered: true },
  status: { column: "status", index: "domains_by_status", ordered: true },
} as const;

type PathName = keyof typeof columns;

/** What a member must be one of. */
type Wanted = Readonly<Partial<Record<PathName, readonly string[]>>>;

/** `filter` and `condition` are as the schema has coerced them. */
export function accessPaths(
  filter: FilterInput | null | undefined,
  condition: FilterInput | null | undefined,
): readonly AccessPath[] {
  const wanted: Wanted = { ...required(filter), ...equalities(condition) };
  const [relayer, type] = [only(wanted.relayerNode), only(wanted.type)];
  const paths = (Object.keys(columns) as PathName[]).flatMap((name) => {
    const values = wanted[name];
    return values === undefined ? [] : [pathOf(name, values)];
  });
  return relayer === undefined || type === undefined ? paths : [ofRelayerAndType(relayer, type), ...paths];
}

function pathOf(name: PathName, values: readonly string[]): AccessPath {
  const single = only(values);
  const compared = (expression: string) => (bindings: Bindings) =>
    single === undefined
      ? `${expression} IN (SELECT value FROM json_each(${bindings.bind(JSON.stringify(values))}))`
      : `${expression} = ${bindings.bind(single)}`;
  const known = columns[name];
  if (known === undefined) {
    return {
      source: "domain_controllers AS held CROSS JOIN domains ON domains.id = held.domain_id",
      where: compared("held.did"),
      id: "held.domain_id",
      ordered: single !== undefined,
    };
  }
  return {
    source: `domains INDEXED BY ${known.index}`,
    where: compared(`domains.${known.column}`),
    id: "domains.id",
    ordered: known.ordered && single !== undefined,
  };
}

function ofRelayerAndType(relayer: string, type: string): AccessPath {
  return {
    source: "domains INDEXED BY domains_by_relayer_node",
    where: ({ bind }) => `domains.relayer_node = ${bind(relayer)} AND domains.type_key = ${bind(type)}`,
    id: "domains.id",
    ordered: true,
  };
}

/** Of several members about one column the last one is taken: each of them must hold. */
function required(filter: FilterInput | null | undefined): Wanted {
  let wanted: Wanted = {};
  for (const [name, value] of Object.entries(filter ?? {})) {
    if (value === null || value === undefined) continue;
    if (name === "and") for (const each of value as FilterInput[]) wanted = { ...wanted, ...required(each) };
    else if (name === "iidById") wanted = { ...wanted, ...required(value as FilterInput) };
    else if (name === "context") wanted = { ...wanted, ...ofClass((value as FilterInput)["contains"]) };
    else if (name === "controller") wanted = { ...wanted, ...ofControllers(value as FilterInput) };
    else if (name === "entityVerified") wanted = { ...wanted, ...ofVerified((value as FilterInput)["equalTo"]) };
    else wanted = { ...wanted, ...ofColumn(name, value as FilterInput) };
  }
  return wanted;
}

function equalities(condition: FilterInput | null | undefined): Wanted {
  let wanted: Wanted = {};
  for (const [name, value] of Object.entries(condition ?? {})) {
    wanted = { ...wanted, ...(name === "entityVerified" ? ofVerified(value) : ofColumn(name, { equalTo: value })) };
  }
  return wanted;
}

function ofColumn(name: string, { equalTo, notDistinctFrom, in: list }: FilterInput): Wanted {
  if (!Object.hasOwn(columns, name)) return {};
  const single = equalTo ?? notDistinctFrom;
  const values = typeof single === "string" ? [single] : list;
  return Array.isArray(values) ? { [name]: (values as string[]).map((value) => stored(name as PathName, value)) } : {};
}

function ofVerified(value: unknown): Wanted {
  return value === true ? { verificationStatus: ["Verified"] } : {};
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

/** As the column has it. */
function stored(name: PathName, value: string): string {
  if (name === "type") return typeKeyOf(value);
  const folded = value.toLowerCase();
  if (name === "status") return folded;
  if (name === "verificationStatus") return verificationStatuses.find((each) => each.toLowerCase() === folded) ?? value;
  return value;
}

function only(values: readonly string[] | undefined): string | undefined {
  return values?.length === 1 ? values[0] : undefined;
}
