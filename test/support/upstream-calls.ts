/**
 * An upstream over nodes that a test names, called with request lines of the fixture service: what comes back in a form
 * that a table can hold.
 */
import { create, toJson } from "@bufbuild/protobuf";
import { failure } from "../../workers/platform/result.ts";
import { loadSchema } from "../../workers/query-gateway/descriptors/schema.ts";
import { httpStatusOf, type GatewayFault } from "../../workers/query-gateway/gateway-fault.ts";
import { unable } from "../../workers/query-gateway/upstream/node-failures.ts";
import { createUpstream } from "../../workers/query-gateway/upstream/pool.ts";
import type {
  NodeSettings,
  Upstream,
  UpstreamCall,
  UpstreamParts,
  UpstreamSettings,
} from "../../workers/query-gateway/upstream/upstream.ts";

export interface ToldFault {
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
  parts: Partial<UpstreamParts> = {},
): CallingUpstream {
  const logged: (Record<string, unknown> & { event: string })[] = [];
  const nobody = async () => failure(unable("nobody"));
  const upstream = createUpstream({
    nodes,
    settings: { ...upstreamDefaults, ...settings },
    embedded: { call: nobody, stream: nobody },
    fetch: (url, init) => fetch(url, init),
    clock: Date.now,
    // Equal lots: the order of the list holds inside a tier.
    random: () => 0.5,
    log: (event, members) => void logged.push({ event, ...members }),
    ...parts,
  });
  return { ...upstream, logged };
}

export type CallTerms = Partial<Omit<UpstreamCall, "bound" | "message">> & { readonly timeoutMs?: number };

/** A call of `rpc` of the image with the fields of `message`. */
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

/** The answer as JSON with its height, or the fault as HTTP would tell it. */
export async function told(upstream: Pick<Upstream, "call">, call: UpstreamCall): Promise<unknown> {
  const result = await upstream.call(call);
  if (!result.ok) return faultTold(result.error);
  const { height } = result.value;
  const answer =
    result.value.kind === "json"
      ? result.value.text
      : toJson(call.bound.method.output, result.value.message, { useProtoFieldName: true });
  return { answer, ...(height !== undefined && { height }) };
}

export function faultTold(fault: GatewayFault): ToldFault {
  const { code, message, height } = fault;
  return { status: httpStatusOf(fault), code, message, ...(height !== undefined && { height }) };
}
