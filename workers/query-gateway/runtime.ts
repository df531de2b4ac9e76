/**
 * The gateway of one environment: its images, read and loaded once per isolate, and its deployments (contract D, section 1).
 * Reading the built-in image costs tens of milliseconds, so it waits for the first request.
 */
import type { ConfigProblem } from "../platform/config.ts";
import { parseJson } from "../platform/parse-json.ts";
import { isJsonObject } from "../platform/json.ts";
import { describeThrown } from "../platform/log.ts";
import { failure, success, type Result } from "../platform/result.ts";
import { createAnswerCache, type AnswerCache } from "./answer-cache.ts";
import { BUILT_IN_SET, problem, readGatewayConfig, type GatewayConfig } from "./config.ts";
import { buildDeployment, type Deployment, type DeploymentPlatform } from "./deployment.ts";
import { loadSchema } from "./descriptors/load.ts";
import { openSchema } from "./descriptors/open.ts";
import type { Seed } from "./embedded/seed.ts";
import { readImage } from "./images.ts";
import type { LoadedSet } from "./loaded-set.ts";

export interface Gateway {
  readonly config: GatewayConfig;
  readonly deployments: readonly Deployment[];
  readonly cache: AnswerCache;
}

export interface RuntimePlatform extends DeploymentPlatform {
  /** The built-in set's image. */
  readonly image: Uint8Array;
  readonly sharedCache: () => Pick<Cache, "match" | "put"> | undefined;
}

export async function buildGateway(
  env: object,
  platform: RuntimePlatform,
): Promise<Result<Gateway, readonly ConfigProblem[]>> {
  const config = readGatewayConfig(env);
  if (!config.ok) return config;
  const sets = await loadSets(config.value, env, platform.image);
  if (!sets.ok) return sets;
  const problems: ConfigProblem[] = [];
  const deployments: Deployment[] = [];
  config.value.deployments.forEach((settings, index) => {
    const used = settings.sets.flatMap((name) => sets.value.get(name) ?? []);
    const seed = seedNamed(settings.embedded.seed, env);
    const built = seed.ok
      ? buildDeployment(settings, used, config.value, { ...platform, ...(seed.value && { seed: seed.value }) })
      : failure([seed.error]);
    if (built.ok) deployments.push(built.value);
    else problems.push(...built.error.map((reason) => problem(`/deployments/${index}: ${reason}`)));
  });
  if (problems.length > 0) return failure(problems);
  const cache = createAnswerCache(platform.clock, platform.sharedCache);
  return success({ config: config.value, deployments, cache });
}

/** Each image once, however many deployments use it. */
async function loadSets(
  { deployments, images }: GatewayConfig,
  env: object,
  builtIn: Uint8Array,
): Promise<Result<ReadonlyMap<string, LoadedSet>, readonly ConfigProblem[]>> {
  const sets = new Map<string, LoadedSet>();
  for (const name of new Set(deployments.flatMap((each) => each.sets))) {
    const source = images[name];
    try {
      if (source === undefined) {
        if (name === BUILT_IN_SET) sets.set(name, { name, schema: openSchema(builtIn) });
        continue;
      }
      const image = await readImage(source, env);
      if (!image.ok) return failure([problem(`/images/${name}: ${image.error}`)]);
      sets.set(name, { name, schema: loadSchema(image.value) });
    } catch (thrown) {
      return failure([problem(`/images/${name}: ${describeThrown(thrown)}`)]);
    }
  }
  return success(sets);
}

/** `embedded.seed` names a variable that holds JSON. */
function seedNamed(name: string | undefined, env: object): Result<Seed | undefined, string> {
  if (name === undefined) return success(undefined);
  const text: unknown = new Map<string, unknown>(Object.entries(env)).get(name);
  const json = typeof text === "string" ? parseJson(text) : failure("");
  if (!json.ok || !isJsonObject(json.value)) return failure(`embedded.seed: ${name} holds no JSON object`);
  return success(json.value as Seed);
}
