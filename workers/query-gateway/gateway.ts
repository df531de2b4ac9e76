/**
 * The gateway of one environment: its descriptor sets, its chain profiles, and their shared parts. Built at the first
 * request and cached per isolate; requests that arrive during the build wait for it. A failed build is retried after a
 * pause, because a descriptor set may be unavailable only briefly.
 */
import type { ConfigProblem } from "../../platform/config.ts";
import { failure, success, type Result } from "../../platform/result.ts";
import { problem, readGatewayConfig, type DeploymentMatch, type GatewayConfig } from "./deployments/config.ts";
import { buildDeployment, type Deployment, type DeploymentPlatform } from "./deployments/deployment.ts";
import { loadSets, type LoadedSet } from "./deployments/images.ts";
import type { DeploymentSettings } from "./deployments/settings.ts";
import { createAnswerCache, type AnswerCache } from "./serve/answer-cache.ts";
import { createSingleFlight, type SingleFlight } from "./serve/single-flight.ts";
import type { SharedOutcome } from "./serve/request-context.ts";

export interface Gateway {
  readonly config: GatewayConfig;
  readonly deployments: readonly Deployment[];
  /** In the order of the configuration: the first that matches a request answers it. */
  readonly entries: readonly Entry[];
  /** Faults outside the profiles. */
  readonly problems: readonly ConfigProblem[];
  /** Some descriptor set could not be read, which may change soon. */
  readonly mayRecover: boolean;
  readonly cache: AnswerCache;
  /** Calls in flight of all profiles: their keys differ. */
  readonly calls: SingleFlight<SharedOutcome>;
}

interface Entry {
  readonly index: number;
  readonly match: DeploymentMatch;
  /** Absent if the profile is wrong. Its requests go to no other profile, which may have other access rules. */
  readonly deployment?: Deployment;
}

/** A host can be named with or without its port. */
export function entryFor({ entries }: Gateway, { url }: Request, path: string): Entry | undefined {
  return entries.find(({ match: { host, mount } }) => {
    if (mount !== undefined && !path.startsWith(`${mount}/`)) return false;
    if (host === undefined) return true;
    const requested = new URL(url).host;
    return host === requested || host === requested.replace(/:\d+$/, "");
  });
}

interface GatewayPlatform extends Omit<DeploymentPlatform, "env"> {
  readonly sharedCache: () => Pick<Cache, "match" | "put"> | undefined;
}

export type BuiltGateway = Result<Gateway, readonly ConfigProblem[]>;

interface BuiltGateways {
  readonly of: (env: Env) => Promise<BuiltGateway>;
  /** Undefined before the first request. */
  readonly known: (env: Env) => BuiltGateway | undefined;
}

/** Milliseconds before a failed build is retried. */
export const BUILD_PAUSE_MS = 10_000;
/**
 * Milliseconds that a request waits for another's build: that request may have been cancelled, and its build never
 * ends.
 */
const BUILD_TIMEOUT_MS = 3_000;

interface Build {
  gateway?: BuiltGateway;
  /** Unix milliseconds. */
  triedAt: number;
  readonly running: SingleFlight<BuiltGateway>;
}

export function createBuiltGateways(platformOf: (env: Env) => GatewayPlatform): BuiltGateways {
  const builds = new WeakMap<Env, Build>();

  async function run(env: Env, build: Build, platform: GatewayPlatform): Promise<BuiltGateway> {
    const previous = build.gateway;
    const gateway = await buildGateway(env, platform, previous?.ok === true ? previous.value : undefined);
    const problems = gateway.ok ? gateway.value.problems : gateway.error;
    if (problems.length > 0)
      platform.log.error("configuration-wrong", {
        problems: problems.map(({ variable, message }) => `${variable} ${message}`),
      });
    build.triedAt = platform.clock();
    // Another request may have been faster.
    const other = build.gateway;
    if (other !== previous && other?.ok === true && !other.value.mayRecover) return other;
    return (build.gateway = gateway);
  }

  return {
    known: (env) => builds.get(env)?.gateway,
    of: async (env) => {
      const known = builds.get(env)?.gateway;
      if (known?.ok === true && !known.value.mayRecover) return known;
      const platform = platformOf(env);
      const build = builds.get(env) ?? { triedAt: 0, running: createSingleFlight<BuiltGateway>(platform.clock) };
      builds.set(env, build);
      if (known !== undefined && platform.clock() - build.triedAt < BUILD_PAUSE_MS) return known;
      const shared = await build.running.share(
        "gateway",
        { timeoutMs: BUILD_TIMEOUT_MS },
        async () => run(env, build, platform),
        () => undefined,
      );
      return shared.kind === "shared" ? shared.value : run(env, build, platform);
    },
  };
}

/** `previous`: the result of an earlier attempt with this configuration; its profiles are reused. */
async function buildGateway(env: object, platform: GatewayPlatform, previous?: Gateway): Promise<BuiltGateway> {
  const read = readGatewayConfig(env);
  if (!read.ok) return read;
  const config = read.value;
  const sets = await loadSets(config, env, platform.image);
  const problems: ConfigProblem[] = [...config.problems, ...config.broken.flatMap((each) => each.problems)];
  const entries: Entry[] = config.broken.flatMap(({ index, match }) => (match === undefined ? [] : [{ index, match }]));
  let mayRecover = false;
  for (const settings of config.deployments) {
    const index = config.indexes.get(settings) ?? 0;
    const used = settings.sets.flatMap((name) => sets.get(name) ?? []);
    mayRecover ||= used.some(({ ok }) => !ok);
    const known = previous?.deployments.find((each) => each.settings === settings);
    const built = known === undefined ? build(settings, used, config, { ...platform, env }) : success(known);
    entries.push({ index, match: settings.match, ...(built.ok && { deployment: built.value }) });
    if (!built.ok) problems.push(...built.error.map(problem));
  }
  const deployments = entries.flatMap(({ deployment }) => deployment ?? []);
  if (deployments.length === 0) return failure(problems);
  return success({
    config,
    deployments,
    entries: entries.toSorted((one, other) => one.index - other.index),
    problems,
    mayRecover,
    cache: previous?.cache ?? createAnswerCache(platform.clock, platform.sharedCache),
    calls: previous?.calls ?? createSingleFlight<SharedOutcome>(platform.clock),
  });
}

function build(
  settings: DeploymentSettings,
  sets: readonly Result<LoadedSet, string>[],
  config: GatewayConfig,
  platform: DeploymentPlatform,
): Result<Deployment, readonly string[]> {
  const unread = sets.flatMap((set) => (set.ok ? [] : [set.error]));
  if (unread.length > 0) return failure(unread);
  const loaded = sets.flatMap((set) => (set.ok ? [set.value] : []));
  const built = buildDeployment(settings, loaded, config, platform);
  const pointer = `/deployments/${config.indexes.get(settings) ?? 0}`;
  return built.ok ? built : failure(built.error.map((reason) => `${pointer}: ${reason}`));
}
