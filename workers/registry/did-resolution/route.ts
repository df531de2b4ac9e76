/**
 * Resolution of DIDs over HTTPS (contract/registry.md section 8; W3C DID Resolution): the document of a domain as it is
 * now or was at a version, never merged with its classes. A deactivated one is gone, and yet told (410 with document).
 */
import { Hono } from "hono";
import * as z from "zod";
import type { Operation } from "../../platform/openapi.ts";
import type { RegistryContext, RegistryHono } from "../context.ts";
import { knownTag, publicSecurity } from "../description.ts";
import { didDocumentOf } from "../domain/did-document.ts";
import type { DomainRecord } from "../domain/domain.ts";
import { jsonObject } from "../domain/members.ts";
import { variantTagOf } from "../domain/representation.ts";
import { printTime } from "../domain/time.ts";
import { cardAddress } from "../middleware/public-address.ts";
import { openFor } from "../middleware/keyed.ts";
import { isUnchanged } from "../middleware/preconditions.ts";
import { readVersion } from "../store/history-store.ts";
import type { EffectiveDomain } from "../store/effective-domain.ts";
import { readEffective } from "../store/effective-domain.ts";
import { DOCUMENT_TYPE, documentTypes, negotiate, RESULT, type ResolutionForm } from "./negotiation.ts";
import { readResolution, type ResolutionError, type ResolutionRequest } from "./options.ts";
import { resolutionError, resolutionHeaders } from "./refusal.ts";

export const resolutionRoutes = new Hono<RegistryHono>();

const resolution = z
  .object({
    didResolutionMetadata: jsonObject,
    didDocument: jsonObject.nullable(),
    didDocumentMetadata: jsonObject,
  })
  .meta({ id: "DidResolution" });
const whole = { schema: resolution, type: RESULT };
const wholes = [whole, { schema: resolution, type: "application/json" }];
const told = (description: string) => ({ description, content: wholes });
/** The whole result, or the document alone under the type that was asked for. */
const anyForm = [
  ...wholes,
  { schema: z.union([resolution, jsonObject]), type: "application/ld+json" },
  ...documentTypes.filter((type) => type !== "application/ld+json").map((type) => ({ schema: jsonObject, type })),
];

const resolve: Operation = {
  method: "get",
  path: "/1.0/identifiers/:did",
  id: "resolveDid",
  summary: "Resolve the DID of a domain",
  description: "The whole result or, by Accept, the DID document alone. Public unless the deployment closes it.",
  tag: "Resolution",
  security: publicSecurity,
  params: z.object({ did: z.string() }),
  query: z.object({
    versionId: z.string().optional(),
    versionTime: z.string().optional().meta({ format: "date-time" }),
    noCache: z.string().optional(),
    expandRelativeUrls: z.string().optional(),
  }),
  headers: knownTag,
  responses: {
    200: {
      description: "Found",
      content: anyForm,
      headers: { ETag: "Of the version in this form; weak for a whole result, which tells when it was made" },
    },
    304: { description: "Not changed" },
    401: told("unauthenticated or invalid_token"),
    403: told("insufficient_scope"),
    429: told("rate_limited; Retry-After says when to come again"),
    500: told("INTERNAL_ERROR"),
    503: told("INTERNAL_ERROR: the storage does not answer; Retry-After says when to come again"),
    400: told("INVALID_DID or INVALID_OPTIONS"),
    404: told("NOT_FOUND"),
    406: told("REPRESENTATION_NOT_SUPPORTED"),
    410: { description: "The domain is deactivated: the same as 200, with its last document", content: anyForm },
    501: told("METHOD_NOT_SUPPORTED or FEATURE_NOT_SUPPORTED"),
  },
};

const ALLOWED = "GET, HEAD, OPTIONS";
// Whatever follows is taken as the DID, so that a DID URL with a path is told what it is and not that it is nowhere.
const ANY_DID = `${resolve.path}{.+}`;

resolutionRoutes.options(ANY_DID, () => new Response(null, { status: 204, headers: { Allow: ALLOWED } }));

resolutionRoutes.get(ANY_DID, openFor("did"), async (c) => {
  const form = negotiate(c.req.header("Accept"));
  if (form === "not-acceptable") {
    return refuseResolution(c, "REPRESENTATION_NOT_SUPPORTED", "Accept application/did-resolution or application/did");
  }
  if (form === "dereferencing") {
    return refuseResolution(c, "FEATURE_NOT_SUPPORTED", "DID URLs are not dereferenced here");
  }
  const wanted = readResolution(c.req.param("did") ?? "", new URL(c.req.url).searchParams);
  if ("code" in wanted) return refuseResolution(c, wanted.code, wanted.detail);
  const { database, clock } = c.var.runtime;
  const now = clock();
  const settled = await readEffective(database, wanted.did, now);
  const found = settled === undefined ? undefined : await resolvedOf(database, settled, wanted);
  if (found === undefined) return refuseResolution(c, "NOT_FOUND", "There is no such domain, or not at that version");
  return answerResolution(c, form, found, now);
});

interface Resolved {
  readonly record: DomainRecord;
  /** The version that came after it; undefined for the current one. */
  readonly next: DomainRecord | undefined;
}

async function resolvedOf(
  database: D1Database,
  settled: EffectiveDomain,
  { version }: ResolutionRequest,
): Promise<Resolved | undefined> {
  if (version === undefined) return { record: settled.domain, next: undefined };
  const found = await readVersion(database, settled.domain.id, version);
  if (found === undefined) return undefined;
  const { record } = found;
  if (record.version === settled.domain.version) return { record, next: undefined };
  const next = await readVersion(database, record.id, { version: record.version + 1 });
  return { record, next: next?.record };
}

async function answerResolution(
  c: RegistryContext,
  form: ResolutionForm,
  { record, next }: Resolved,
  now: number,
): Promise<Response> {
  const address = cardAddress(c, record.id);
  const headers = { ...resolutionHeaders, ETag: await tagOf(form, { record, next }, address) };
  const gone = record.status === "deactivated";
  // Only what would be 200 is answered 304: that a domain is gone is told each time.
  if (!gone && isUnchanged(c, headers.ETag)) return c.body(null, 304, headers);
  const didDocument = didDocumentOf(record, address);
  const body = form.whole
    ? { ...metadataOf(record, now), didDocument, didDocumentMetadata: aboutDocument(record, next) }
    : didDocument;
  return c.body(JSON.stringify(body), gone ? 410 : 200, { ...headers, "Content-Type": form.contentType });
}

/** A whole result tells when it was made, and what came after the version: no two of it are the same byte for byte. */
async function tagOf(form: ResolutionForm, { record, next }: Resolved, address: string): Promise<string> {
  if (!form.whole) return variantTagOf(record, form.contentType, address);
  return `W/${await variantTagOf(record, form.contentType, address, next?.versionId ?? "")}`;
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

function aboutDocument(record: DomainRecord, next: DomainRecord | undefined) {
  return {
    created: record.createdAt,
    updated: record.updatedAt,
    deactivated: record.status === "deactivated",
    versionId: record.versionId,
    ...(next === undefined ? {} : { nextUpdate: next.updatedAt, nextVersionId: next.versionId }),
  };
}

function refuseResolution(c: RegistryContext, code: ResolutionError, detail: string): Response {
  return resolutionError(code, detail, c.req.header("Accept"));
}

export const resolutionOperations: readonly Operation[] = [resolve];
