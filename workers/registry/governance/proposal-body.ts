/**
 * The body of a proposal, checked before the domain is read: the text of the proposal, and the package for the voters,
 * to which the registry adds facts of the domain.
 */
import * as z from "zod";
import type { FailureDetail } from "../../../platform/failure.ts";
import { depthOf, isJsonObject, type JsonObject } from "../../../platform/json.ts";
import { failure, type Result, success } from "../../../platform/result.ts";
import { didForm, isDid } from "../did.ts";
import { contentHashOf } from "../domain/content.ts";
import { isUri } from "../domain/document-items.ts";
import type { DomainRecord, ContentDigests } from "../domain/domain.ts";
import { readShape, rule, wellFormed } from "../domain/shape.ts";
import { failureOfDetails } from "../failures.ts";
import { proposalKinds } from "./proposal.ts";

/** Bytes of a package as UTF-8 JSON, before the registry adds to it. */
export const PACKAGE_BYTES = 64 * 1024;
/** Nested levels of lists and objects, as for metadata. */
export const PACKAGE_DEPTH = 16;
const EVIDENCE_ITEMS = 50;
const CREDENTIAL_ITEMS = 50;
const CONTROLLERS = 16;
/** Characters. */
const NOTES_LENGTH = 10_000;
const SHORT_TEXT = 512;
const ADDRESS_LENGTH = 2_048;

/** Schemes of evidence addresses: addresses that a voter can open or look up, and none that a browser would run. */
export const evidenceSchemes = ["https", "http", "ipfs", "ipns", "ar", "did", "urn"] as const;
const SAFE_ADDRESS = new RegExp(`^(?:${evidenceSchemes.join("|")}):`, "i");
const SAFE_FORM = { pattern: String.raw`^\s*(?:${evidenceSchemes.map(inAnyCase).join("|")}):\S.*$` };

/** For JSON Schema, whose patterns have no flags. */
function inAnyCase(word: string): string {
  return word.replace(/[a-z]/g, (letter) => `[${letter.toUpperCase()}${letter}]`);
}

const text = (greatest: number) => z.string().trim().min(1).max(greatest);
const json = z.record(z.string(), z.json());
const did = z.string().refine(isDid, { error: "must be a DID" }).meta(didForm);

const evidenceMembers = {
  id: text(SHORT_TEXT).nullable().default(null),
  type: text(SHORT_TEXT),
  uri: text(ADDRESS_LENGTH)
    .check(
      rule(
        "format",
        `must be a URI of the scheme ${evidenceSchemes.join(", ")}, such as https://example.org/`,
        (uri: string) => isUri(uri) && SAFE_ADDRESS.test(uri),
      ),
    )
    .meta(SAFE_FORM),
  mediaType: text(SHORT_TEXT).nullable().default(null),
  digest: text(SHORT_TEXT).nullable().default(null),
  description: text(NOTES_LENGTH).nullable().default(null),
};
const evidence = z.object(evidenceMembers).meta({ id: "Evidence" });

/** Unknown members are dropped, as in the body of every POST. */
const packageSchema = z
  .object({
    entityDocument: json.nullable().default(null).meta({
      description:
        "The entity's document as it is registered elsewhere. Any content is allowed, but values that repeat the domain must match it.",
    }),
    controllers: z
      .union([did.transform((only) => [only]), z.array(did).max(CONTROLLERS)])
      .nullable()
      .default(null),
    class: text(SHORT_TEXT).nullable().default(null),
    relayerNode: did.nullable().default(null),
    credentials: z.array(z.json()).max(CREDENTIAL_ITEMS).default([]),
    evidence: z.array(evidence).max(EVIDENCE_ITEMS).default([]),
    programme: z
      .union([text(SHORT_TEXT), json])
      .nullable()
      .default(null),
    notes: z.string().max(NOTES_LENGTH).nullable().default(null),
  })
  .meta({ id: "EntityPackage" });

const digest = z.string().meta({ description: "SHA-256, hexadecimal" });

/** The stored package: the sent members, and the domain as its voters see it. */
export const packageRecord = packageSchema
  .extend({
    controllers: z.array(z.string()).nullable(),
    // A separate component, because omitted members are stored as null.
    evidence: z.array(z.object(evidenceMembers).meta({ id: "KeptEvidence" })),
    domain: z.object({
      id: z.string(),
      version: z.int().min(1),
      type: z.string(),
      class: z.string(),
      controllers: z.array(z.string()),
      relayerNode: z.string().nullable(),
      externalId: z.string().nullable(),
      validFrom: z.string().nullable(),
      validUntil: z.string().nullable(),
      metadataHash: digest,
      documentHash: digest,
      credentialsHash: digest,
      accountsHash: digest,
      contentHash: digest,
    }),
  })
  .partial()
  .meta({ id: "KeptPackage" });

/** Checks the size and depth of a package before anything else. `sent` is the member as received. */
function detailsOfSize(sent: unknown): readonly FailureDetail[] {
  if (sent === undefined || sent === null) return [];
  const pointer = "/package";
  if (depthOf(sent) > PACKAGE_DEPTH) {
    return [{ reason: "length", message: `package may be at most ${PACKAGE_DEPTH} levels deep`, pointer }];
  }
  const bytes = new TextEncoder().encode(JSON.stringify(sent)).byteLength;
  if (bytes <= PACKAGE_BYTES) return [];
  return [{ reason: "length", message: `package may have at most ${PACKAGE_BYTES} bytes as JSON`, pointer }];
}

/** The facts under vote: the domain at the time of the proposal, with the digests of its content. */
export async function factsOf(domain: DomainRecord, digests: ContentDigests): Promise<JsonObject> {
  const { id, version, type, controllers, relayerNode, externalId, validFrom, validUntil } = domain;
  return {
    id,
    version,
    type,
    class: domain.class,
    controllers,
    relayerNode,
    externalId,
    validFrom,
    validUntil,
    metadataHash: digests.metadata,
    documentHash: digests.document,
    credentialsHash: digests.credentials,
    accountsHash: digests.accounts,
    contentHash: await contentHashOf(domain),
  };
}

/** Characters. */
export const PROPOSAL_TEXTS = { title: 200, summary: 10_000, reason: 2_000 } as const;

/** Unknown members are ignored, as in the body of every POST. */
export const proposalBody = z.object({
  kind: z.enum(proposalKinds).default("verify"),
  title: z.string().trim().min(1).max(PROPOSAL_TEXTS.title).check(wellFormed),
  summary: z.string().max(PROPOSAL_TEXTS.summary).check(wellFormed).default(""),
  package: packageSchema.nullish().meta({ description: "Required to verify." }),
  reason: reasonText().nullish().meta({ description: "Required to revoke." }),
});

export interface ProposalDraft extends z.output<typeof proposalBody> {
  /** The package as sent, including members outside the schema. */
  readonly sentPackage: JsonObject;
}

/** All faults of the body at once. */
export function readProposalBody(body: JsonObject): Result<ProposalDraft> {
  const size = detailsOfSize(body["package"]);
  if (size.length > 0) return failure(failureOfDetails(size));
  const read = readShape(proposalBody, body);
  if (!read.ok) return failure(failureOfDetails(read.error));
  const { package: sent } = body;
  const draft: ProposalDraft = { ...read.value, sentPackage: isJsonObject(sent) ? sent : {} };
  const missing = detailsOfNeed(draft);
  return missing.length > 0 ? failure(failureOfDetails(missing)) : success(draft);
}

export function reasonText() {
  return z.string().trim().min(1).max(PROPOSAL_TEXTS.reason).check(wellFormed);
}

function detailsOfNeed({ kind, package: sent, reason }: ProposalDraft): readonly FailureDetail[] {
  if (kind === "verify" && (sent === undefined || sent === null)) {
    return [{ pointer: "/package", reason: "required", message: "package is required to verify a domain" }];
  }
  if (kind === "revoke" && (reason === undefined || reason === null)) {
    return [{ pointer: "/reason", reason: "required", message: "reason is required to revoke a verification" }];
  }
  return [];
}
