/** Converts records to rows of the table `domains` and back. */
import type { Database } from "../../../platform/database/database.ts";
import {
  documentLists,
  type DomainDocument,
  type DomainRecord,
  type DomainStatus,
  type VerificationStatus,
} from "../domain/domain.ts";
import { typeKeyOf } from "../domain/known-types.ts";
import { nameOf } from "../domain/metadata.ts";
import { millisecondsOf, printTime } from "../domain/time.ts";
import {
  readAccounts,
  readCredentials,
  readDigests,
  readDocument,
  readObject,
  readRow,
  readServices,
  readTexts,
} from "./stored-columns.ts";

export interface DomainRow {
  readonly id: string;
  readonly type: string;
  readonly class: string;
  readonly metadata: string;
  readonly owner: string;
  readonly controllers: string;
  readonly relayer_node: string | null;
  readonly external_id: string | null;
  readonly valid_from: string | null;
  readonly valid_until: string | null;
  readonly status: DomainStatus;
  readonly suspended_by: "controller" | "admin" | null;
  readonly verification_status: VerificationStatus;
  readonly verified_at: number | null;
  readonly verified_version: number | null;
  readonly changed_since_verification: string;
  readonly verified_content: string | null;
  readonly was_verified: number;
  readonly open_proposal_id: string | null;
  readonly services: string;
  readonly document: string;
  readonly credentials: string;
  readonly accounts: string;
  readonly version: number;
  readonly content_version: number;
  readonly version_id: string;
  readonly created_at: number;
  readonly updated_at: number;
}

const columnNames = [
  "id",
  "type",
  "class",
  "metadata",
  "owner",
  "controllers",
  "relayer_node",
  "external_id",
  "valid_from",
  "valid_until",
  "status",
  "suspended_by",
  "verification_status",
  "verified_at",
  "verified_version",
  "changed_since_verification",
  "verified_content",
  "was_verified",
  "open_proposal_id",
  "services",
  "document",
  "credentials",
  "accounts",
  "version",
  "content_version",
  "version_id",
  "created_at",
  "updated_at",
] as const satisfies readonly (keyof DomainRow)[];

/** The columns that a query selects for `recordOf`, from the table or alias `domains`. */
export const domainColumns = columnNames.map((name) => `domains.${name}`).join(", ");

export function recordOf(row: DomainRow): DomainRecord {
  const metadata = readObject(row.metadata, "metadata");
  return {
    id: row.id,
    type: row.type,
    class: row.class,
    metadata,
    // Not from its column, which is for lists and may be shortened.
    name: nameOf(metadata),
    validFrom: row.valid_from,
    validUntil: row.valid_until,
    controllers: readTexts(row.controllers, "list of controllers"),
    owner: row.owner,
    relayerNode: row.relayer_node,
    externalId: row.external_id,
    credentials: readCredentials(row.credentials),
    accounts: readAccounts(row.accounts),
    document: readDocument(row.document),
    status: row.status,
    suspendedBy: row.suspended_by,
    verificationStatus: row.verification_status,
    verifiedAt: row.verified_at === null ? null : printTime(row.verified_at),
    verifiedVersion: row.verified_version,
    changedSinceVerification: readTexts(row.changed_since_verification, "list of changed members"),
    verifiedContent: row.verified_content === null ? null : readDigests(row.verified_content),
    wasVerified: row.was_verified === 1,
    openProposalId: row.open_proposal_id,
    services: readServices(row.services),
    version: row.version,
    contentVersion: row.content_version,
    versionId: row.version_id,
    createdAt: printTime(row.created_at),
    updatedAt: printTime(row.updated_at),
  };
}

/** The records of a list; a damaged row is skipped and logged. */
export function recordsOf(rows: readonly DomainRow[]): readonly DomainRecord[] {
  return rows.flatMap((row) => readRow("domains", row.id, row, recordOf) ?? []);
}

export type ColumnValue = string | number | null;

/** Every column of the table except `number`, which the database assigns. */
export function columnsOf(record: DomainRecord): Readonly<Record<string, ColumnValue>> {
  const millisecondsOrNull = (time: string | null) => (time === null ? null : millisecondsOf(time));
  return {
    id: record.id,
    type: record.type,
    type_key: typeKeyOf(record.type),
    class: record.class,
    name: record.name === null ? null : plainText(record.name),
    metadata: JSON.stringify(record.metadata),
    owner: record.owner,
    controllers: JSON.stringify(record.controllers),
    relayer_node: record.relayerNode,
    external_id: record.externalId,
    valid_from: record.validFrom,
    valid_from_ms: millisecondsOrNull(record.validFrom),
    valid_until: record.validUntil,
    valid_until_ms: millisecondsOrNull(record.validUntil),
    status: record.status,
    suspended_by: record.suspendedBy,
    verification_status: record.verificationStatus,
    verified_at: millisecondsOrNull(record.verifiedAt),
    verified_version: record.verifiedVersion,
    changed_since_verification: JSON.stringify(record.changedSinceVerification),
    verified_content: record.verifiedContent === null ? null : JSON.stringify(record.verifiedContent),
    was_verified: record.wasVerified ? 1 : 0,
    open_proposal_id: record.openProposalId,
    services: JSON.stringify(record.services),
    document: JSON.stringify(sparseDocument(record.document)),
    credentials: JSON.stringify(record.credentials),
    accounts: JSON.stringify(record.accounts),
    version: record.version,
    content_version: record.contentVersion,
    version_id: record.versionId,
    created_at: millisecondsOf(record.createdAt),
    updated_at: millisecondsOf(record.updatedAt),
  };
}

/** A text that SQLite compares and indexes completely: it stops at NUL. */
export function plainText(text: string): string {
  return text.replaceAll("\0", " ");
}

/** Most lists of most documents are empty, so they are omitted in storage and restored here. */
function sparseDocument(document: DomainDocument): Partial<DomainDocument> {
  return Object.fromEntries(
    documentLists.flatMap((list) => (document[list].length > 0 ? [[list, document[list]]] : [])),
  );
}

/** The stored state; `effective-domain.ts` adds due steps. */
export async function readDomain(database: Database, id: string): Promise<DomainRecord | undefined> {
  const row = await database.prepare(`SELECT ${domainColumns} FROM domains WHERE id = ?`).bind(id).first<DomainRow>();
  return row === null ? undefined : recordOf(row);
}
