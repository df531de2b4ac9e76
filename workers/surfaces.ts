/**
 * The table of surfaces and their paths. The dispatcher, `/health`, `npm start` and the tests read it. Paths are
 * matched raw and undecoded. `/x/*` is `/x` and all paths below it; `/x` is only that path. A path outside the table
 * belongs to the query gateway, so its 404 body is the default.
 */
import type { SurfaceName } from "../platform/surface-name.ts";

export interface SurfaceRow {
  readonly name: SurfaceName;
  readonly title: string;
  readonly paths: readonly string[];
}

export const surfaces: readonly SurfaceRow[] = [
  {
    name: "oracle",
    title: "Oracle chat service",
    paths: [
      "/sessions/*",
      "/messages/*",
      "/runs/*",
      "/delegation",
      "/user-preferences",
      "/me/*",
      "/people/*",
      "/models",
      // Paths of plugins, which the oracle owns even if the plugin is off (OR-5).
      "/calls/*",
      "/claims",
      "/cron/claims",
      "/slack/events",
      "/sfu/get",
      "/socket.io/*",
      "/mcp/*",
      "/.well-known/did.json",
      "/.well-known/oauth-client.json",
    ],
  },
  { name: "registry", title: "Domain registry", paths: ["/v1/*", "/graphql", "/1.0/identifiers/*"] },
  { name: "ussd", title: "Phone-session gateway", paths: ["/api/ussd/*"] },
  { name: "query-gateway", title: "Protocol query gateway", paths: [] },
];

/** Served by workers/pages. Logs name their owner `shared`, because they belong to every surface. */
const sharedPaths: readonly string[] = [
  "/",
  "/health",
  "/healthz",
  "/docs/*",
  "/docs-json",
  "/openapi.json",
  "/openapi/*",
  "/console/*",
  "/staff/*",
  "/metrics",
];

export type PathOwner = SurfaceName | "shared";

/** The owner of paths outside the table. */
export const DEFAULT_OWNER = "query-gateway";

export function isShared(rawPath: string): boolean {
  return sharedPaths.some((pattern) => covers(pattern, rawPath));
}

export function ownerOf(rawPath: string): PathOwner {
  if (isShared(rawPath)) return "shared";
  return surfaces.find(({ paths }) => paths.some((pattern) => covers(pattern, rawPath)))?.name ?? DEFAULT_OWNER;
}

function covers(pattern: string, path: string): boolean {
  if (!pattern.endsWith("/*")) return path === pattern || (pattern !== "/" && path === `${pattern}/`);
  const root = pattern.slice(0, -2);
  return path === root || path.startsWith(`${root}/`);
}
