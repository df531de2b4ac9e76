/**
 * `GET /` and `GET /health` (decisions 1.3): the union of what the surfaces promise. The root asks nothing of anyone;
 * health asks the database for real, and is an error only when the database or a setting makes a surface fail.
 */
import type { JsonObject } from "../platform/json.ts";
import type { Surface } from "../platform/surface.ts";
import type { SurfaceName } from "../platform/surface-name.ts";
import { readSharedConfig } from "./config.ts";

export type Surfaces = Readonly<Partial<Record<SurfaceName, Surface>>>;

/** Milliseconds: a database that takes longer is of no use to a request either. */
const DATABASE_TIMEOUT = 2_000;

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

export function describeRoot(env: Env, now: Date): JsonObject {
  const { environment, message } = greeting(env);
  return { status: "ok", message, environment, timestamp: now.toISOString() };
}

export async function examineHealth({ env, served, surfaces, now, startedAt }: HealthQuestion): Promise<Health> {
  const database = await probeDatabase(env.DATABASE, DATABASE_TIMEOUT);
  const misconfigured = wrongVariables(env, served, surfaces);
  const healthy = database === "connected" && Object.keys(misconfigured).length === 0;
  return {
    healthy,
    record: {
      status: healthy ? "ok" : "error",
      environment: greeting(env).environment,
      timestamp: now.toISOString(),
      uptime: Math.max(0, now.getTime() - startedAt) / 1000,
      database,
      ...surfaceMembers("query-gateway"),
      ...surfaceMembers("oracle"),
      ...surfaceMembers("registry"),
      ...surfaceMembers("ussd"),
      ...(Object.keys(misconfigured).length === 0 ? {} : { misconfigured }),
    },
  };

  function surfaceMembers(name: SurfaceName): JsonObject {
    return served.includes(name) ? (surfaces[name]?.health?.(env) ?? {}) : {};
  }
}

export async function probeDatabase(
  database: Pick<D1Database, "prepare">,
  milliseconds: number,
): Promise<"connected" | "unreachable"> {
  let timer: ReturnType<typeof setTimeout> | null = null;
  const timeUp = new Promise<"unreachable">((resolve) => {
    timer = setTimeout(() => resolve("unreachable"), milliseconds);
  });
  try {
    const answered = database
      .prepare("SELECT 1")
      .first()
      .then(() => "connected" as const);
    return await Promise.race([answered, timeUp]);
  } catch {
    return "unreachable";
  } finally {
    clearTimeout(timer);
  }
}

/** Surface to the names of its wrong variables; never a value. */
function wrongVariables(env: Env, served: readonly SurfaceName[], surfaces: Surfaces): Record<string, string[]> {
  const shared = readSharedConfig(env);
  const slices: [string, readonly { variable: string }[]][] = [
    ["shared", shared.ok ? [] : shared.error],
    ...served.map((name): [string, readonly { variable: string }[]] => [
      name,
      surfaces[name]?.configProblems(env) ?? [],
    ]),
  ];
  return Object.fromEntries(
    slices
      .filter(([, problems]) => problems.length > 0)
      .map(([name, problems]) => [name, [...new Set(problems.map(({ variable }) => variable))]]),
  );
}

function greeting(env: Env): { readonly environment: string; readonly message: string } {
  const config = readSharedConfig(env);
  if (config.ok) return { environment: config.value.ENVIRONMENT, message: config.value.ROOT_MESSAGE };
  return { environment: "production", message: "twinedge is running" };
}
