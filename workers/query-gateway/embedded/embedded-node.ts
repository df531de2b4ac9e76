/**
 * The built-in node: services over the descriptor set's own descriptors, in this isolate. It reports its chain, as a
 * wallet asks first. Entities and DID documents come from the domain registry, claims and tokens from sample data if
 * there is any; every other method is unimplemented. Messages are passed as objects, because encoding and decoding them
 * took twenty times as long.
 */
import { create, type Registry } from "@bufbuild/protobuf";
import type { EntityReads, EntitySource } from "../../../platform/ports.ts";
import { failure, success, type Result } from "../../../platform/result.ts";
import {
  GRPC,
  type NodeClient,
  type NodeFailure,
  type NodeStatus,
  type NodeTry,
  type UpstreamAnswer,
} from "../upstream/upstream.ts";
import { atRevision, invalid, type Handler, type Handlers } from "./handler.ts";
import { registryHandlers } from "./registry-services.ts";
import { seedHandlers } from "./seed-services.ts";
import { seedMessages, seedProblem, type Seed } from "./seed.ts";

export interface EmbeddedOptions {
  /** The registries of all sets whose services it answers. */
  readonly registries: readonly Registry[];
  readonly source: EntitySource;
  readonly relayerNode: string;
  /** Whether the profile has a gate. */
  readonly isGated: boolean;
  /** The profile's chain; empty for the default one. */
  readonly chainId: string;
  /** Unix milliseconds. */
  readonly clock: () => number;
  /** Claims, tokens and parameters. Without them, those methods are unimplemented: nothing is invented. */
  readonly seed?: Seed;
}

/** For a profile that names no chain, because wallets and clients require an id. */
const DEFAULT_CHAIN_ID = "twinedge-1";
const MONIKER = "twinedge";

/** The node, or the fault in its sample data. */
export function createEmbeddedNode({ registries, ...options }: EmbeddedOptions): Result<NodeClient, string> {
  const { seed } = options;
  const handlers = new Map<Registry, ReadonlyMap<string, Handler>>();
  for (const registry of registries) {
    const wrong = seed && seedProblem(seed, registry);
    if (wrong !== undefined) return failure(wrong);
    handlers.set(registry, handlersFor(registry, options));
  }

  async function call({ bound, message, height }: NodeTry): Promise<Result<UpstreamAnswer, NodeFailure>> {
    const handler = handlers.get(bound.registry)?.get(bound.path);
    if (handler === undefined) return success(unimplemented(bound.path));
    const answer = await handler(message);
    const current = answer.ok ? answer.value.height : answer.error.height;
    if (height !== undefined && current !== undefined && height !== current)
      return success({ ...otherHeight(current).error, height: current });
    if (!answer.ok) return success(answer.error);
    const answered = create(bound.method.output, answer.value.response as never);
    return success({ kind: "message", message: answered, height: answer.value.height });
  }

  // None of its services streams.
  return success({ call, stream: async ({ bound }) => success(unimplemented(bound.path)) });
}

function unimplemented(path: string): NodeStatus {
  const name = path.slice(path.lastIndexOf("/") + 1);
  return { kind: "status", code: GRPC.unimplemented, message: `${name} is not served here` };
}

function otherHeight(current: bigint) {
  return invalid(`this node serves only its latest height ${current}`);
}

function handlersFor(
  registry: Registry,
  { source, relayerNode, isGated, chainId, clock, seed }: Omit<EmbeddedOptions, "registries">,
): ReadonlyMap<string, Handler> {
  const messages = seed && seedMessages(seed, registry);
  const reads = isGated ? source : source.anonymous;
  const services = {
    ...chainHandlers(reads, chainId || DEFAULT_CHAIN_ID, clock),
    ...registryHandlers({
      reads,
      isOpen: isGated ? { entities: true, documents: true } : source.isPublic,
      relayerNode,
      entityParams: () => messages?.of("entityParams")[0] ?? {},
    }),
    ...(messages && seedHandlers(messages, reads)),
  };
  return new Map(
    Object.entries(services).flatMap(([service, methods]) =>
      Object.entries(methods).map(([name, handler]) => [`${service}/${name}`, handler] as const),
    ),
  );
}

/** The registry is the chain: its newest change is the height, and its latest block has the time of the request. */
function chainHandlers(source: EntityReads, chainId: string, clock: () => number): Handlers {
  function blockAt(height: bigint): object {
    const now = clock();
    const time = { seconds: BigInt(Math.floor(now / 1000)), nanos: (now % 1000) * 1_000_000 };
    // There are no transactions and no validators, so nothing is hashed or signed.
    const block = { header: { chainId, height, time }, data: {}, evidence: {} };
    return { blockId: {}, block, sdkBlock: block };
  }
  const latestBlock = atRevision(source, (_request, height) => success(blockAt(height)));
  const nodeInfo = {
    defaultNodeInfo: { network: chainId, moniker: MONIKER },
    applicationVersion: { name: MONIKER, appName: MONIKER },
  };
  return {
    "cosmos.base.tendermint.v1beta1.Service": {
      GetNodeInfo: atRevision(source, () => success(nodeInfo)),
      GetSyncing: atRevision(source, () => success({ syncing: false })),
      GetLatestBlock: latestBlock,
      GetBlockByHeight: async (request) => {
        const answer = await latestBlock(request);
        return !answer.ok || request["height"] === answer.value.height ? answer : otherHeight(answer.value.height);
      },
    },
  };
}
