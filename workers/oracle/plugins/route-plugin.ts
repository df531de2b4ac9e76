/**
 * The half of a plugin that the oracle's app runs: its HTTP routes (contract/oracle.md section 10.2). A plugin's routes
 * need a signed-in caller unless they are excluded; its tools are the session's affair.
 */
import type { OraclePlugin } from "../../../durable-objects/chat-session/plugin.ts";
import type { Caller } from "../../platform/auth/authenticator.ts";
import type { Logger } from "../../platform/log.ts";
import type { Operation } from "../../platform/openapi.ts";

/** One request to a plugin's route. */
export interface PluginRequest {
  readonly request: Request;
  readonly env: Env;
  /** Decoded path parameters. */
  readonly params: Readonly<Record<string, string>>;
  /** What the operation's `query` schema made of the query; empty without one. */
  readonly query: Readonly<Record<string, unknown>>;
  /** What the operation's `body` schema made of the body, at most 16 KiB. Without one the body is the plugin's to read. */
  readonly body: unknown;
  /** Undefined on a route that is excluded from authentication. */
  readonly caller: Caller | undefined;
  readonly oracleDid: string;
  readonly requestId: string;
  readonly log: Logger;
}

/** Described like every route, so that it shows in the API reference; who may call is decided at registration. */
export interface PluginRoute {
  readonly operation: Omit<Operation, "security">;
  handle(request: PluginRequest): Promise<Response>;
}

export interface OracleSurfacePlugin extends OraclePlugin {
  getRoutes?(env: Env): readonly PluginRoute[];
  getAuthExcludedRoutes?(): readonly RoutePattern[];
}

/** A path as routes are declared; `(.*)` at its end covers all below. Without a method: every method. */
export interface RoutePattern {
  readonly path: string;
  readonly method?: string;
}

const ANYTHING_BELOW = "(.*)";

export function isExcluded(operation: Pick<Operation, "method" | "path">, patterns: readonly RoutePattern[]): boolean {
  return patterns.some(({ path, method }) => {
    if (method !== undefined && method.toLowerCase() !== operation.method) return false;
    if (!path.endsWith(ANYTHING_BELOW)) return path === operation.path;
    return operation.path.startsWith(path.slice(0, -ANYTHING_BELOW.length));
  });
}
