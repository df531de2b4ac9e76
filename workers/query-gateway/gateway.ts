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
import { loadSets } from "./deployments/loaded-sets.ts";
import { sampleSeed, type Seed } from "./embedded/seed.ts";
import type { Made } from "./unary-answer.ts";

export interface Gateway {
  readonly config: GatewayConfig;
  readonly deployments: readonly Deployment[];
  readonly cache: AnswerCache;
  /** Of all deployments: its keys tell them apart. */
  readonly flights: SingleFlight<Made>;
}

export interface GatewayParts extends DeploymentPlatform {
  readonly sharedCache: () => Pick<Cache, "match" | "put"> | undefined;
}

export async function buildGateway(
  env: object,
  platform: GatewayParts,
): Promise<Result<Gateway, readonly ConfigProblem[]>> {
  const config = readGatewayConfig(env);
  if (!config.ok) return config;
  const sets = await loadSets(config.value, env, platform.image);
  if (!sets.ok) return sets;
  const problems: ConfigProblem[] = [];
  const deployments: Deployment[] = [];
  config.value.deployments.forEach((settings, index) => {
    const used = settings.sets.flatMap((name) => sets.value.get(name) ?? []);
    const seed = seedNamed(settings.embedded.seed, env, config.value.isDevelopment);
    const built = seed.ok
      ? buildDeployment(settings, used, config.value, { ...platform, ...(seed.value && { seed: seed.value }) })
      : failure([seed.error]);
    if (built.ok) deployments.push(built.value);
    else problems.push(...built.error.map((reason) => problem(`/deployments/${index}: ${reason}`)));
  });
  if (problems.length > 0) return failure(problems);
  const cache = createAnswerCache(platform.clock, platform.sharedCache);
  return success({ config: config.value, deployments, cache, flights: createSingleFlight<Made>() });
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
