/** Domains for tests: one with usual values, and arbitrary domains for property tests. */
import fc from "fast-check";
import {
  itemLists,
  relationships,
  type DomainDocument,
  type DomainRecord,
} from "../../../workers/registry/domain/domain.ts";
import { nameOf } from "../../../workers/registry/domain/metadata.ts";
import { printTime } from "../../../workers/registry/domain/time.ts";
import type { JsonObject } from "../../../platform/json.ts";

export const emptyDocument: DomainDocument = Object.fromEntries(
  ["alsoKnownAs", "context", ...itemLists, ...relationships].map((list) => [list, []]),
) as unknown as DomainDocument;

const off = { enabled: false, enabledAt: null, disabledAt: null, disabledReason: null };

/** The value as the column stores it, in single quotes for SQL. */
export const SERVICES_OFF_SQL = `'${JSON.stringify({ reporting: off, issuance: off })}'`;

/** The id of the n-th domain; ids sort by their numbers. */
export function domainId(number: number): string {
  return `did:ixo:entity:${number.toString(16).padStart(32, "0")}`;
}

/** A newly created domain, with the given `members`. */
export function domainRecord(number: number, members: Partial<DomainRecord> = {}): DomainRecord {
  const metadata = members.metadata ?? {};
  return {
    id: domainId(number),
    type: "Project",
    class: "did:ixo:protocol/clean-cooking",
    metadata,
    name: nameOf(metadata),
    validFrom: null,
    validUntil: null,
    controllers: ["did:key:controller"],
    owner: "did:key:owner",
    relayerNode: null,
    externalId: null,
    credentials: [],
    accounts: [],
    document: emptyDocument,
    status: "active",
    suspendedBy: null,
    verificationStatus: "AwaitingVerification",
    verifiedAt: null,
    verifiedVersion: null,
    changedSinceVerification: [],
    verifiedContent: null,
    wasVerified: false,
    openProposalId: null,
    services: { reporting: off, issuance: off },
    version: 1,
    contentVersion: 1,
    versionId: "0".repeat(64),
    createdAt: printTime(1_700_000_000_000 + number * 1000),
    updatedAt: printTime(1_700_000_000_000 + number * 1000),
    ...members,
  };
}

/** Texts with a meaning in SQL, LIKE, GLOB, JSON or C; few, so that they collide. */
export const hostileTexts = [
  "",
  "a",
  "A",
  "b",
  "%",
  "_",
  "a%b",
  "a_b",
  "\\",
  "\\%",
  "'",
  "''",
  '"',
  "' OR 1=1 --",
  "'); DROP TABLE domains; --",
  "?1",
  ":a",
  "*",
  "?",
  "[a]",
  "[",
  "]",
  "$.a",
  '$."a"',
  "é",
  "É",
  "😀",
  "null",
  "1",
  "{}",
  "[]",
  "\u0000",
  "a\u0000b",
  "\uffff",
] as const;

/** A short text made of hostile ones, without NUL, which no indexed column contains. */
export const storedText = fc
  .array(fc.constantFrom(...hostileTexts), { minLength: 1, maxLength: 3 })
  .map((parts) => parts.join("").replaceAll("\0", ""));

export const anyText = fc.array(fc.constantFrom(...hostileTexts), { maxLength: 3 }).map((parts) => parts.join(""));

const names = fc.constantFrom("a", "b", "", '"', "a.b", "$", "\u0000", "key", "val", "é");
const scalars = fc.oneof(
  anyText,
  fc.integer({ min: -2, max: 2 }),
  fc.constantFrom(0.5, -1.25, 1e21),
  fc.boolean(),
  fc.constant(null),
);
export const anyJson = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    scalars,
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(names, tie("value"), { maxKeys: 3 }),
  ),
})).value;
const anyJsonObject = fc.dictionary(names, anyJson, { maxKeys: 3 }) as fc.Arbitrary<JsonObject>;

const someDids = ["did:a:1", "did:a:2", "did:a:3", "did:a:%"] as const;
export const someDid = fc.constantFrom(...someDids);
export const someType = fc.constantFrom(
  "Organisation",
  "organization",
  "ORGANIZATION",
  "asset/device",
  "Straße",
  "a%b",
  "a_b",
);
export const someTime = fc.constantFrom(0, 1, 1_700_000_000_000, 1_700_000_000_001).map(printTime);
const optional = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: null });

/** Any domain, with the members that lists use. */
export function anyDomain(number: number): fc.Arbitrary<DomainRecord> {
  return fc
    .record({
      type: someType,
      class: someDid,
      name: optional(storedText.filter((text) => text !== "")),
      metadata: anyJsonObject,
      controllers: fc.uniqueArray(someDid, { minLength: 1, maxLength: 3 }),
      owner: someDid,
      relayerNode: optional(someDid),
      externalId: optional(storedText),
      validFrom: optional(someTime),
      validUntil: optional(someTime),
      status: fc.constantFrom("active", "suspended", "deactivated"),
      verificationStatus: fc.constantFrom("AwaitingVerification", "UnderVote", "Verified", "Rejected", "Revoked"),
      credentials: fc
        .array(anyText, { maxLength: 2 })
        .map((ids) => ids.map((id) => ({ id, type: "VerifiableCredential", status: "active" as const }))),
      also: fc.array(storedText, { maxLength: 2 }),
      context: fc.array(someDid, { maxLength: 2 }),
      createdAt: someTime,
    })
    .map(({ also, context, name, metadata, ...members }) =>
      domainRecord(number, {
        ...members,
        metadata: { ...metadata, ...(name === null ? {} : { name }) },
        document: { ...emptyDocument, alsoKnownAs: also, context },
      }),
    );
}

/** Up to `most` of them, with unique ids. */
export function anyDomains(most: number): fc.Arbitrary<readonly DomainRecord[]> {
  return fc
    .integer({ min: 0, max: most })
    .chain((count) => fc.tuple(...Array.from({ length: count }, (_, at) => anyDomain(at))));
}
