/**
 * One deployment, put together: its routes, what prints its answers, whom it asks, who may ask it. Built once per isolate;
 * what is wrong with its configuration comes out here at the latest, in words (contract D, section 1).
 */
import { createAttemptLimit } from "../../platform/http/attempt-limit.ts";
import { failure, success, type Result } from "../../platform/result.ts";
import { createAdmission, type Admit } from "../admission/admission.ts";
import { createGate, type GateKey } from "../admission/gate.ts";
import { createRequestRate } from "../admission/request-rate.ts";
import type { FaultDetail } from "../gateway-fault.ts";
import { createMessageWriter, type MessageWriter } from "../json/message-writer.ts";
import type { BoundMethod } from "../transcoding/http-rule.ts";
import type { RoutePlan } from "../transcoding/routes.ts";
import type { Upstream } from "../upstream/upstream.ts";
import type { GatewayConfig } from "./config.ts";
import { disabledMethods } from "./disabled-methods.ts";
import { nearestPath, unknownPath } from "./path-hint.ts";
import type { LoadedSet } from "./loaded-sets.ts";
import { upstreamFor, type NodePlatform } from "./nodes.ts";
import { planFor, type RoutePlatform } from "./planned-routes.ts";
import { USUAL_RATE_PER_MINUTE, type DeploymentSettings } from "./settings.ts";
import { writingMethods } from "./writing-methods.ts";

export interface MethodParts {
  readonly bound: BoundMethod;
  readonly set: LoadedSet;
  readonly writer: MessageWriter;
}

export interface Deployment {
  readonly settings: DeploymentSettings;
  readonly plan: RoutePlan;
  readonly partsOf: (method: BoundMethod) => MethodParts;
  readonly isDisabled: (method: BoundMethod) => boolean;
  /** What is told of a path that is none, in development. */
  readonly hintFor: (path: string) => readonly FaultDetail[];
  /** Whether the method may change something. */
  readonly isWriting: (method: BoundMethod) => boolean;
  readonly upstream: Upstream;
  /** Whether a request is let in at all. */
  readonly admit: Admit;
}

/** The embedded node reads the database at every request, and nodes cost what they cost. */
const usualRate = { perMinute: USUAL_RATE_PER_MINUTE, by: "ip" } as const;

export type DeploymentPlatform = NodePlatform & RoutePlatform;

export function buildDeployment(
  settings: DeploymentSettings,
  sets: readonly LoadedSet[],
  config: GatewayConfig,
  platform: DeploymentPlatform,
): Result<Deployment, readonly string[]> {
  const { clock, log } = platform;
  const plan = planFor(settings, sets, platform);
  if (!plan.ok) return plan;
  const upstream = upstreamFor(settings, sets, config, platform);
  if (!upstream.ok) return failure([upstream.error]);

  const parts = new Map<BoundMethod, MethodParts>();
  for (const set of sets) {
    const writer = createMessageWriter({ registry: set.schema.registry, unknownAny: settings.json.unknownAny });
    for (const bound of set.schema.methods) parts.set(bound, { bound, set, writer });
    for (const method of set.schema.leftOut) log.warn("method-left-out", { set: set.name, method });
  }
  const { gate } = settings;
  const rate = settings.rate ?? (config.isDevelopment ? "off" : usualRate);
  return success({
    settings,
    plan: plan.value,
    partsOf: (method) => {
      const found = parts.get(method);
      if (found === undefined) throw new Error(`${method.path} is in no set`);
      return found;
    },
    isDisabled: disabledMethods(settings.disabled, settings.enabled),
    hintFor: (path) => {
      if (!config.isDevelopment) return [];
      const nearest = nearestPath(plan.value.routes, path);
      return [unknownPath({ deployment: settings.name, ...(nearest !== undefined && { nearest }) })];
    },
    isWriting: writingMethods(settings.upstream.once),
    upstream: upstream.value,
    admit: createAdmission({
      ...(gate.mode !== "none" && { gate: createGate({ ...gate, keys: keysOf(gate.keys, config.secrets) }) }),
      ...(rate !== "off" && { rate: { waitOf: createRequestRate(rate, clock), by: rate.by } }),
      ...(!config.isDevelopment && { attempts: createAttemptLimit(clock) }),
    }),
  });
}

function keysOf(
  keys: Extract<DeploymentSettings["gate"], { mode: "bearer" | "apiKey" | "basic" }>["keys"],
  secrets: ReadonlyMap<string, string>,
): readonly GateKey[] {
  return keys.map(({ secret, label, allow }) => ({
    label,
    secret: secrets.get(secret) ?? "",
    ...(allow && { allow }),
  }));
}
