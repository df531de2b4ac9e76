/**
 * `GET /` and `GET /health`: the union of the surfaces' promises. The root makes no calls. Health queries the database,
 * and is an error only if the database or a setting makes a surface fail. It always names wrong variables; the details
 * are in the log, and in development also in the response.
 */
import type { Database } from "../../platform/database/database.ts";
import { databaseOf } from "../../platform/database/database-of.ts";
import type { JsonObject } from "../../platform/json.ts";
import {
  type DatabaseSize,
  databaseVariables,
  maxBytesOf,
  measureSize,
} from "../../platform/database/database-size.ts";
import type { Surface } from "../../platform/surface.ts";
import type { SurfaceName } from "../../platform/surface-name.ts";
import * as z from "zod";
import { textVariable, type ConfigProblem } from "../../platform/config.ts";
import { DEFAULT_ENVIRONMENT } from "../../platform/console-config.ts";
import { sharedProblems } from "./config.ts";

export type Surfaces = Readonly<Partial<Record<SurfaceName, Surface>>>;

/** Milliseconds: a database that takes longer cannot serve a request either. */
const DATABASE_TIMEOUT = 2_000;

/** The order of the surfaces' members. */
const MEMBERS_BY: readonly SurfaceName[] = ["query-gateway", "oracle", "registry", "ussd"];

export interface HealthQuestion {
  readonly env: Env;
  readonly served: readonly SurfaceName[];
  readonly surfaces: Surfaces;
  readonly now: Date;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
}

export interface Health {
  readonly healthy: boolean;
  readonly record: JsonObject;
}

export function describeRoot(env: Env, now: Date, name: string): JsonObject {
  const { environment, message = `${name} is running` } = greeting(env);
  return { status: "ok", message, environment, timestamp: now.toISOString() };
}

export async function examineHealth({ env, served, surfaces, now, startedAt }: HealthQuestion): Promise<Health> {
  const { DATABASE, HYPERDRIVE }: Partial<Env> = env;
  const [{ database, storage }, ...members] = await Promise.all([
    (HYPERDRIVE ?? DATABASE) === undefined
      ? NOT_BOUND
      : probeDatabase(databaseOf(env), DATABASE_TIMEOUT, maxBytesOf(env, configuredBytes(env))),
    ...MEMBERS_BY.map(surfaceMembers),
  ]);
  const problems = configProblems(env, served, surfaces);
  const { environment } = greeting(env);
  // Only the oracle works without a database.
  const needsDatabase = served.some((name) => name !== "oracle");
  const healthy = (database === "connected" || (database === "not_bound" && !needsDatabase)) && problems.length === 0;
  return {
    healthy,
    record: {
      status: healthy ? "ok" : "error",
      environment,
      timestamp: now.toISOString(),
      uptime: Math.max(0, now.getTime() - startedAt) / 1000,
      database,
      ...(storage === undefined ? {} : { storage: { ...storage } }),
      ...Object.fromEntries(members.flatMap((one) => Object.entries(one))),
      ...(problems.length === 0 ? {} : { misconfigured: variablesBySurface(problems) }),
      ...(problems.length === 0 || environment !== "development" ? {} : { configuration: problems.map(described) }),
    },
  };

  async function surfaceMembers(name: SurfaceName): Promise<JsonObject> {
    return served.includes(name) ? ((await surfaces[name]?.health?.(env)) ?? {}) : {};
  }
}

interface Probe {
  readonly database: "connected" | "disconnected" | "not_bound";
  /** Present if the database reports it. */
  readonly storage?: DatabaseSize | undefined;
}

const NOT_BOUND: Probe = { database: "not_bound" };
const DISCONNECTED: Probe = { database: "disconnected" };

export async function probeDatabase(database: Database, milliseconds: number, maxBytes: number): Promise<Probe> {
  let timer: ReturnType<typeof setTimeout> | null = null;
  const timeUp = new Promise<Probe>((resolve) => {
    timer = setTimeout(() => resolve(DISCONNECTED), milliseconds);
  });
  try {
    const answered = measureSize(database, maxBytes).then((storage): Probe => ({ database: "connected", storage }));
    return await Promise.race([answered, timeUp]);
  } catch {
    return DISCONNECTED;
  } finally {
    clearTimeout(timer);
  }
}

interface SurfaceProblem extends ConfigProblem {
  readonly surface: string;
}

/** The problems of the shared part and of each surface of the host. */
function configProblems(env: Env, served: readonly SurfaceName[], surfaces: Surfaces): readonly SurfaceProblem[] {
  const slices: readonly (readonly [string, readonly ConfigProblem[]])[] = [
    ["shared", sharedProblems(env)],
    ...served.map((name) => [name, surfaces[name]?.configProblems(env) ?? []] as const),
  ];
  return slices.flatMap(([surface, problems]) => problems.map((problem) => ({ surface, ...problem })));
}

/** Maps a surface to the names of its wrong variables; never to a value. */
function variablesBySurface(problems: readonly SurfaceProblem[]): Record<string, string[]> {
  const names = Map.groupBy(problems, ({ surface }) => surface);
  return Object.fromEntries(
    [...names].map(([surface, all]) => [surface, [...new Set(all.map(({ variable }) => variable))]]),
  );
}

function described({ surface, variable, message, example }: SurfaceProblem): JsonObject {
  return { surface, variable, problem: message, ...(example === undefined ? {} : { example }) };
}

/** Each separately: a wrong table of hosts must not make a development server look like production. */
const ownText = textVariable().catch(undefined);
const sizeVariables = z.object(databaseVariables);

/** A wrong setting is reported among the problems; until it is fixed, the platform's limit applies. */
function configuredBytes(env: Env): number {
  const parsed = sizeVariables.safeParse(env);
  return (parsed.success ? parsed.data : sizeVariables.parse({})).DATABASE_MAX_BYTES;
}

const greetingVariables = z.object({ ENVIRONMENT: ownText, ROOT_MESSAGE: ownText });

function greeting(env: Env): { readonly environment: string; readonly message: string | undefined } {
  const { ENVIRONMENT, ROOT_MESSAGE } = greetingVariables.parse(env);
  return { environment: ENVIRONMENT ?? DEFAULT_ENVIRONMENT, message: ROOT_MESSAGE };
}
