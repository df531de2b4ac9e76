/**
 * From a message to the HTTP response: the document, the cacheable response, its key and freshness, and the
 * corresponding headers (RFC 9110, RFC 9111, RFC 9211).
 */
import { toBinary, type Message } from "@bufbuild/protobuf";
import { base64Encode } from "@bufbuild/protobuf/wire";
import { hexOf, sha256 } from "../../../platform/digest.ts";
import { failure, success, type Result } from "../../../platform/result.ts";
import type { Deployment } from "../deployments/deployment.ts";
import type { DeploymentSettings } from "../deployments/settings.ts";
import { WRITER_VERSION, type MessageWriter } from "../json/message-writer.ts";
import type { ResponseSelection } from "../transcoding/http-rule.ts";
import type { GatewayAnswer, Lifetime } from "./answer-cache.ts";
import type { PlannedCall } from "./plan-call.ts";

const HEIGHT_HEADERS = ["Grpc-Metadata-X-Cosmos-Block-Height", "X-Cosmos-Block-Height"];

/** For downstream caches: one URL has a response for each height, and a final one is valid for a year. */
const VARY = HEIGHT_HEADERS.join(", ");

/** Both spellings: clients of older nodes read the first one. */
export function heightHeaders(height: string | undefined): Readonly<Record<string, string>> {
  return height === undefined ? {} : Object.fromEntries(HEIGHT_HEADERS.map((name) => [name, height]));
}

/** Names the responding node, if one was called. A configured name may contain characters that a header cannot. */
export function nodeHeader(node: string | undefined): Readonly<Record<string, string>> {
  if (node === undefined) return {};
  return {
    "X-Gateway-Node": node.replaceAll(/[^\x21-\x7e]/gu, (character) => encodeURIComponent(character.toWellFormed())),
  };
}

interface Freshness {
  readonly cacheControl: string;
  /** How long it is fresh, 0 for not at all; and how long it can be served stale after that. */
  readonly seconds: number;
  readonly staleSeconds: number;
}

interface Heights {
  /** The height in the request, absent for the latest. */
  readonly requested: bigint | undefined;
  /** The height of the response, absent if the node reports none. */
  readonly reported: bigint | undefined;
  /** The newest height that any node has reported. */
  readonly best: bigint | undefined;
  /** Our descriptor set knows everything in the response; otherwise an update would print more. */
  readonly isComplete: boolean;
  /** The nodes' chain; undefined while it is unknown. */
  readonly chain: string | undefined;
}

/**
 * A response from a height other than the requested one is not cached, nor is one without a height, because the node may have
 * missed the header and answered from its latest. Nor is one whose chain is unknown. If the nodes report the chain and the
 * profile names none, the response is final for our own cache, which has the chain in its key; downstream caches get `no-cache`,
 * because nothing tells them when the nodes move to another chain.
 */
export function freshnessOf(
  { cache, chainId, gate }: Pick<DeploymentSettings, "cache" | "chainId" | "gate">,
  { requested, reported, best, isComplete, chain }: Heights,
): Freshness {
  const audience = gate.mode === "none" ? "public, " : "private, ";
  const { latestSeconds, staleWhileRevalidateSeconds, staleIfErrorSeconds, immutableDepth, immutableSeconds } = cache;
  if (requested === undefined) {
    const staleSeconds = Math.max(staleWhileRevalidateSeconds, staleIfErrorSeconds);
    const members = [
      `max-age=${latestSeconds}`,
      ...(staleWhileRevalidateSeconds > 0 ? [`stale-while-revalidate=${staleWhileRevalidateSeconds}`] : []),
      ...(staleIfErrorSeconds > 0 ? [`stale-if-error=${staleIfErrorSeconds}`] : []),
    ];
    const cacheControl = latestSeconds + staleSeconds === 0 ? "no-cache" : members.join(", ");
    const seconds = latestSeconds;
    return { cacheControl: gate.mode === "none" ? cacheControl : audience + cacheControl, seconds, staleSeconds };
  }
  const notKept = gate.mode === "none" ? "no-cache" : "private, no-cache";
  const isDeep = chain !== undefined && best !== undefined && requested <= best - BigInt(immutableDepth);
  if (!(isComplete && reported === requested && isDeep)) return { cacheControl: notKept, seconds: 0, staleSeconds: 0 };
  return {
    cacheControl: chainId === "" ? notKept : `${audience}max-age=${immutableSeconds}, immutable`,
    seconds: immutableSeconds,
    staleSeconds: 0,
  };
}

/** Headers of a cached response: its age, and whether it is still fresh (RFC 9111, section 5.1; RFC 9211). */
export function cachedHeaders(
  { storedAt, seconds }: Lifetime,
  now: number,
  /** The status with which a fetch has just failed. */
  failedWith?: number,
): Readonly<Record<string, string>> {
  const age = Math.max(0, Math.floor((now - storedAt) / 1000));
  const ttl = `ttl=${seconds - age}`;
  const status = failedWith === undefined ? `hit; ${ttl}` : `fwd=stale; fwd-status=${failedWith}; ${ttl}`;
  return { Age: String(age), ...cacheStatus(status) };
}

export function cacheStatus(status: string): Readonly<Record<string, string>> {
  return { "Cache-Status": `query-gateway; ${status}` };
}

/** `If-None-Match` of RFC 9110: a list, or `*`; compared weakly. */
function isKnown(header: string | null, etag: string): boolean {
  if (header === null) return false;
  return header.split(",").some((each) => {
    const tag = each.trim();
    return tag === "*" || tag === etag || tag === `W/${etag}`;
  });
}

/** The profile's chain, or the chain that all of its nodes report. */
export function chainOf({ settings, upstream }: Pick<Deployment, "settings" | "upstream">): string | undefined {
  return settings.chainId === "" ? upstream.agreedChain() : settings.chainId;
}

/**
 * Everything on which a response depends. It includes the responding node, because Workers of one zone share a platform
 * cache; the route, because two routes may show different fields of one message; and whether access is limited, because
 * earlier responses were marked as public. The descriptor set and the writer determine the output: after an update of
 * either, older entries of the platform's cache are not found.
 */
export function cacheKey(deployment: Deployment, { served, message, route, height }: PlannedCall): string {
  const { settings, origin } = deployment;
  const bytes = base64Encode(toBinary(route.method.input, message));
  const shown = route.rule.responseBody ?? "";
  return JSON.stringify([
    settings.name,
    chainOf(deployment) ?? "",
    origin,
    settings.gate.mode === "none",
    settings.json.unknownAny,
    served.set.name,
    served.set.digest,
    WRITER_VERSION,
    route.bound.path,
    shown,
    bytes,
    `${height ?? "latest"}`,
  ]);
}

export async function answerOf(
  { contentType, body }: Document,
  status: number,
  cacheControl: string,
  height: bigint | undefined,
): Promise<GatewayAnswer> {
  const etag = `"${hexOf((await sha256(body)).subarray(0, ETAG_BYTES))}"`;
  return { status, contentType, body, etag, cacheControl, ...(height !== undefined && { height: height.toString() }) };
}

/** Bytes of the digest: enough that two responses of one URL never share it. */
const ETAG_BYTES = 16;

/** 304 for a client that already has the response, no body for HEAD. */
export function answerResponse(
  { status, contentType, body, etag, cacheControl, height }: GatewayAnswer,
  request: Request,
  more: Readonly<Record<string, string>> = {},
): Response {
  // A plain object, because each call on Headers leaves the engine, and every response passes here.
  const headers = { "Cache-Control": cacheControl, ETag: etag, Vary: VARY, ...heightHeaders(height), ...more };
  const { method } = request;
  const isRead = method === "GET" || method === "HEAD";
  if (isRead && status === 200 && isKnown(request.headers.get("If-None-Match"), etag)) {
    return new Response(null, { status: 304, headers });
  }
  // A node may label its bytes as a web page, but data on the chain must not run as our page.
  const confined: Readonly<Record<string, string>> =
    contentType === JSON_TYPE ? {} : { "Content-Security-Policy": "sandbox" };
  const typed = { "Content-Type": contentType, ...confined, ...headers };
  if (method !== "HEAD") return new Response(body, { status, headers: typed });
  return new Response(null, { status, headers: { ...typed, "Content-Length": String(body.byteLength) } });
}

export interface Document {
  readonly contentType: string;
  readonly body: Uint8Array;
  /** Fields from a newer chain that no descriptor set knows. */
  readonly unknownFields: number;
}

const JSON_TYPE = "application/json";
/** The type of an HttpBody that names none. */
const BYTES_TYPE = "application/octet-stream";
const encoder = new TextEncoder();

export function jsonDocument(text: string): Document {
  return { contentType: JSON_TYPE, body: encoder.encode(text), unknownFields: 0 };
}

export function printDocument(selection: ResponseSelection, message: Message, writer: MessageWriter): Result<Document> {
  if (selection.kind === "protobuf") return success(protobufDocument(toBinary(selection.message, message)));
  if (selection.kind === "http-body") return success(rawDocument(selection.field?.localName, message));
  const printed =
    selection.kind === "field" ? writer.writeField(selection.field, message) : writer.write(selection.message, message);
  if (!printed.ok) return failure(printed.error);
  return success({ ...jsonDocument(printed.value.text), unknownFields: printed.value.unknownFields });
}

/** Always complete: fields of a newer chain are kept. */
function protobufDocument(body: Uint8Array): Document {
  return { contentType: "application/protobuf", body, unknownFields: 0 };
}

/** Fields of google.api.HttpBody with protobuf-es names. */
interface HttpBody {
  readonly contentType: string;
  readonly data: Uint8Array;
}

function rawDocument(field: string | undefined, message: Message): Document {
  const held = field === undefined ? message : (message as Message & Record<string, unknown>)[field];
  const { contentType, data } = (held ?? { contentType: "", data: new Uint8Array() }) as HttpBody;
  // A text that a header cannot contain is not a type.
  const isType = /^[\x21-\x7e][\x20-\x7e]*$/.test(contentType);
  return { contentType: isType ? contentType : BYTES_TYPE, body: data, unknownFields: 0 };
}
