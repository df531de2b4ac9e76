/** The nodes of a chain profile with their secrets filled in, including the embedded one, as one upstream. */
import { isJsonObject, parseJson } from "../../../platform/json.ts";
import { count, type MetricBindings } from "../../../platform/metrics/counters.ts";
import type { Logger } from "../../../platform/log.ts";
import type { EntitySource } from "../../../platform/ports.ts";
import { failure, success, type Result } from "../../../platform/result.ts";
import { openSchema } from "../descriptors/lazy-schema.ts";
import { createEmbeddedNode } from "../embedded/embedded-node.ts";
import { sampleSeed, type Seed } from "../embedded/seed.ts";
import type { BoundMethod } from "../transcoding/http-rule.ts";
import { LATEST_BLOCK } from "../upstream/chain-check.ts";
import { createUpstream } from "../upstream/pool.ts";
import { GRPC, type NodeSettings, type Upstream } from "../upstream/upstream.ts";
import type { GatewayConfig } from "./config.ts";
import type { LoadedSet } from "./images.ts";
import type { DeploymentSettings } from "./settings.ts";
import type { ChainSettings } from "../upstream/chain-settings.ts";

export interface NodePlatform {
  /** The bytes of the built-in set. */
  readonly image: Uint8Array;
  readonly source: EntitySource;
  /** Contains the sample data that `embedded.seed` names, and the counters. */
  readonly env: MetricBindings;
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
  const { source, fetch, clock, random, log } = platform;
  const seed = seedNamed(settings.embedded.seed, platform.env, config.isDevelopment);
  if (!seed.ok) return seed;
  const registries = sets.map(({ schema }) => schema.registry);
  const { chainId } = settings;
  const embedded = createEmbeddedNode({
    registries,
    source,
    clock,
    relayerNode,
    isGated: settings.gate.mode !== "none",
    chainId,
    ...(seed.value && { seed: seed.value }),
  });
  if (!embedded.ok) return failure(`embedded.seed: ${embedded.error}`);
  return success(
    createUpstream({
      nodes: settings.nodes.map((node, index) => nodeSettings(node, index, config.secrets)),
      settings: {
        ...settings.upstream,
        responseBytes: settings.limits.responseBytes,
        timeoutMs: settings.limits.timeoutMs,
      },
      chain: chainSettings(settings, sets, platform.image),
      embedded: embedded.value,
      fetch,
      clock,
      random,
      count: (node, code) => count(platform.env, "gateway_calls_total", { node, code }),
      log: (event, members) => {
        if (!isOrdinary(members)) log.warn(event, { deployment: settings.name, ...members });
      },
    }),
  );
}

/**
 * The latest block of a node shows its chain and its height. Only its time shows which of two diverging nodes is wrong.
 * An operator's own set may lack that method; the built-in one has it.
 */
function chainSettings(
  { chainId: id, nodes }: DeploymentSettings,
  sets: readonly LoadedSet[],
  image: Uint8Array,
): ChainSettings | undefined {
  if (id === "" && nodes.filter(({ kind }) => kind !== "embedded").length < 2) return undefined;
  const among = (methods: readonly BoundMethod[]) => methods.find(({ path }) => path === LATEST_BLOCK);
  const latestBlock = among(sets.flatMap(({ schema }) => schema.methods)) ?? among(openSchema(image).methods);
  return latestBlock === undefined ? undefined : { id, latestBlock };
}

/** Statuses for a request that asks for too much, or for something that does not exist: not a failure of the node. */
const ORDINARY: readonly unknown[] = [
  GRPC.invalidArgument,
  GRPC.notFound,
  GRPC.alreadyExists,
  GRPC.permissionDenied,
  GRPC.failedPrecondition,
  GRPC.outOfRange,
  GRPC.unimplemented,
];

function isOrdinary({ reason, code, kind }: Readonly<Record<string, unknown>>): boolean {
  // Only the embedded node's callers exhaust it, and each of them gets the refusal.
  const isBudget = kind === "embedded" && code === GRPC.resourceExhausted;
  return reason === "status" && (ORDINARY.includes(code) || isBudget);
}

/** The value of `embedded.seed` for the built-in sample. */
const SAMPLE = "sample";

/**
 * `embedded.seed` names a variable that contains JSON, or the sample, which is the default in development. Otherwise
 * there is none.
 */
function seedNamed(name: string | undefined, env: object, isDevelopment: boolean): Result<Seed | undefined, string> {
  if (name === SAMPLE || (name === undefined && isDevelopment)) return success(sampleSeed);
  if (name === undefined) return success(undefined);
  const text: unknown = new Map<string, unknown>(Object.entries(env)).get(name);
  const json = typeof text === "string" ? parseJson(text) : failure("");
  if (!json.ok || !isJsonObject(json.value)) return failure(`embedded.seed: ${name} does not contain a JSON object`);
  return success(json.value as Seed);
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

/** `kind-1` and so on for nodes without a name. */
export function nameOfNode(
  { name, kind }: Pick<DeploymentSettings["nodes"][number], "name" | "kind">,
  index: number,
): string {
  return name ?? `${kind}-${index + 1}`;
}
