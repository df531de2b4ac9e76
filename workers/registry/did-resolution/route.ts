/**
 * Resolution of DIDs over HTTPS (W3C DID Resolution): the document of a domain, current or at a version, never merged
 * with its classes. A deactivated domain is answered with 410 and its document.
 */
import type { Database } from "../../../platform/database/database.ts";
import * as z from "zod";
import { wireMeaningOf } from "../../../platform/http/error-bodies.ts";
import { reply, routesOf } from "../../../platform/http/route.ts";
import { failure } from "../../../platform/result.ts";
import type { RegistryHono } from "../context.ts";
import { didDocumentOf } from "../domain/did-document.ts";
import type { DomainRecord } from "../domain/domain.ts";
import { jsonObject } from "../domain/members.ts";
import { variantTagOf } from "../domain/representation.ts";
import { printTime } from "../domain/time.ts";
import { statusOf, type RegistryReason } from "../failures.ts";
import { openFor } from "../http/authentication.ts";
import { cardAddress } from "../http/named-domain.ts";
import { registryEdge, type RegistryExtras } from "../http/route.ts";
import { failuresByStatus } from "../http/schemas.ts";
import { readEffective, type EffectiveDomain } from "../store/effective-domain.ts";
import { readVersion } from "../store/history-store.ts";
import { resolutionHeaders } from "./failure-result.ts";
import { DOCUMENT_TYPE, documentTypes, negotiate, RESULT, type ResolutionForm } from "./negotiation.ts";
import {
  codeOfResolution,
  isResolutionReason,
  readResolution,
  resolutionFailure,
  type ResolutionReason,
  type ResolutionRequest,
} from "./options.ts";

const resolution = z
  .object({
    didResolutionMetadata: jsonObject,
    didDocument: jsonObject.nullable(),
    didDocumentMetadata: jsonObject,
  })
  .meta({ id: "DidResolution" });
const wholes = [
  { schema: resolution, type: RESULT },
  { schema: resolution, type: "application/json" },
];
/** The whole result, or the document alone with the requested media type. */
const anyForm = [
  ...wholes,
  { schema: z.union([resolution, jsonObject]), type: "application/ld+json" },
  ...documentTypes.filter((type) => type !== "application/ld+json").map((type) => ({ schema: jsonObject, type })),
];

type Reason = RegistryReason | ResolutionReason;

/**
 * Failures have the names and the format of the standard. The handler itself refuses unknown parameters, in that format
 * too.
 */
const { unknownParameters: _, labels, ...edge } = registryEdge;
export const RESOLUTION_PATHS = "/1.0/identifiers/:did{.+}";

const route = routesOf<RegistryHono, Reason, RegistryExtras>({
  ...edge,
  labels: {
    ...labels,
    always: ["internal", "unavailable", "storage_full"],
    responses: (reasons) =>
      failuresByStatus(
        reasons,
        (reason) => (isResolutionReason(reason) ? wireMeaningOf(codeOfResolution(reason)).status : statusOf(reason)),
        wholes,
      ),
  },
});

const resolve = route(
  {
    method: "get",
    // The rest of the path is the DID, so that a DID URL with a path gets its specific error.
    path: RESOLUTION_PATHS,
    id: "resolveDid",
    summary: "Resolve the DID of a domain",
    description:
      "Returns the whole result or, depending on Accept, only the DID document. Public unless the deployment restricts it.",
    tag: "Resolution",
    auth: openFor("did"),
    params: z.object({ did: z.string() }),
    query: z.object({
      versionId: z.unknown().optional().meta({ type: "string" }),
      versionTime: z.unknown().optional().meta({ type: "string", format: "date-time" }),
      noCache: z.unknown().optional().meta({ type: "string" }),
      expandRelativeUrls: z.unknown().optional().meta({ type: "string" }),
    }),
    conditional: true,
    responses: {
      200: {
        description: "Found",
        content: anyForm,
        headers: {
          ETag: "Tag of the version in this representation. Weak for a whole result, because that contains its creation time",
        },
      },
      410: { description: "The domain is deactivated: the same as 200, with its last document", content: anyForm },
    },
    failures: [
      "INVALID_DID",
      "INVALID_OPTIONS",
      "NOT_FOUND",
      "REPRESENTATION_NOT_SUPPORTED",
      "METHOD_NOT_SUPPORTED",
      "FEATURE_NOT_SUPPORTED",
    ],
  },
  async ({ params: { did } }, c) => {
    const form = negotiate(c.req.header("Accept"));
    if (form === "not-acceptable") {
      const message = "Accept application/did-resolution or application/did";
      return failure(resolutionFailure("REPRESENTATION_NOT_SUPPORTED", message));
    }
    if (form === "dereferencing") {
      return failure(resolutionFailure("FEATURE_NOT_SUPPORTED", "DID URLs are not dereferenced here"));
    }
    const wanted = readResolution(did, new URL(c.req.url).searchParams);
    if (!wanted.ok) return wanted;
    const { database, clock } = c.var.runtime;
    const now = clock();
    const effective = await readEffective(database, wanted.value.did, now);
    const found = effective === undefined ? undefined : await resolvedOf(database, effective, wanted.value);
    if (found === undefined) {
      return failure(resolutionFailure("NOT_FOUND", "The domain or the version does not exist"));
    }
    const { record } = found;
    const address = cardAddress(c, record.id);
    const didDocument = didDocumentOf(record, address);
    const headers = {
      ...resolutionHeaders,
      ETag: await tagOf(form, found, address),
      "Content-Type": form.contentType,
    };
    // Only a 200 can become a 304; a deactivated domain is reported each time.
    const status = record.status === "deactivated" ? 410 : 200;
    if (!form.whole) return reply(didDocument, { status, headers });
    const result = { ...metadataOf(record, now), didDocument, didDocumentMetadata: aboutDocument(found) };
    return reply(result, { status, headers });
  },
);

export const resolutionRoutes = [resolve];

interface Resolved {
  readonly record: DomainRecord;
  /** The version after it; undefined for the current version. */
  readonly next: DomainRecord | undefined;
  /** Whether the DID is deactivated now, whichever version was requested. */
  readonly deactivated: boolean;
}

async function resolvedOf(
  database: Database,
  settled: EffectiveDomain,
  { version }: ResolutionRequest,
): Promise<Resolved | undefined> {
  const deactivated = settled.domain.status === "deactivated";
  if (version === undefined) return { record: settled.domain, next: undefined, deactivated };
  const found = await readVersion(database, settled.domain.id, version);
  if (found === undefined) return undefined;
  const { record } = found;
  if (record.version === settled.domain.version) return { record, next: undefined, deactivated };
  const next = await readVersion(database, record.id, { version: record.version + 1 });
  return { record, next: next?.record, deactivated };
}

/** A whole result contains the time of the request and later versions, so two of them are never equal byte for byte. */
async function tagOf(form: ResolutionForm, resolved: Resolved, address: string): Promise<string> {
  const { record, next, deactivated } = resolved;
  if (!form.whole) return variantTagOf(record, form.contentType, address);
  const later = `${next?.versionId ?? ""} ${deactivated}`;
  return `W/${await variantTagOf(record, form.contentType, address, later)}`;
}

function metadataOf({ id }: DomainRecord, now: number) {
  const [, method, ...rest] = id.split(":");
  return {
    didResolutionMetadata: {
      contentType: DOCUMENT_TYPE,
      retrieved: printTime(now),
      did: { did: id, method, id: rest.join(":"), didUrl: id },
    },
  };
}

/**
 * `deactivated` describes the DID and not one version of its document (DID Resolution, "DID Document Metadata"), so a
 * client that pins a version learns of the deactivation too.
 */
function aboutDocument({ record, next, deactivated }: Resolved) {
  return {
    created: record.createdAt,
    updated: record.updatedAt,
    deactivated,
    versionId: record.versionId,
    ...(next === undefined ? {} : { nextUpdate: next.updatedAt, nextVersionId: next.versionId }),
  };
}
