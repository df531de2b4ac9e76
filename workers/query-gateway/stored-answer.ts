/** From a document to the answer that may be kept, and from that to a response (contract D, sections 2.5, 5 and 12). */
import { toBinary } from "@bufbuild/protobuf";
import { base64Encode } from "@bufbuild/protobuf/wire";
import type { StoredAnswer } from "./answer-cache.ts";
import { addHeight, isKnown } from "./answer-headers.ts";
import type { PlannedCall } from "./call-request.ts";
import type { Deployment } from "./deployment.ts";
import { digestOf, toHex } from "./digests.ts";
import type { Document } from "./document.ts";
import { methodPath } from "./transcoding/routes.ts";

/** All that an answer depends on. The route counts too, since two may show different fields of one answer. */
export function cacheKey({ settings }: Deployment, { parts, message, route, height }: PlannedCall): string {
  const bytes = base64Encode(toBinary(route.method.input, message));
  const shown = route.rule.responseBody ?? "";
  return JSON.stringify([
    settings.name,
    settings.chainId,
    parts.set.name,
    methodPath(route.method),
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
  const etag = `"${toHex((await digestOf(body)).subarray(0, ETAG_BYTES))}"`;
  return { status, contentType, body, etag, cacheControl, ...(height !== undefined && { height: height.toString() }) };
}

/** Of the digest: enough that two answers of one URL never share it. */
const ETAG_BYTES = 16;

/** 304 for who has it already, no body for HEAD. */
export function finish(
  { status, contentType, body, etag, cacheControl, height }: StoredAnswer,
  request: Request,
): Response {
  const headers = new Headers({ "Content-Type": contentType, "Cache-Control": cacheControl, ETag: etag });
  addHeight(headers, height);
  const isRead = request.method === "GET" || request.method === "HEAD";
  if (isRead && status === 200 && isKnown(request.headers.get("If-None-Match"), etag)) {
    headers.delete("Content-Type");
    return new Response(null, { status: 304, headers });
  }
  if (request.method !== "HEAD") return new Response(body, { status, headers });
  headers.set("Content-Length", String(body.byteLength));
  return new Response(null, { status, headers });
}
