/** Maps the columns of a table to members of a domain, and a row to its JSON. */
import type { FileItem, RowFault } from "./file-item.ts";
import type { CsvRow } from "./csv-rows.ts";

/** Members that a column can fill, in the order of the export. */
export const members = [
  "name",
  "description",
  "type",
  "class",
  "externalId",
  "owner",
  "controllers",
  "relayerNode",
  "validFrom",
  "validUntil",
  "metadata",
  "credentials",
  "accounts",
  "document",
] as const;
export type Member = (typeof members)[number];

/** The target of a column: a member, a metadata member with the column's own name, or nothing. */
export type Target = Member | "ownName" | "nothing";

/** Members whose cells contain JSON. */
const jsonMembers = ["metadata", "credentials", "accounts", "document"] as const satisfies readonly Member[];
/** Required members: a table without such a column needs one value for all rows. */
export const requiredMembers = ["type", "class"] as const satisfies readonly Member[];
export type RequiredMember = (typeof requiredMembers)[number];

export interface CsvMapping {
  readonly columns: readonly string[];
  /** One per column. */
  readonly targets: readonly Target[];
  /** Values for rows whose own cell is empty or missing. */
  readonly everyRow: Readonly<Partial<Record<RequiredMember, string>>>;
}

/** Alternative column names, without case, spaces and punctuation. */
const otherNames: Readonly<Record<Member, readonly string[]>> = {
  name: ["title", "domainname", "nameofdomain", "metadataname"],
  description: ["about", "summary", "details", "metadatadescription"],
  type: ["domaintype", "kind", "entitytype"],
  class: ["protocol", "classdid", "classid", "protocoldid"],
  externalId: ["external", "reference", "ref", "serial", "serialnumber", "serialno", "number", "code"],
  owner: ["ownerdid", "createdby"],
  controllers: ["controller", "controllerdid", "controllerdids"],
  relayerNode: ["relayer", "relayernodedid"],
  validFrom: ["startdate", "start", "from", "begins"],
  validUntil: ["enddate", "end", "until", "validto", "expires", "expiry"],
  metadata: [],
  credentials: [],
  accounts: [],
  document: [],
};

/** Members of an exported domain that the registry sets itself. */
const readOnly: ReadonlySet<string> = new Set(
  ["id", "did", "status", "verificationStatus", "entityVerified", "version", "versionId", "createdAt", "updatedAt"].map(
    plain,
  ),
);

function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, "");
}

/** Guessed from the columns' names. The first matching column fills a member; columns without a name are ignored. */
export function guessedTargets(columns: readonly string[]): readonly Target[] {
  const names = columns.map(plain);
  const targets = names.map((name, at): Target => {
    if (columns[at] === "" || readOnly.has(name)) return "nothing";
    return "ownName";
  });
  for (const member of members) {
    const found = [plain(member), ...otherNames[member]].map((name) => names.indexOf(name)).find((at) => at !== -1);
    if (found !== undefined) targets[found] = member;
  }
  return targets;
}

export type MappingFault =
  | { readonly kind: "missing"; readonly member: RequiredMember }
  | { readonly kind: "twice"; readonly member: Member };

/** Problems that must be fixed before rows can be sent. */
export function mappingFaults({ targets, everyRow }: CsvMapping): readonly MappingFault[] {
  const missing = requiredMembers
    .filter((member) => !targets.includes(member) && (everyRow[member] ?? "").trim() === "")
    .map((member) => ({ kind: "missing", member }) as const);
  const twice = members
    .filter((member) => targets.filter((target) => target === member).length > 1)
    .map((member) => ({ kind: "twice", member }) as const);
  return [...missing, ...twice];
}

type Made = { readonly text: string } | { readonly kind: RowFault; readonly column: string };

/** The row as an item of the file; a row without any text counts as blank. */
export function itemOfRow({ cells, bytesRead }: CsvRow, mapping: CsvMapping): FileItem {
  if (cells.every((cell) => cell.trim() === "")) return { text: "", bytesRead };
  const made = domainOf(cells, mapping);
  return "text" in made ? { text: made.text, bytesRead } : { text: "", fault: made, bytesRead };
}

function domainOf(cells: readonly string[], { columns, targets, everyRow }: CsvMapping): Made {
  const { length } = columns;
  if (cells.slice(length).some((cell) => cell.trim() !== "")) return { kind: "tooManyCells", column: String(length) };
  const values = new Map<string, unknown>();
  for (const member of requiredMembers)
    if ((everyRow[member] ?? "").trim() !== "") values.set(member, everyRow[member]?.trim());
  const given = new Map<string, unknown>();
  let base: object = {};
  for (const [at, target] of targets.entries()) {
    const cell = unprotected(cells[at] ?? "");
    const column = columns[at] ?? "";
    if (target === "nothing" || cell.trim() === "") continue;
    if (target === "ownName") given.set(column, cell);
    else if (target === "name" || target === "description") given.set(target, cell);
    else if (target === "controllers")
      values.set(
        target,
        cell.split(/[\s,;]+/).filter((did) => did !== ""),
      );
    else if ((jsonMembers as readonly string[]).includes(target)) {
      const value = parsed(cell);
      if (value === undefined) return { kind: "notJson", column };
      if (target !== "metadata") values.set(target, value);
      else if (isObject(value)) base = value;
      else return { kind: "notJsonObject", column };
    } else values.set(target, cell.trim());
  }
  const metadata = { ...base, ...Object.fromEntries(given) };
  if (Object.keys(metadata).length > 0) values.set("metadata", metadata);
  // In a fixed order, so that moving a column does not change a row's domain.
  const made = members.filter((member) => values.has(member)).map((member) => [member, values.get(member)] as const);
  return { text: JSON.stringify(Object.fromEntries(made)) };
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function parsed(cell: string): unknown {
  try {
    return JSON.parse(cell) as unknown;
  } catch {
    return undefined;
  }
}

/** Removes the apostrophe that `csvText` writes before a formula. */
function unprotected(cell: string): string {
  return /^'+[=+\-@\t\r]/.test(cell) ? cell.slice(1) : cell;
}
