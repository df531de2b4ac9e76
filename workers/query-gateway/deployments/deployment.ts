/**
 * One chain profile with its parts: its routes, response printing, nodes, and access. Built once per isolate; any fault
 * in its configuration is reported here at the latest.
 */
import { createAttemptLimit } from "../../../platform/http/attempt-limit.ts";
import { failure, success, type Result } from "../../../platform/result.ts";
import { createAccessCheck, createRequestRate, type CheckAccess } from "../access/access.ts";
import { createAuthentication } from "../access/authenticate.ts";
import { createMessageWriter, type MessageWriter } from "../json/message-writer.ts";
import type { BoundMethod } from "../transcoding/http-rule.ts";
import type { RoutePlan } from "../transcoding/routes.ts";
import type { StatusDetail, Upstream } from "../upstream/upstream.ts";
import type { GatewayConfig } from "./config.ts";
import type { LoadedSet } from "./images.ts";
import { upstreamFor, type NodePlatform } from "./nodes.ts";
import { nearestPath, unknownPath, planFor, type RoutePlatform } from "./route-plan.ts";
import { USUAL_RATE_PER_MINUTE, type DeploymentSettings } from "./settings.ts";

/** A method of the profile's descriptor sets, with the profile's settings. */
export interface ServedMethod {
  readonly bound: BoundMethod;
  readonly set: LoadedSet;
  readonly writer: MessageWriter;
  /** Refused with 501, whatever the nodes support. */
  readonly isDisabled: boolean;
  /** May have side effects, so no second node is called after the first has failed. */
  readonly isWriting: boolean;
}

export interface Deployment {
  readonly settings: DeploymentSettings;
  /**
   * Identifies the source of responses as text: the environment, the nodes, and the embedded node's data. Part of every
   * cache key.
   */
  readonly origin: string;
  readonly plan: RoutePlan;
  readonly methods: ReadonlyMap<BoundMethod, ServedMethod>;
  /** The hint that development adds to a 404. */
  readonly hintFor: (path: string) => readonly StatusDetail[];
  readonly upstream: Upstream;
  /** The path of CometBFT's JSON-RPC; absent if it is off, or if a route has its path. */
  readonly rpcPath?: string;
  /** Absent if access is open and unlimited. */
  readonly checkAccess?: CheckAccess;
}

/** Every request costs a database read or a call to a node, so there is a default rate. */
const usualRate = { perMinute: USUAL_RATE_PER_MINUTE, by: "ip" } as const;

export type DeploymentPlatform = NodePlatform & RoutePlatform;

export function buildDeployment(
  settings: DeploymentSettings,
  sets: readonly LoadedSet[],
  config: GatewayConfig,
  platform: DeploymentPlatform,
): Result<Deployment, readonly string[]> {
  const plan = planFor(settings, sets, platform);
  if (!plan.ok) return plan;
  const upstream = upstreamFor(settings, sets, config, platform);
  if (!upstream.ok) return failure([upstream.error]);
  const checkAccess = accessCheckFor(settings, config, platform.clock);
  for (const { name, schema } of sets)
    for (const method of schema.excluded) platform.log.warn("method-excluded", { set: name, method });
  return success({
    settings,
    origin: JSON.stringify([config.environment, settings.nodes, settings.embedded, platform.source.isPublic]),
    plan: plan.value,
    methods: servedMethods(settings, sets),
    hintFor: (path) => {
      if (!config.isDevelopment) return [];
      const nearest = nearestPath(plan.value.routes, path);
      return [unknownPath({ deployment: settings.name, ...(nearest !== undefined && { nearest }) })];
    },
    upstream: upstream.value,
    ...rpcPathOf(settings, plan.value),
    ...(checkAccess && { checkAccess }),
  });
}

function rpcPathOf(
  { rpc, gate, protocolPrefix }: DeploymentSettings,
  { table }: RoutePlan,
): { readonly rpcPath?: string } {
  const rpcPath = `/${protocolPrefix}/rpc`;
  const isFree = [rpcPath, `${rpcPath}/status`].every((path) => !table.allowed(path).ok);
  return (rpc.enabled ?? gate.mode === "none") && isFree ? { rpcPath } : {};
}

/** These send or simulate transactions; VerifyMembership is expensive for a node. */
const DISABLED: readonly string[] = [
  ...["BroadcastTx", "Simulate", "TxEncode", "TxDecode", "TxEncodeAmino", "TxDecodeAmino"].map(
    (name) => `cosmos.tx.v1beta1.Service/${name}`,
  ),
  "ibc.core.client.v1.Query/VerifyMembership",
];
/** The one method of a chain's query services that writes. */
const WRITING: readonly string[] = ["cosmos.tx.v1beta1.Service/BroadcastTx"];
const TRANSACTION_SERVICE = /(?:^|\.)Msg\//;

/** Entries of `disabled`, `enabled` and `once` are `package.Service/Method`, or a prefix followed by `*`. */
function servedMethods(
  {
    json,
    disabled,
    enabled,
    upstream: { once },
  }: Pick<DeploymentSettings, "json" | "disabled" | "enabled" | "upstream">,
  sets: readonly LoadedSet[],
): ReadonlyMap<BoundMethod, ServedMethod> {
  const disabledEntries = [...DISABLED.filter((path) => !isListed(enabled, path)), ...disabled];
  const writingEntries = [...WRITING, ...once];
  const methods = new Map<BoundMethod, ServedMethod>();
  for (const set of sets) {
    const writer = createMessageWriter({ registry: set.schema.registry, unknownAny: json.unknownAny });
    for (const bound of set.schema.methods) {
      const isDisabled = isListed(disabledEntries, bound.path);
      const isWriting = TRANSACTION_SERVICE.test(bound.path) || isListed(writingEntries, bound.path);
      methods.set(bound, { bound, set, writer, isDisabled, isWriting });
    }
  }
  return methods;
}

function isListed(entries: readonly string[], path: string): boolean {
  return entries.some((entry) => (entry.endsWith("*") ? path.startsWith(entry.slice(0, -1)) : path === entry));
}

function accessCheckFor(
  { gate, rate: configuredRate }: DeploymentSettings,
  { secrets, isDevelopment }: GatewayConfig,
  clock: () => number,
): CheckAccess | undefined {
  const rate = configuredRate ?? (isDevelopment ? "off" : usualRate);
  if (gate.mode === "none" && rate === "off") return undefined;
  return createAccessCheck({
    ...(gate.mode !== "none" && {
      authenticate: createAuthentication({
        mode: gate.mode,
        open: gate.open,
        keys: gate.keys.map(({ secret, label, allow }) => ({
          label,
          secret: secrets.get(secret) ?? "",
          ...(allow && { allow }),
        })),
      }),
    }),
    ...(rate !== "off" && { rate: { waitOf: createRequestRate(rate, clock), by: rate.by } }),
    ...(!isDevelopment && { attempts: createAttemptLimit(clock) }),
  });
}
