/** What the gateway tells of its nodes (contract D, section 1; decisions 1.3). Asks none: it tells what requests have found out. */
import type { JsonObject } from "../platform/json.ts";
import type { BuiltGateway } from "./built-gateways.ts";
import { readGatewayConfig } from "./deployments/config.ts";
import { nameOfNode } from "./deployments/nodes.ts";

export interface GatewayHealth extends JsonObject {
  /** `error` when no node of some deployment is asked any more. */
  readonly status: "ok" | "error";
  readonly nodes: readonly JsonObject[];
}

/** `gateway` is absent while no request has come; one that could not be built is told of by the problems of configuration. */
export function healthOf(env: object, gateway: BuiltGateway | undefined): GatewayHealth {
  if (gateway?.ok !== true) return { status: "ok", nodes: configuredNodes(env) };
  const states = gateway.value.deployments.map(({ upstream }) => upstream.nodes());
  const isDown = states.some((nodes) => nodes.every(({ state }) => state === "open"));
  return {
    status: isDown ? "error" : "ok",
    nodes: states.flat().map(({ name, kind, state, height }) => ({
      name,
      kind,
      state,
      height: height === undefined ? null : height.toString(),
    })),
  };
}

function configuredNodes(env: object): readonly JsonObject[] {
  const config = readGatewayConfig(env);
  if (!config.ok) return [];
  return config.value.deployments.flatMap(({ nodes }) =>
    nodes.map((node, index) => ({ name: nameOfNode(node, index), kind: node.kind, state: "ok", height: null })),
  );
}
