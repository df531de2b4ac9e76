/** Headers of a response under a deprecated path: `Deprecation` and a link to its successor (RFC 9745, RFC 8288). */
import { writePath } from "../transcoding/paths/template.ts";
import type { Route } from "../transcoding/routes.ts";

/** 2025-01-01: all current paths of the chain existed by then. Unix seconds. */
const DEPRECATED_SINCE = 1_735_689_600;

/** Proxies refuse headers beyond about 8 kB in all; a longer link is omitted. */
export const LINK_LENGTH_MAX = 4096;

/** The parts of a request that determine its current path. */
export interface DeprecatedCall {
  readonly route: Route;
  /** The values of the template's variables. */
  readonly values: readonly string[];
  /** Undecoded, without the `?`. */
  readonly query: string;
  readonly mount: string;
}

/** @param call of a deprecated route. */
export function addDeprecation(headers: Headers, call: DeprecatedCall): void {
  headers.set("Deprecation", `@${DEPRECATED_SINCE}`);
  const link = successorLink(call);
  if (link !== undefined && link.length <= LINK_LENGTH_MAX) headers.set("Link", `<${link}>; rel="successor-version"`);
}

/** This request under the successor's template. Values that only the older path binds move into the query. */
function successorLink({ route, values, query, mount }: DeprecatedCall): string | undefined {
  const { successor } = route;
  if (successor === undefined) return undefined;
  const bound = new Map(route.variables.map((chain, index) => [nameOf(chain), values[index] ?? ""]));
  const inPath = new Set(successor.variables.map(nameOf));
  if ([...inPath].some((name) => !bound.has(name))) return undefined;
  const path = writePath(
    successor.template,
    successor.variables.map((chain) => bound.get(nameOf(chain)) ?? ""),
  );
  if (path === undefined) return undefined;
  const moved = [...bound].filter(([name]) => !inPath.has(name));
  // If the body is the whole message, the query is ignored.
  if (moved.length > 0 && successor.body.kind === "message") return undefined;
  // A value in the path wins over one in the query, so the query's is removed.
  const taken = new Set(route.variables.flatMap((chain) => [nameOf(chain), jsonNameOf(chain)]));
  const rest = query.split("&").filter((parameter) => parameter !== "" && !taken.has(parameterName(parameter)));
  const parameters = [...moved.map((pair) => pair.map(encodeURIComponent).join("=")), ...rest];
  return mount + path + (parameters.length === 0 ? "" : `?${parameters.join("&")}`);
}

type Chain = Route["variables"][number];

function nameOf(chain: Chain): string {
  return chain.map(({ name }) => name).join(".");
}

function jsonNameOf(chain: Chain): string {
  return chain.map(({ jsonName }) => jsonName).join(".");
}

function parameterName(parameter: string): string {
  const name = parameter.replace(/=.*$/s, "");
  try {
    return decodeURIComponent(name.replaceAll("+", " "));
  } catch {
    // If the body is the whole message, the query has not been parsed before.
    return name;
  }
}
