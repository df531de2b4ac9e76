/** From a document to the answer that may be kept, and from that to a response (contract D, sections 2.5, 5 and 12). */
import { toBinary } from "@bufbuild/protobuf";
import { base64Encode } from "@bufbuild/protobuf/wire";
import type { PlannedCall } from "../call-request.ts";
import type { Deployment } from "../deployments/deployment.ts";
import { hexOf, sha256 } from "../../platform/digest.ts";
import type { StoredAnswer } from "./answer-cache.ts";
import { WRITER_VERSION } from "../json/writer-version.ts";
import { heightHeaders, isKnown, VARY } from "./answer-headers.ts";
import { JSON_TYPE, type Document } from "./document.ts";

/**
 * All that an answer depends on. The route counts too, since two may show different fields of one answer, and so does whether
 * there is a gate: what was stored before it came says of itself that it is public. The image and the writer decide what an
 * answer looks like: after an update of either, what the platform has kept is not found any more.
 */
export function cacheKey({ settings }: Deployment, { parts, message, route, height }: PlannedCall): string {
  const bytes = base64Encode(toBinary(route.method.input, message));
  const shown = route.rule.responseBody ?? "";
  return JSON.stringify([
    settings.name,
    settings.chainId,
    settings.gate.mode === "none",
    settings.json.unknownAny,
    parts.set.name,
    parts.set.digest,
    WRITER_VERSION,
    route.bound.path,
    shown,
    bytes,
    `${height ?? "latest"}`,
  ]);
}

export async function storedOf(
  { contentType, body }: Document,
  status: number,
  cacheControl: string,
  height: bigint | undefined,
): Promise<StoredAnswer> {
  const etag = `"${hexOf((await sha256(body)).subarray(0, ETAG_BYTES))}"`;
  return { status, contentType, body, etag, cacheControl, ...(height !== undefined && { height: height.toString() }) };
}

/** Of the digest: enough that two answers of one URL never share it. */
const ETAG_BYTES = 16;

/** 304 for who has it already, no body for HEAD. */
export function finish(
  { status, contentType, body, etag, cacheControl, height }: StoredAnswer,
  request: Request,
  more: Readonly<Record<string, string>> = {},
): Response {
  // Plain: each call on Headers is a step out of the engine, and there is no answer that does not come by here.
  const headers = { "Cache-Control": cacheControl, ETag: etag, Vary: VARY, ...heightHeaders(height), ...more };
  const { method } = request;
  const isRead = method === "GET" || method === "HEAD";
  if (isRead && status === 200 && isKnown(request.headers.get("If-None-Match"), etag)) {
    return new Response(null, { status: 304, headers });
  }
  // A node may call its bytes a web page; what somebody has put on the chain must not run as a page of ours.
  const confined: Readonly<Record<string, string>> =
    contentType === JSON_TYPE ? {} : { "Content-Security-Policy": "sandbox" };
  const typed = { "Content-Type": contentType, ...confined, ...headers };
  if (method !== "HEAD") return new Response(body, { status, headers: typed });
  return new Response(null, { status, headers: { ...typed, "Content-Length": String(body.byteLength) } });
}
