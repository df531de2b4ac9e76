/**
 * Which paths of this host are chain queries: those that no other part of the service owns. An address of this screen may come from
 * anybody, so nothing else is ever asked from it. The table is the server's (workers/surfaces.ts), which a test compares.
 */

/** With everything below them. */
const roots = [
  "/sessions",
  "/messages",
  "/runs",
  "/calls",
  "/socket.io",
  "/mcp",
  "/v1",
  "/1.0/identifiers",
  "/api/ussd",
  "/docs",
  "/openapi",
  "/console",
];
const single = new Set([
  "/",
  "/health",
  "/healthz",
  "/docs-json",
  "/openapi.json",
  "/graphql",
  "/delegation",
  "/user-preferences",
  "/models",
  "/claims",
  "/cron/claims",
  "/slack/events",
  "/sfu/get",
  "/.well-known/did.json",
  "/.well-known/oauth-client.json",
]);

/** @param path as the browser sends it: resolved, percent-escapes kept. */
export function isQueryPath(path: string): boolean {
  const plain = path.length > 2 && path.endsWith("/") ? path.slice(0, -1) : path;
  if (single.has(plain)) return false;
  return !roots.some((root) => path === root || path.startsWith(`${root}/`));
}
