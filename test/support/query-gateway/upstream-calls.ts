/**
 * An upstream over nodes that a test names, called with request lines of the fixture service; the results are in a form for tables.
 */
import { create, toJson } from "@bufbuild/protobuf";
import { failure } from "../../../platform/result.ts";
import { loadSchema } from "../../../workers/query-gateway/descriptors/schema.ts";
import type { Failure } from "../../../platform/failure.ts";
import { rpcErrorOf } from "../../../workers/query-gateway/serve/rpc-status.ts";
import { unsupported } from "../../../workers/query-gateway/upstream/node-failures.ts";
import { createUpstream } from "../../../workers/query-gateway/upstream/pool.ts";
import type {
  NodeSettings,
  NodeStatus,
  Upstream,
  UpstreamCall,
  UpstreamDependencies,
  UpstreamSettings,
  UpstreamStream,
} from "../../../workers/query-gateway/upstream/upstream.ts";

export interface SeenError {
  readonly status: number;
  readonly code: number;
  readonly message: string;
  readonly height?: bigint;
}

export const upstreamDefaults: UpstreamSettings = {
  retries: 2,
  hedgeAfterMs: 0,
  breaker: { failures: 5, windowMs: 30_000, openMs: 15_000 },
  maxLag: 20,
  responseBytes: 1_000_000,
  timeoutMs: 10_000,
};

export function nodeAt(url: string, more: Partial<NodeSettings> = {}): NodeSettings {
  return { name: url, kind: "grpc-web", url, tier: 0, weight: 1, headers: {}, ...more };
}

export interface CallingUpstream extends Upstream {
  readonly logged: readonly (Readonly<Record<string, unknown>> & { readonly event: string })[];
}

export function upstreamOver(
  nodes: readonly NodeSettings[],
  settings: Partial<UpstreamSettings> = {},
  parts: Partial<UpstreamDependencies> = {},
): CallingUpstream {
  const logged: (Record<string, unknown> & { event: string })[] = [];
  const nobody = async () => failure(unsupported("nobody"));
  const upstream = createUpstream({
    nodes,
    settings: { ...upstreamDefaults, ...settings },
    embedded: { call: nobody, stream: nobody },
    fetch: (url, init) => fetch(url, init),
    clock: Date.now,
    // Constant random numbers: the order of the list applies within a tier.
    random: () => 0.5,
    count: () => undefined,
    log: (event, members) => void logged.push({ event, ...members }),
    ...parts,
  });
  return { ...upstream, logged };
}

export type CallTerms = Partial<Omit<UpstreamCall, "bound" | "message">> & { readonly timeoutMs?: number };

/** A call of `rpc` in the descriptor set with the fields of `message`. */
export function callOf(
  image: Uint8Array,
  rpc = "Get",
  message: Readonly<Record<string, unknown>> = { id: "a" },
  { timeoutMs = 5000, ...terms }: CallTerms = {},
): UpstreamCall {
  const bound = schemaOf(image).methods.find(({ method }) => method.name === rpc);
  if (bound === undefined) throw new Error(`${rpc} is not in the image`);
  return {
    bound,
    message: create(bound.method.input, message),
    deadline: Date.now() + timeoutMs,
    signal: new AbortController().signal,
    isRepeatable: true,
    ...terms,
  };
}

const schemas = new WeakMap<Uint8Array, ReturnType<typeof loadSchema>>();

export function schemaOf(image: Uint8Array): ReturnType<typeof loadSchema> {
  const schema = schemas.get(image) ?? loadSchema(image);
  schemas.set(image, schema);
  return schema;
}

/** The answer as JSON with its height, or the error in its HTTP form. */
export async function outcomeOf(upstream: Pick<Upstream, "call">, call: UpstreamCall): Promise<unknown> {
  const result = await upstream.call(call);
  if (!result.ok) return errorOf(result.error);
  const { value } = result;
  if (value.kind === "status") return errorOf(value);
  const { height } = value;
  const answer =
    value.kind === "json" ? value.text : toJson(call.bound.method.output, value.message, { useProtoFieldName: true });
  return { answer, ...(height !== undefined && { height }) };
}

/** The messages of a stream, or the error that it begins with. */
export async function streamOf(
  upstream: Pick<Upstream, "stream">,
  call: UpstreamCall,
): Promise<UpstreamStream | SeenError> {
  const opened = await upstream.stream(call);
  const outcome = opened.ok ? opened.value : opened.error;
  return "kind" in outcome && outcome.kind === "stream" ? outcome : errorOf(outcome);
}

export function errorOf(error: NodeStatus | Failure): SeenError {
  const { httpStatus, code, message, height } = rpcErrorOf(error);
  return { status: httpStatus, code, message, ...(height !== undefined && { height }) };
}
