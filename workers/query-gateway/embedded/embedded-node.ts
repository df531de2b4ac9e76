/**
 * The node that is always there: services over the image's own descriptors, in the same isolate. It reports which chain it is, as a
 * wallet asks first; entities and DID documents come from the domain registry, claims and tokens from a seed where there is one;
 * every other method is unimplemented. Messages pass as objects: packing and unpacking them took twenty times as long.
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
  /** Of each set whose services it answers. */
  readonly registries: readonly Registry[];
  readonly source: EntitySource;
  readonly relayerNode: string;
  /** Whether the deployment has a gate. */
  readonly isGated: boolean;
  /** Of the deployment; empty: the default one. */
  readonly chainId: string;
  /** Unix milliseconds. */
  readonly clock: () => number;
  /** Claims, tokens and parameters. Without one, those methods are unimplemented: nothing is invented. */
  readonly seed?: Seed;
}

/** Of a deployment that names no chain: wallets and clients accept none without an id. */
const DEFAULT_CHAIN_ID = "twinedge-1";
const MONIKER = "twinedge";

/** The node, or what is wrong with its seed. */
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

/** The registry is the chain: its newest change is the height, and its latest block is of the moment in which it is requested. */
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
