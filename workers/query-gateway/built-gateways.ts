/**
 * The gateway of each environment, built at its first request and kept; requests that come meanwhile wait for that one, or their
 * caches, circuits and counts would be apart. What could not be built is tried anew after a pause: an image may have been out of
 * reach for a moment only.
 */
import type { ConfigProblem } from "../platform/config.ts";
import type { Result } from "../platform/result.ts";
import { createSingleFlight, type SingleFlight } from "./answer/single-flight.ts";
import { buildGateway, type Gateway, type GatewayParts } from "./gateway.ts";

export type BuiltGateway = Result<Gateway, readonly ConfigProblem[]>;

export interface BuiltGateways {
  readonly of: (env: Env) => Promise<BuiltGateway>;
  /** Nothing before the first request. */
  readonly known: (env: Env) => BuiltGateway | undefined;
}

/** Milliseconds before what could not be built is tried anew. */
export const BUILD_PAUSE_MS = 10_000;
/** Milliseconds that a request waits for what another is building: that one may have been cancelled, and never end. */
const BUILD_PATIENCE_MS = 3_000;

export function createBuiltGateways(partsOf: (env: Env) => GatewayParts): BuiltGateways {
  const built = new WeakMap<Env, BuiltGateway>();
  const triedAt = new WeakMap<Env, number>();
  const builds = new WeakMap<Env, SingleFlight<BuiltGateway>>();

  async function build(env: Env, parts: GatewayParts): Promise<BuiltGateway> {
    const previous = built.get(env);
    const gateway = await buildGateway(env, parts, previous?.ok === true ? previous.value : undefined);
    const problems = gateway.ok ? gateway.value.problems : gateway.error;
    if (problems.length > 0)
      parts.log.error("configuration-wrong", {
        faults: problems.map(({ variable, message }) => `${variable} ${message}`),
      });
    triedAt.set(env, parts.clock());
    // Another request may have been faster.
    const other = built.get(env);
    if (other !== previous && other?.ok === true && !other.value.mayMend) return other;
    built.set(env, gateway);
    return gateway;
  }

  return {
    known: (env) => built.get(env),
    of: async (env) => {
      const known = built.get(env);
      if (known?.ok === true && !known.value.mayMend) return known;
      const parts = partsOf(env);
      if (known !== undefined && parts.clock() - (triedAt.get(env) ?? 0) < BUILD_PAUSE_MS) return known;
      const flights = builds.get(env) ?? createSingleFlight<BuiltGateway>(parts.clock);
      builds.set(env, flights);
      const waiter = { patienceMs: BUILD_PATIENCE_MS };
      const shared = await flights.share(
        "gateway",
        waiter,
        async () => build(env, parts),
        () => undefined,
      );
      return shared.kind === "landed" ? shared.value : build(env, parts);
    },
  };
}
