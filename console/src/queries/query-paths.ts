/**
 * Which paths of this host are chain queries: those that no other part of the service owns. The screen's address is untrusted, so
 * nothing else is ever requested from it. A test compares the table with the server's (workers/surfaces.ts).
 */

/** The roots, each with everything below it. */
const roots = [
  "/sessions",
  "/messages",
  "/runs",
  "/me",
  "/people",
  "/calls",
  "/socket.io",
  "/mcp",
  "/v1",
  "/1.0/identifiers",
  "/api/ussd",
  "/docs",
  "/openapi",
  "/console",
  "/staff",
];
const single = new Set([
  "/",
  "/health",
  "/healthz",
  "/metrics",
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

/** @param path as the browser sends it: resolved, with percent escapes. */
export function isQueryPath(path: string): boolean {
  const plain = path.length > 2 && path.endsWith("/") ? path.slice(0, -1) : path;
  if (single.has(plain)) return false;
  return !roots.some((root) => path === root || path.startsWith(`${root}/`));
}
