/**
 * One deployment, put together: its routes, what prints its answers, its nodes, who may use it. Built once per isolate; whatever
 * is wrong with its configuration is reported here at the latest.
 */
import { createAttemptLimit } from "../../platform/http/attempt-limit.ts";
import { failure, success, type Result } from "../../platform/result.ts";
import { createAdmission, type Admit, createRequestRate } from "../access/access.ts";
import { createGate, type GateKey } from "../access/authenticate.ts";
import type { FaultDetail } from "../gateway-fault.ts";
import { createMessageWriter, type MessageWriter } from "../json/message-writer.ts";
import type { BoundMethod } from "../transcoding/http-rule.ts";
import type { RoutePlan } from "../transcoding/routes.ts";
import type { Upstream } from "../upstream/upstream.ts";
import type { GatewayConfig } from "./config.ts";
import type { LoadedSet } from "./images.ts";
import { upstreamFor, type NodePlatform } from "./nodes.ts";
import { nearestPath, unknownPath, planFor, type RoutePlatform } from "./route-plan.ts";
import { USUAL_RATE_PER_MINUTE, type DeploymentSettings } from "./settings.ts";

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

/** They write, or work as if one wrote; the last costs a node much. */
const DISABLED: readonly string[] = [
  ...["BroadcastTx", "Simulate", "TxEncode", "TxDecode", "TxEncodeAmino", "TxDecodeAmino"].map(
    (name) => `cosmos.tx.v1beta1.Service/${name}`,
  ),
  "ibc.core.client.v1.Query/VerifyMembership",
];

/** Entries are `package.Service/Method`, or a start of one and `*`. `enabled` takes entries out of the built-in list. */
function disabledMethods(disabled: readonly string[], enabled: readonly string[]): (method: BoundMethod) => boolean {
  const entries = [...DISABLED.filter((path) => !enabled.some((entry) => covers(entry, path))), ...disabled];
  return ({ path }) => entries.some((entry) => covers(entry, path));
}

function covers(entry: string, path: string): boolean {
  return entry.endsWith("*") ? path.startsWith(entry.slice(0, -1)) : path === entry;
}

/** The one method of a chain's query services that writes. */
const WRITING: readonly string[] = ["cosmos.tx.v1beta1.Service/BroadcastTx"];
const TRANSACTION_SERVICE = /(?:^|\.)Msg\//;

/** `once`: `package.Service/Method`, or a start of one and `*`. */
function writingMethods(once: readonly string[]): (method: BoundMethod) => boolean {
  const entries = [...WRITING, ...once];
  return ({ path }) => TRANSACTION_SERVICE.test(path) || entries.some((entry) => covers(entry, path));
}

/** POST carries the queries whose request is too large for a URL. Other methods say that they change something. */
export function isReadVerb(httpMethod: string): boolean {
  return httpMethod === "GET" || httpMethod === "POST";
}
