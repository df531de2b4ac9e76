/**
 * The gateway's health record: its nodes and its configuration. Calls no node: it reports what requests have found out.
 */
import type { ConfigProblem } from "../../platform/config.ts";
import type { JsonObject } from "../../platform/json.ts";
import { problem, readGatewayConfig } from "./deployments/config.ts";
import { nameOfNode } from "./deployments/nodes.ts";
import { prefixCollisions, type RoutePlatform } from "./deployments/route-plan.ts";
import type { BuiltGateway } from "./gateway.ts";
import type { NodeState } from "./upstream/upstream.ts";

export interface GatewayHealth extends JsonObject {
  /** `error` if a profile is wrong, or if no node of some profile can be reached. */
  readonly status: "ok" | "error";
  readonly nodes: readonly JsonObject[];
}

export interface KnownProblems {
  readonly problems: readonly ConfigProblem[];
  /** No valid profile is left. */
  readonly isDown: boolean;
}

/** `gateway` is absent before the first request: then only faults outside the descriptor sets are reported. */
export function knownProblems(
  env: object,
  gateway: BuiltGateway | undefined,
  otherOwnerOf: RoutePlatform["otherOwnerOf"],
): KnownProblems {
  if (gateway !== undefined)
    return gateway.ok ? { problems: gateway.value.problems, isDown: false } : { problems: gateway.error, isDown: true };
  const config = readGatewayConfig(env);
  if (!config.ok) return { problems: config.error, isDown: true };
  const { deployments, broken, indexes, problems } = config.value;
  const colliding = deployments.map((settings) =>
    prefixCollisions(settings, otherOwnerOf).map((reason) =>
      problem(`/deployments/${indexes.get(settings) ?? 0}: ${reason}`),
    ),
  );
  return {
    problems: [...problems, ...broken.flatMap((each) => each.problems), ...colliding.flat()],
    isDown: colliding.every((each) => each.length > 0),
  };
}

export function healthOf(
  env: object,
  gateway: BuiltGateway | undefined,
  { problems }: Pick<KnownProblems, "problems">,
): GatewayHealth {
  const known = statesOf(gateway)
    .flat()
    .map(({ name, kind, state, height }) => ({
      name,
      kind,
      state,
      height: height === undefined ? null : height.toString(),
    }));
  return {
    status: statesOf(gateway).some(areDown) || problems.length > 0 ? "error" : "ok",
    nodes: gateway?.ok === true ? known : configuredNodes(env),
    ...(problems.length > 0 && { problems: problems.map(({ variable, message }) => ({ variable, message })) }),
  };
}

/** Whether no profile has a responding node. */
export function areAllNodesDown(gateway: BuiltGateway | undefined): boolean {
  const deployments = statesOf(gateway);
  return deployments.length > 0 && deployments.every(areDown);
}

function areDown(nodes: readonly NodeState[]): boolean {
  return nodes.every(({ state }) => state === "open" || state === "other-chain");
}

function statesOf(gateway: BuiltGateway | undefined): readonly (readonly NodeState[])[] {
  return gateway?.ok === true ? gateway.value.deployments.map(({ upstream }) => upstream.nodes()) : [];
}

function configuredNodes(env: object): readonly JsonObject[] {
  const config = readGatewayConfig(env);
  if (!config.ok) return [];
  return config.value.deployments.flatMap(({ nodes }) =>
    nodes.map((node, index) => ({ name: nameOfNode(node, index), kind: node.kind, state: "ok", height: null })),
  );
}
