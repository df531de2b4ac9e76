/**
 * The columns by which domains can be filtered, and their SQL. Names are GraphQL's; REST's filters are translated to
 * them. The expressions refer to the table `domains` and are the only SQL in filters about it.
 */
import type { JsonValue } from "../../../platform/json.ts";
import { isJsonObject } from "../../../platform/json.ts";
import { verificationStatuses } from "../domain/domain.ts";
import { typeKeyOf } from "../domain/known-types.ts";
import { parseTime } from "../domain/time.ts";
import { plainText } from "../store/domain-rows.ts";
import type { NumberColumn } from "./filter/comparison.ts";
import type { JsonColumn } from "./filter/json.ts";
import type { TextColumn } from "./filter/text.ts";
import type { TextListColumn } from "./filter/text-list.ts";

export type Column = TextColumn | NumberColumn | JsonColumn | TextListColumn;

/** The columns of EntityCondition's equality; EntityFilter includes them too. */
export const entityColumns = {
  id: text("domains.id"),
  // A type is compared by its type key; a part of a type has no aliases.
  type: {
    kind: "text",
    whole: { sql: "domains.type_key", fold: typeKeyOf },
    part: { sql: "domains.type_key", fold: (part) => part.normalize("NFC").toLowerCase() },
  },
  // The column has few values, and most rows have one of them. The plus sign keeps SQLite from choosing its index over
  // a better one.
  status: folded("+domains.status"),
  statusCode: number("integer", "CASE domains.status WHEN 'active' THEN 0 WHEN 'suspended' THEN 1 ELSE 3 END"),
  relayerNode: text("domains.relayer_node"),
  owner: text("domains.owner"),
  externalId: text("domains.external_id"),
  entityVerified: number("boolean", "CASE domains.verification_status WHEN 'Verified' THEN 1 ELSE 0 END"),
  verificationStatus: {
    ...folded("lower(domains.verification_status)"),
    exact: { sql: "domains.verification_status", fold: verificationStatusOf },
  },
  name: folding("domains.name", plainText),
  class: text("domains.class"),
  startDate: number("time", "domains.valid_from_ms"),
  endDate: number("time", "domains.valid_until_ms"),
} as const satisfies Record<string, TextColumn | NumberColumn>;

const context: JsonColumn = {
  kind: "json",
  sql: `(SELECT json_group_array(json_object('key', key, 'val', val)) FROM (
    SELECT 'class' AS key, domains.class AS val
    UNION ALL SELECT 'context', value FROM json_each(domains.document, '$.context')
  ))`,
  // The one entry with this key, so that "all domains of a class" does not open every document.
  impliedBy(wanted, { bind }) {
    const named = isList(wanted) ? wanted.find((each) => isJsonObject(each) && each["key"] === "class") : undefined;
    const val = isJsonObject(named) ? named["val"] : undefined;
    return typeof val === "string" ? `domains.class = ${bind(val)}` : undefined;
  },
};

const controller: TextListColumn = {
  kind: "text-list",
  sql: "domains.controllers",
  // Evaluated per row, so that a controller of many domains does not make every statement read them all.
  hasOneOf: (values) => `EXISTS (SELECT 1 FROM domain_controllers AS control
    WHERE control.domain_id = domains.id AND control.did IN (${values}))`,
};

const credentialIds: TextListColumn = {
  kind: "text-list",
  sql: "(SELECT json_group_array(json_extract(value, '$.id')) FROM json_each(domains.credentials))",
};

/** `iidById` leads from these to the columns of an Iid. */
export const entityFilterColumns = {
  ...entityColumns,
  controller,
  credentialIds,
  context,
  metadata: { kind: "json", sql: "domains.metadata" },
} as const satisfies Record<string, Column>;

export const iidFilterColumns = {
  id: entityColumns.id,
  context,
  controller,
  alsoKnownAs: text("coalesce(json_extract(domains.document, '$.alsoKnownAs[0]'), '')"),
} as const satisfies Record<string, Column>;

/**
 * REST's equality: any of the values, or for a list any of its items. Undefined if a text is not a value of the column.
 */
export function equalityOf(column: Column, texts: readonly string[]): Readonly<Record<string, unknown>> | undefined {
  const operands = texts.map((each) => operandOf(column, each)).filter((operand) => operand !== undefined);
  if (operands.length < texts.length) return undefined;
  return column.kind === "text-list" ? { overlaps: operands } : { in: operands };
}

/** The operand in a query parameter, as GraphQL's schema would coerce it. */
function operandOf({ kind }: Column, given: string): string | number | boolean | undefined {
  switch (kind) {
    case "text":
    case "text-list":
      return given;
    case "boolean":
      return given === "true" || given === "false" ? given === "true" : undefined;
    case "integer":
      return /^-?\d{1,15}$/.test(given) ? Number(given) : undefined;
    case "time":
      return parseTime(given)?.milliseconds;
    case "json":
      return undefined;
  }
}

/** The index form of an operand of equality; undefined if no index answers it. */
export function storedValue(column: Column, operand: unknown): string | number | undefined {
  switch (column.kind) {
    case "text":
      return typeof operand === "string" ? (column.exact ?? column.whole).fold(operand) : undefined;
    case "boolean":
      return typeof operand === "boolean" ? Number(operand) : undefined;
    case "integer":
    case "time":
      return typeof operand === "number" ? operand : undefined;
    default:
      return undefined;
  }
}

function text(sql: string): TextColumn {
  return folding(sql, (operand) => operand);
}

function folding(sql: string, fold: (operand: string) => string): TextColumn {
  const aspect = { sql, fold };
  return { kind: "text", whole: aspect, part: aspect };
}

/** In stored form. An unknown status is returned unchanged and matches nothing. */
function verificationStatusOf(operand: string): string {
  return verificationStatuses.find((status) => status.toLowerCase() === operand.toLowerCase()) ?? operand;
}

/** For a closed set of values with the letters A to Z. */
function folded(sql: string): TextColumn {
  return folding(sql, (operand) => operand.toLowerCase());
}

function number(kind: NumberColumn["kind"], sql: string): NumberColumn {
  return { kind, sql };
}

function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}
