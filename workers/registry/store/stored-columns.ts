/**
 * JSON columns, parsed when they are read, so that a damaged row fails with its name and decides nothing. A list skips
 * and logs such a row, so that one damaged row does not hide the others.
 */
import type { Statement } from "../../../platform/database/database.ts";
import * as z from "zod";
import { type JsonObject, isJsonObject, parseStoredJson } from "../../../platform/json.ts";
import { createLogger, describeThrown } from "../../../platform/log.ts";
import {
  credentialStatuses,
  documentLists,
  domainStatuses,
  itemLists,
  relationships,
  serviceNames,
  verificationStatuses,
  type Account,
  type Change,
  type Credential,
  type DomainDocument,
  type DomainRecord,
  type ServiceName,
  type ServiceState,
  markedMembers,
  type ContentDigests,
} from "../domain/domain.ts";
import { votingRulesSchema, type VotingRules } from "../governance/voting-rules.ts";
import { scopes, type Scope } from "../caller.ts";

const texts = z.array(z.string());
const scopeList = z.array(z.enum(scopes));
const digests = z.record(z.enum(markedMembers), z.string()) satisfies z.ZodType<ContentDigests>;
const services = z.record(
  z.enum(serviceNames),
  z.object({
    enabled: z.boolean(),
    enabledAt: z.string().nullable(),
    disabledAt: z.string().nullable(),
    disabledReason: z.string().nullable(),
  }),
) satisfies z.ZodType<Readonly<Record<ServiceName, ServiceState>>>;
const answer = z.object({
  status: z.int(),
  headers: z.record(z.string(), z.string()),
  body: z.string(),
}) satisfies z.ZodType<StoredAnswer>;

// The result of JSON.parse is JSON; only whether it is an object must be checked.
const object = z.custom<JsonObject>(isJsonObject);
const items = z.array(object).optional();
const names = texts.optional();
/** Empty lists are omitted in storage. */
const document = z.object({
  alsoKnownAs: names,
  context: names,
  ...(Object.fromEntries(itemLists.map((list) => [list, items])) as Record<(typeof itemLists)[number], typeof items>),
  ...(Object.fromEntries(relationships.map((list) => [list, names])) as Record<
    (typeof relationships)[number],
    typeof names
  >),
});
const credentials = z.array(
  z.object({ id: z.string(), type: z.string(), status: z.enum(credentialStatuses) }),
) satisfies z.ZodType<readonly Credential[]>;
const accounts = z.array(z.object({ name: z.string(), address: z.string() })) satisfies z.ZodType<readonly Account[]>;
const changes = z.array(z.object({ path: z.string(), from: z.json(), to: z.json() })) satisfies z.ZodType<
  readonly Change[]
>;
const time = z.string().nullable();

/** A version of a record. Members that older releases did not store get the value that applied then. */
const snapshot = z.object({
  id: z.string(),
  type: z.string(),
  class: z.string(),
  metadata: object,
  name: z.string().nullable(),
  validFrom: time,
  validUntil: time,
  controllers: texts,
  owner: z.string(),
  relayerNode: z.string().nullable(),
  externalId: z.string().nullable(),
  credentials,
  accounts,
  document: document.transform(wholeDocument),
  status: z.enum(domainStatuses),
  suspendedBy: z.enum(["controller", "admin"]).nullable(),
  verificationStatus: z.enum(verificationStatuses),
  verifiedAt: time,
  verifiedVersion: z.int().nullable().default(null),
  changedSinceVerification: texts.default([]),
  verifiedContent: digests.nullable().default(null),
  wasVerified: z.boolean().default(false),
  openProposalId: z.string().nullable(),
  services,
  version: z.int(),
  contentVersion: z.int().default(1),
  versionId: z.string(),
  createdAt: z.string(),
  updatedAt: z.string(),
}) satisfies z.ZodType<DomainRecord>;

function wholeDocument(sparse: z.output<typeof document>): DomainDocument {
  return Object.fromEntries(documentLists.map((list) => [list, sparse[list] ?? []])) as unknown as DomainDocument;
}

/** `what` names the column in the error. */
export const readObject = (text: string, what: string): JsonObject => parseStoredJson(object, text, what);

export const readDocument = (text: string): DomainDocument =>
  text === "{}" ? emptyDocument : wholeDocument(parseStoredJson(document, text, "document"));

const emptyDocument = wholeDocument({});

export const readCredentials = (text: string): readonly Credential[] =>
  parseStoredJson(credentials, text, "credential");

export const readAccounts = (text: string): readonly Account[] => parseStoredJson(accounts, text, "account");

export const readChanges = (text: string): readonly Change[] => parseStoredJson(changes, text, "list of changes");

export const readSnapshot = (text: string): DomainRecord => parseStoredJson(snapshot, text, "version of a domain");

const log = createLogger({ surface: "registry", requestId: "storage" });

/** The value of a row, or undefined if it is damaged, which is logged with its table and id. */
export function readRow<Row, Value>(table: string, id: string, row: Row, read: (row: Row) => Value): Value | undefined {
  try {
    return read(row);
  } catch (thrown) {
    log.error("row-damaged", { table, id, reason: describeThrown(thrown) });
    return undefined;
  }
}

/** A list's page of `limit` values; further rows are read in place of damaged ones. */
export async function readFullPage<Row extends { readonly id: string }, Value>(
  table: string,
  limit: number,
  pageBehind: (last: Row | undefined, limit: number) => Statement,
  read: (row: Row) => Value,
): Promise<readonly Value[]> {
  const values: Value[] = [];
  for (let last: Row | undefined; values.length < limit;) {
    const missing = limit - values.length;
    const { results } = await pageBehind(last, missing).all<Row>();
    for (const row of results) {
      const value = readRow(table, row.id, row, read);
      if (value !== undefined) values.push(value);
    }
    last = results.at(-1);
    if (results.length < missing) break;
  }
  return values;
}

/** `what` names the column in the error. */
export const readTexts = (text: string, what: string): readonly string[] => parseStoredJson(texts, text, what);

export const readScopes = (text: string): readonly Scope[] => parseStoredJson(scopeList, text, "list of scopes");

export const readRules = (text: string): VotingRules => parseStoredJson(votingRulesSchema, text, "voting rule");

export const readDigests = (text: string): ContentDigests => parseStoredJson(digests, text, "digest of content");

export const readServices = (text: string): Readonly<Record<ServiceName, ServiceState>> =>
  parseStoredJson(services, text, "state of services");

export const readAnswer = (text: string): StoredAnswer => parseStoredJson(answer, text, "answer");

/** A response as it was sent, so that it can be replayed byte for byte. */
export interface StoredAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}
