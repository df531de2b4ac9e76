/**
 * The gateway of one environment: its images, read and loaded once per isolate, and its deployments (contract D, section 1).
 * Reading the built-in image costs tens of milliseconds, so it waits for the first request.
 */
import type { ConfigProblem } from "../platform/config.ts";
import { isJsonObject } from "../platform/json.ts";
import { parseJson } from "../platform/parse-json.ts";
import { failure, success, type Result } from "../platform/result.ts";
import { createAnswerCache, type AnswerCache } from "./answer/answer-cache.ts";
import { createSingleFlight, type SingleFlight } from "./answer/single-flight.ts";
import { problem, readGatewayConfig, type GatewayConfig } from "./deployments/config.ts";
import { buildDeployment, type Deployment, type DeploymentPlatform } from "./deployments/deployment.ts";
import type { DeploymentMatch } from "./deployments/deployment-match.ts";
import { loadSets, type LoadedSet } from "./deployments/loaded-sets.ts";
import type { DeploymentSettings } from "./deployments/settings.ts";
import { sampleSeed, type Seed } from "./embedded/seed.ts";
import type { Made } from "./unary-answer.ts";

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

export interface Place {
  readonly index: number;
  readonly match: DeploymentMatch;
  /** Absent: it is wrong, and what was meant for it is answered by nobody else. */
  readonly deployment?: Deployment;
}

export interface GatewayParts extends DeploymentPlatform {
  readonly sharedCache: () => Pick<Cache, "match" | "put"> | undefined;
}

/** `previous`: what an earlier attempt has made of the same configuration; what was right in it stays as it is. */
export async function buildGateway(
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
