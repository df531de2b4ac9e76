/**
 * The gateway of each environment, built at its first request and kept. What could not be built is tried anew after a pause:
 * an image may have been out of reach for a moment only.
 */
import type { ConfigProblem } from "../platform/config.ts";
import type { Result } from "../platform/result.ts";
import { buildGateway, type Gateway, type GatewayParts } from "./gateway.ts";

export type BuiltGateway = Result<Gateway, readonly ConfigProblem[]>;

export interface BuiltGateways {
  readonly of: (env: Env) => Promise<BuiltGateway>;
  /** Nothing before the first request. */
  readonly known: (env: Env) => BuiltGateway | undefined;
}

/** Milliseconds before what could not be built is tried anew. */
export const BUILD_PAUSE_MS = 10_000;

export function createBuiltGateways(partsOf: (env: Env) => GatewayParts): BuiltGateways {
  // Values, never promises: one of a cancelled request would never settle for others.
  const built = new WeakMap<Env, BuiltGateway>();
  const failedAt = new WeakMap<Env, number>();
  return {
    known: (env) => built.get(env),
    of: async (env) => {
      const known = built.get(env);
      if (known?.ok === true) return known;
      const parts = partsOf(env);
      if (known !== undefined && parts.clock() - (failedAt.get(env) ?? 0) < BUILD_PAUSE_MS) return known;
      const gateway = await buildGateway(env, parts);
      if (!gateway.ok) {
        parts.log.error("configuration-wrong", { faults: gateway.error.map(({ message }) => message) });
        failedAt.set(env, parts.clock());
      }
      built.set(env, gateway);
      return gateway;
    },
  };
}
