/** How an answer under an older path says so, and where the same is today (contract D, section 5; RFC 9745, RFC 8288). */
import { writePath } from "../transcoding/paths/path-writer.ts";
import type { Route } from "../transcoding/routes.ts";

/** 2025-01-01: the chain's present paths were all there by then. Unix seconds. */
const DEPRECATED_SINCE = 1_735_689_600;

export function addDeprecation(headers: Headers, route: Route, values: readonly string[], mount: string): void {
  const { successor } = route;
  if (successor === undefined) return;
  headers.set("Deprecation", `@${DEPRECATED_SINCE}`);
  const named = new Map(route.variables.map((chain, index) => [nameOf(chain), values[index] ?? ""]));
  const path = writePath(
    successor.template,
    successor.variables.map((chain) => named.get(nameOf(chain)) ?? ""),
  );
  if (path !== undefined) headers.set("Link", `<${mount}${path}>; rel="successor-version"`);
}

function nameOf(chain: Route["variables"][number]): string {
  return chain.map(({ name }) => name).join(".");
}
