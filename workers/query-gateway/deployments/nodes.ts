/** Whom a deployment asks: its nodes with their secrets filled in, the embedded one among them. */
import type { Logger } from "../../platform/log.ts";
import type { EntitySource } from "../../platform/ports.ts";
import { failure, success, type Result } from "../../platform/result.ts";
import { openSchema } from "../descriptors/lazy-schema.ts";
import { createEmbeddedNode } from "../embedded/embedded-node.ts";
import type { Seed } from "../embedded/seed.ts";
import { GRPC } from "../gateway-fault.ts";
import type { BoundMethod } from "../transcoding/http-rule.ts";
import { LATEST_BLOCK, type ChainSettings } from "../upstream/chain-check.ts";
import { unable } from "../upstream/node-failures.ts";
import { createUpstream } from "../upstream/pool.ts";
import type { NodeClient, NodeSettings, Upstream } from "../upstream/upstream.ts";
import type { GatewayConfig } from "./config.ts";
import type { LoadedSet } from "./images.ts";
import type { DeploymentSettings } from "./settings.ts";

export interface NodePlatform {
  /** The built-in set's image. */
  readonly image: Uint8Array;
  readonly source: EntitySource;
  /** What the embedded node tells of claims and tokens. */
  readonly seed?: Seed;
  /** Unix milliseconds. */
  readonly clock: () => number;
  readonly random: () => number;
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
  readonly log: Logger;
}

export function upstreamFor(
  settings: DeploymentSettings,
  sets: readonly LoadedSet[],
  config: GatewayConfig,
  platform: NodePlatform,
): Result<Upstream, string> {
  const relayerNode = settings.embedded.relayerNode || config.relayerNode;
  const embedded = embeddedNode({ relayerNode, chainId: settings.chainId }, sets, platform);
  if (!embedded.ok) return embedded;
  const { fetch, clock, random, log } = platform;
  return success(
    createUpstream({
      nodes: settings.nodes.map((node, index) => nodeSettings(node, index, config.secrets)),
      settings: {
        ...settings.upstream,
        responseBytes: settings.limits.responseBytes,
        timeoutMs: settings.limits.timeoutMs,
      },
      ...chainSettings(settings, sets, platform.image),
      embedded: embedded.value,
      fetch,
      clock,
      random,
      log: (event, members) => {
        if (!isOrdinary(members)) log.warn(event, { deployment: settings.name, ...members });
      },
    }),
  );
}

/**
 * Nodes say in their latest block which chain they are on and how far. Without the time of it nobody could tell which of two
 * nodes far apart is in error. An operator's own image need not have that method; the built-in one does.
 */
function chainSettings(
  { chainId: id, nodes }: DeploymentSettings,
  sets: readonly LoadedSet[],
  image: Uint8Array,
): { readonly chain?: ChainSettings } {
  if (id === "" && nodes.filter(({ kind }) => kind !== "embedded").length < 2) return {};
  const among = (methods: readonly BoundMethod[]) => methods.find(({ path }) => path === LATEST_BLOCK);
  const latestBlock = among(sets.flatMap(({ schema }) => schema.methods)) ?? among(openSchema(image).methods);
  return latestBlock === undefined ? {} : { chain: { id, latestBlock } };
}

/** What a node answers to a request that asks for too much, or for what is not there: no failure of the node. */
const ORDINARY: readonly unknown[] = [
  GRPC.invalidArgument,
  GRPC.notFound,
  GRPC.alreadyExists,
  GRPC.permissionDenied,
  GRPC.failedPrecondition,
  GRPC.outOfRange,
  GRPC.unimplemented,
];

function isOrdinary({ cause, code }: Readonly<Record<string, unknown>>): boolean {
  return cause === "status" && ORDINARY.includes(code);
}

/** It answers in the descriptors of the method that is asked, so each set has its own. */
function embeddedNode(
  names: { readonly relayerNode: string; readonly chainId: string },
  sets: readonly LoadedSet[],
  { source, seed, clock }: NodePlatform,
): Result<NodeClient, string> {
  const clients = new Map<BoundMethod, NodeClient>();
  for (const { schema } of sets) {
    const { registry, methods } = schema;
    const node = createEmbeddedNode({ registry, source, clock, ...names, ...(seed && { seed }) });
    if (!node.ok) return failure(`embedded.seed: ${node.error}`);
    for (const bound of methods) clients.set(bound, node.value);
  }
  const nobody = async () => failure(unable("The method is in no set"));
  return success({
    call: (call) => clients.get(call.bound)?.call(call) ?? nobody(),
    stream: (call) => clients.get(call.bound)?.stream(call) ?? nobody(),
  });
}

function nodeSettings(
  { name, headers, earliestHeight, timeoutMs, ...node }: DeploymentSettings["nodes"][number],
  index: number,
  secrets: ReadonlyMap<string, string>,
): NodeSettings {
  return {
    ...node,
    name: nameOfNode({ name, ...node }, index),
    ...(earliestHeight !== undefined && { earliestHeight }),
    ...(timeoutMs !== undefined && { timeoutMs }),
    headers: Object.fromEntries(Object.entries(headers).map(([header, secret]) => [header, secrets.get(secret) ?? ""])),
  };
}

/** `kind-1` and so on for those without a name. */
export function nameOfNode(
  { name, kind }: Pick<DeploymentSettings["nodes"][number], "name" | "kind">,
  index: number,
): string {
  return name ?? `${kind}-${index + 1}`;
}
