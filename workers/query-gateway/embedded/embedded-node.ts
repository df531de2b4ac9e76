/**
 * The node that is always there (contract D, section 8): services over the image's own descriptors, asked in the same isolate.
 * It says of itself what a wallet asks first. Entities and DID documents come from the domain registry, claims and tokens from a seed where there is one; what has no
 * handler is unimplemented. Messages pass as they are: through Connect's in-memory transport, which packs and unpacks them, a call took
 * twenty times as long.
 */
import { create, type Registry } from "@bufbuild/protobuf";
import type { EntitySource } from "../../platform/ports.ts";
import { failure, success, type Result } from "../../platform/result.ts";
import { GRPC } from "../gateway-fault.ts";
import { nodeSaid } from "../upstream/node-failures.ts";
import type { NodeClient, NodeFailure, NodeTry, UpstreamAnswer } from "../upstream/upstream.ts";
import { invalid, type Handler } from "./handler.ts";
import { chainHandlers, DEFAULT_CHAIN_ID, registryHandlers } from "./registry-services.ts";
import { seedHandlers } from "./seed-services.ts";
import { seedMessages, seedProblem, type Seed } from "./seed.ts";

export interface EmbeddedParts {
  /** Of the set whose services it answers. */
  readonly registry: Registry;
  readonly source: EntitySource;
  readonly relayerNode: string;
  /** Of the deployment; empty: the default one. */
  readonly chainId: string;
  /** Unix milliseconds. */
  readonly clock: () => number;
  /** Claims, tokens and parameters. Without one, those methods are unimplemented: nothing is made up. */
  readonly seed?: Seed;
}

/** The node, or what is wrong with its seed. */
export function createEmbeddedNode({
  registry,
  source,
  relayerNode,
  chainId,
  clock,
  seed,
}: EmbeddedParts): Result<NodeClient, string> {
  const wrong = seed && seedProblem(seed, registry);
  if (wrong !== undefined) return failure(wrong);
  const messages = seed && seedMessages(seed, registry);
  const services = {
    ...chainHandlers({ source, chainId: chainId || DEFAULT_CHAIN_ID, clock }),
    ...registryHandlers({ source, relayerNode }, () => messages?.entityParams[0] ?? {}),
    ...(messages && seedHandlers(messages, source)),
  };
  const handlers = new Map<string, Handler>(
    Object.entries(services).flatMap(([service, methods]) =>
      Object.entries(methods).map(([name, handler]) => [`${service}/${name}`, handler] as const),
    ),
  );

  async function call({ bound, message, height }: NodeTry): Promise<Result<UpstreamAnswer, NodeFailure>> {
    const handler = handlers.get(bound.path);
    if (handler === undefined) return unimplemented(bound.path);
    const answer = await handler(message);
    const current = answer.ok ? answer.value.height : answer.error.height;
    if (height !== undefined && current !== undefined && height !== current) {
      const refusal = invalid(`this node knows its latest height ${current} alone`).error;
      return failure(nodeSaid({ ...refusal, height: current }));
    }
    if (!answer.ok) return failure(nodeSaid(answer.error));
    const answered = create(bound.method.output, answer.value.response as never);
    return success({ kind: "message", message: answered, height: answer.value.height });
  }

  // None of its services streams.
  return success({ call, stream: async ({ bound }) => unimplemented(bound.path) });
}

function unimplemented(path: string): { readonly ok: false; readonly error: NodeFailure } {
  const name = path.slice(path.lastIndexOf("/") + 1);
  return failure(nodeSaid({ code: GRPC.unimplemented, message: `${name} is not served here` }));
}
