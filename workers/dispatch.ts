/**
 * One origin, several surfaces: checks the host, finds the owner of the raw path, gives the request its id and its log,
 * and turns exceptions into a 500 in the owner's format. Logs wrong settings of a surface at the first request that
 * reaches it. It knows nothing about the inside of a surface.
 */
import { withConnections } from "../platform/database/connection-scope.ts";
import { newFailure } from "../platform/failure.ts";
import {
  grpcStatus,
  oracleError,
  phoneGatewayError,
  problemDetails,
  type ErrorMapper,
} from "../platform/http/error-bodies.ts";
import { discardBody } from "../platform/http/body.ts";
import {
  REQUEST_ID_HEADER,
  requestIdOf,
  createLogger,
  describeThrown,
  withoutSecretsOf,
  type Logger,
} from "../platform/log.ts";
import { isOfUnknownPath, isOpenedInBrowser } from "../platform/http/unknown-path.ts";
import { sendCounts } from "../platform/metrics/counters.ts";
import type { ConfigProblem, ConfigResult } from "../platform/config.ts";
import type { Exchange, Surface } from "../platform/surface.ts";
import type { SurfaceName } from "../platform/surface-name.ts";
import { DEFAULT_OWNER, ownerOf, surfaces, type PathOwner } from "./surfaces.ts";

/** The dispatcher's part of the shared configuration. */
export interface HostTable {
  readonly SURFACE_HOSTS: Readonly<Record<string, readonly SurfaceName[]>> | null;
}

export interface Dispatch {
  readonly apps: Readonly<
    Partial<Record<PathOwner, Pick<Surface, "fetch"> & Partial<Pick<Surface, "configProblems" | "addsPath">>>>
  >;
  /** The owner of a raw path; by the table of surfaces by default. */
  readonly ownerOf?: (path: string) => PathOwner;
  /** The surfaces of a host that is not restricted; every surface by default. */
  readonly surfaces?: readonly SurfaceName[];
  readonly hosts: (env: Env) => ConfigResult<HostTable>;
  readonly log?: (context: { surface: string; requestId: string }, env: Env) => Logger;
  /** The page for a browser that opens a path that no surface serves; without it the surface answers. */
  readonly pageOfUnknownPath?: (env: Env) => Response;
}

const errorForms: Readonly<Record<PathOwner, ErrorMapper>> = {
  registry: problemDetails,
  ussd: phoneGatewayError,
  oracle: oracleError,
  "query-gateway": grpcStatus,
  shared: oracleError,
};

const MISCONFIGURED =
  "The service is not configured correctly; GET /health lists the variables, and the log explains each error";
/** Paths that report the settings of all surfaces. */
const HEALTH_PATHS = ["/health", "/healthz"];
const allSurfaces: readonly SurfaceName[] = surfaces.map(({ name }) => name);

export function createDispatcher({
  apps,
  hosts,
  log = logWithoutSecrets,
  ownerOf: ownerInTable = ownerOf,
  surfaces: unnarrowed = allSurfaces,
  pageOfUnknownPath,
}: Dispatch) {
  /** Owners whose settings have been checked, per isolate. */
  const examined = new WeakMap<Env, Set<PathOwner>>();
  function logProblems(
    surface: PathOwner,
    problems: () => readonly ConfigProblem[],
    env: Env,
    requestId: string,
  ): void {
    const known = examined.get(env) ?? new Set<PathOwner>();
    examined.set(env, known);
    if (known.has(surface)) return;
    known.add(surface);
    const wrong = problems().map(({ variable, message, example }) => ({
      variable,
      problem: message,
      ...(example === undefined ? {} : { example }),
    }));
    if (wrong.length > 0) log({ surface, requestId }, env).error("configuration-wrong", { problems: wrong });
  }

  /** A path outside the table may be one that a surface adds, such as a plugin's. */
  function ownerOfPath(path: string, env: Env): PathOwner {
    const owner = ownerInTable(path);
    if (owner !== DEFAULT_OWNER) return owner;
    return unnarrowed.find((name) => apps[name]?.addsPath?.(env, path) === true) ?? owner;
  }

  async function serve(request: Request, env: Env, context: ExecutionContext): Promise<Response> {
    const requestId = requestIdOf(request);
    const path = rawPathOf(request.url);
    const owner = ownerOfPath(path, env);
    const failed = { method: request.method, path, requestId };
    const table = hosts(env);
    logProblems("shared", () => apps.shared?.configProblems?.(env) ?? (table.ok ? [] : table.error), env, requestId);
    if (!table.ok && owner !== "shared") {
      return completed(errorForms[owner](newFailure("internal", MISCONFIGURED), failed), requestId);
    }
    const served = servedSurfaces(request.url, table, unnarrowed);
    const answerUnknown = (failure: Response): Response =>
      completed(isOpenedInBrowser(request) ? (pageOfUnknownPath?.(env) ?? failure) : failure, requestId);
    if (served === undefined) return answerUnknown(grpcStatus(newFailure("not_found", "Not Found"), failed));
    const examinedNow = HEALTH_PATHS.includes(path) ? served : [owner].filter((name) => name !== "query-gateway");
    for (const name of examinedNow) logProblems(name, () => apps[name]?.configProblems?.(env) ?? [], env, requestId);
    const app = owner === "shared" || served.includes(owner) ? apps[owner] : undefined;
    if (app === undefined) {
      const response = errorForms[owner](newFailure("not_found", notFoundText(owner, failed)), failed);
      return owner === DEFAULT_OWNER ? answerUnknown(response) : completed(response, requestId);
    }
    const exchange: Exchange = { env, requestId, path, served, log: log({ surface: owner, requestId }, env) };
    try {
      const response = await app.fetch(request, exchange, context);
      if (response.status >= 400) await discardBody(request);
      if (response.status === 404 && isOfUnknownPath(response)) return answerUnknown(response);
      return completed(response, requestId);
    } catch (thrown) {
      exchange.log.error("request-failed", { reason: describeThrown(thrown) });
      return completed(errorForms[owner](newFailure("internal", "Internal server error"), failed), requestId);
    }
  }

  return (request: Request, env: Env, context: ExecutionContext): Promise<Response> =>
    withConnections(
      env,
      async () => {
        const response = await serve(request, env, context);
        sendCounts(env, (work) => context.waitUntil(work), metricsLog);
        return response;
      },
      (work) => context.waitUntil(work),
    );
}

const metricsLog = createLogger({ surface: "shared", requestId: "metrics" });

function logWithoutSecrets(context: { surface: string; requestId: string }, env: Env): Logger {
  return createLogger(context, withoutSecretsOf(env));
}

/** The path as the caller wrote it, with percent-escapes, without query and fragment. */
export function rawPathOf(url: string): string {
  const start = url.indexOf("/", url.indexOf("//") + 2);
  if (start < 0) return "/";
  const end = url.slice(start).search(/[?#]/);
  return end < 0 ? url.slice(start) : url.slice(start, start + end);
}

/** Every surface if no host is restricted; none for an unlisted host. An unreadable table serves only `/health`. */
function servedSurfaces(
  url: string,
  hosts: ConfigResult<HostTable>,
  unnarrowed: readonly SurfaceName[],
): readonly SurfaceName[] | undefined {
  if (!hosts.ok || hosts.value.SURFACE_HOSTS === null) return unnarrowed;
  const { host, hostname } = new URL(url);
  const listed = new Map(Object.entries(hosts.value.SURFACE_HOSTS));
  return listed.get(host) ?? listed.get(hostname);
}

function notFoundText(owner: PathOwner, { method, path }: { method: string; path: string }): string {
  return owner === "query-gateway" ? "Not Found" : `Cannot ${method} ${path}`;
}

/** Adds the headers of every response, for all surfaces. */
function completed(response: Response, requestId: string): Response {
  if (response.status === 101) return response;
  try {
    // In place, because a copy would turn a body of known length into a stream.
    addHeaders(response.headers, requestId);
    return response;
  } catch {
    // A response from a binding has immutable headers.
    const headers = new Headers(response.headers);
    addHeaders(headers, requestId);
    return new Response(response.body, { status: response.status, statusText: response.statusText, headers });
  }
}

/**
 * A response keeps an id that its surface set: the stream of a resumed run has the id of the request that started the
 * run.
 */
function addHeaders(headers: Headers, requestId: string): void {
  // Responses contain users' texts: a browser must never sniff them as a page (CN-109).
  headers.set("X-Content-Type-Options", "nosniff");
  if (!headers.has(REQUEST_ID_HEADER)) headers.set(REQUEST_ID_HEADER, requestId);
}
