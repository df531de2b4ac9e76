/** A domain as a row of CSV that an import can read: its columns have names that the import recognises. */
import { membersOf } from "../../../../shared/json-members.ts";
import { BYTE_ORDER_MARK, csvRow } from "../../kit/csv-text.ts";
import type { Domain } from "../domain-record.ts";

/** An import ignores the members that the registry sets: the id, the states, the version and the times. */
const columns = [
  "id",
  "name",
  "description",
  "type",
  "class",
  "status",
  "verificationStatus",
  "externalId",
  "owner",
  "controllers",
  "relayerNode",
  "validFrom",
  "validUntil",
  "createdAt",
  "updatedAt",
  "version",
  "metadata",
  "credentials",
  "accounts",
  "document",
] as const;

export const csvHead = `${BYTE_ORDER_MARK}${csvRow(columns)}`;

/** Name and description have their own columns and are omitted from the metadata. An empty value is an empty cell. */
export function csvRowOf(domain: Domain): string {
  const { name, description, ...metadata } = membersOf(domain.metadata);
  const isOwn = (value: unknown): value is string => typeof value === "string" && value.trim() !== "";
  const rest = {
    ...metadata,
    ...(name === undefined || isOwn(name) ? {} : { name }),
    ...(description === undefined || isOwn(description) ? {} : { description }),
  };
  const cells = {
    ...domain,
    name: isOwn(name) ? name : null,
    description: isOwn(description) ? description : null,
    controllers: domain.controllers.join(" "),
    metadata: json(rest),
    credentials: json(domain.credentials),
    accounts: json(domain.accounts),
    document: json(Object.fromEntries(Object.entries(domain.document).filter(([, value]) => !isEmpty(value)))),
  };
  return csvRow(columns.map((column) => cells[column]));
}

function isEmpty(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}

function json(value: object): string | null {
  return isEmpty(value) ? null : JSON.stringify(value);
}
