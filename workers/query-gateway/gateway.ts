/**
 * The gateway of one environment: its descriptor images, its deployments, and what they share. Built at the first request and
 * cached per isolate; requests that arrive during the build wait for it. A build that failed is retried after a pause, since an
 * image may be out of reach for a moment only.
 */
import type { ConfigProblem } from "../platform/config.ts";
import { isJsonObject } from "../platform/json.ts";
import { parseJson } from "../platform/parse-json.ts";
import { failure, success, type Result } from "../platform/result.ts";
import { problem, readGatewayConfig, type GatewayConfig, type DeploymentMatch } from "./deployments/config.ts";
import { buildDeployment, type Deployment, type DeploymentPlatform } from "./deployments/deployment.ts";
import { loadSets, type LoadedSet } from "./deployments/images.ts";
import type { DeploymentSettings } from "./deployments/settings.ts";
import { sampleSeed, type Seed } from "./embedded/seed.ts";
import { createAnswerCache, type AnswerCache } from "./serve/answer-cache.ts";
import { createSingleFlight, type SingleFlight } from "./serve/single-flight.ts";
import type { Made } from "./serve/unary-answer.ts";

export interface Gateway {
  readonly config: GatewayConfig;
  readonly deployments: readonly Deployment[];
  /** In the order of the configuration: the first that fits a request answers it. */
  readonly places: readonly Place[];
  /** What is wrong with the rest. */
  readonly problems: readonly ConfigProblem[];
  /** Some image could not be had, which may be over soon. */
  readonly mayMend: boolean;
  readonly cache: AnswerCache;
  /** Of all deployments: its keys tell them apart. */
  readonly flights: SingleFlight<Made>;
}

interface Place {
  readonly index: number;
  readonly match: DeploymentMatch;
  /** Absent: it is wrong, and what was meant for it is answered by nobody else. */
  readonly deployment?: Deployment;
}

interface GatewayParts extends DeploymentPlatform {
  readonly sharedCache: () => Pick<Cache, "match" | "put"> | undefined;
}

/** `previous`: what an earlier attempt has made of the same configuration; what was right in it stays as it is. */
async function buildGateway(
  env: object,
  platform: GatewayParts,
  previous?: Gateway,
): Promise<Result<Gateway, readonly ConfigProblem[]>> {
  const read = readGatewayConfig(env);
  if (!read.ok) return read;
  const config = read.value;
  const sets = await loadSets(config, env, platform.image);
  const problems: ConfigProblem[] = [...config.problems, ...config.broken.flatMap((each) => each.problems)];
  const places: Place[] = config.broken.flatMap(({ index, match }) => (match === undefined ? [] : [{ index, match }]));
  let mayMend = false;
  for (const settings of config.deployments) {
    const index = config.places.get(settings) ?? 0;
    const unread = settings.sets.flatMap((name) => faultIn(sets.get(name)));
    mayMend ||= unread.length > 0;
    const made = previous?.deployments.find((each) => each.settings === settings);
    const built = made === undefined ? buildOne(settings, { index, config, sets, env, platform }) : success(made);
    places.push({ index, match: settings.match, ...(built.ok && { deployment: built.value }) });
    if (!built.ok) problems.push(...built.error.map(problem));
  }
  const deployments = places.flatMap(({ deployment }) => deployment ?? []);
  if (deployments.length === 0) return failure(problems);
  return success({
    config,
    deployments,
    places: places.toSorted((one, other) => one.index - other.index),
    problems,
    mayMend,
    cache: previous?.cache ?? createAnswerCache(platform.clock, platform.sharedCache),
    flights: previous?.flights ?? createSingleFlight<Made>(platform.clock),
  });
}

interface BuildParts {
  readonly index: number;
  readonly config: GatewayConfig;
  readonly sets: Awaited<ReturnType<typeof loadSets>>;
  readonly env: object;
  readonly platform: GatewayParts;
}

function buildOne(
  settings: DeploymentSettings,
  { index, config, sets, env, platform }: BuildParts,
): Result<Deployment, readonly string[]> {
  const read = settings.sets.map((name) => sets.get(name));
  const unread = read.flatMap(faultIn);
  if (unread.length > 0) return failure(unread);
  const seed = seedNamed(settings.embedded.seed, env, config.isDevelopment);
  const used = read.flatMap((each) => (each?.ok === true ? [each.value] : []));
  const built = seed.ok
    ? buildDeployment(settings, used, config, { ...platform, ...(seed.value && { seed: seed.value }) })
    : failure([seed.error]);
  return built.ok ? built : failure(built.error.map((reason) => `/deployments/${index}: ${reason}`));
}

function faultIn(set: Result<LoadedSet, string> | undefined): readonly string[] {
  return set?.ok === false ? [set.error] : [];
}

/** The value of `embedded.seed` that asks for the built-in sample. */
const SAMPLE = "sample";

/** `embedded.seed` names a variable that holds JSON, or the sample, which development has unasked. Otherwise there is none. */
function seedNamed(name: string | undefined, env: object, isDevelopment: boolean): Result<Seed | undefined, string> {
  if (name === SAMPLE || (name === undefined && isDevelopment)) return success(sampleSeed);
  if (name === undefined) return success(undefined);
  const text: unknown = new Map<string, unknown>(Object.entries(env)).get(name);
  const json = typeof text === "string" ? parseJson(text) : failure("");
  if (!json.ok || !isJsonObject(json.value)) return failure(`embedded.seed: ${name} holds no JSON object`);
  return success(json.value as Seed);
}

export type BuiltGateway = Result<Gateway, readonly ConfigProblem[]>;

interface BuiltGateways {
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
