/**
 * The page on which people try queries: GraphiQL, from this origin only and without inline script.
 * `scripts/build-assets.ts` writes its assets to `dist/assets/docs/graphiql`, so they add nothing to the bundle.
 */

import { CONSOLE_PATH } from "../../../platform/console-config.ts";
import { pageHeaders } from "../../../platform/http/page-headers.ts";

/** The path at which the shared surface serves them on every host. */
const ASSETS = "/docs/graphiql";

/** The editor adds style elements, and its stylesheet contains icons as data URLs. */
const GRAPHIQL_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "worker-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "font-src 'self' data:",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

const page = (linksToConsole: boolean): string => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>twinedge GraphQL</title>
    <link rel="icon" type="image/png" sizes="32x32" href="/docs/favicon-32x32.png">
    <link rel="stylesheet" href="${ASSETS}/graphiql.css">
    <link rel="stylesheet" href="${ASSETS}/page.css">
  </head>
  <body class="no-focus-outline">
    <nav class="pages" aria-label="Pages">
      ${linksToConsole ? `<a href="${CONSOLE_PATH}">Console</a>` : ""}
      <a href="/docs">API reference</a>
    </nav>
    <div id="root"></div>
    <noscript>This page needs JavaScript; POST your query as JSON to this address without it.</noscript>
    <script src="${ASSETS}/workers.js"></script>
    <script src="${ASSETS}/graphiql.js"></script>
    <script src="${ASSETS}/start.js"></script>
  </body>
</html>
`;

export function graphiqlPage(linksToConsole: boolean): Response {
  return new Response(page(linksToConsole), {
    headers: {
      "Content-Type": "text/html; charset=utf-8",
      "Cache-Control": "no-cache",
      Vary: "Accept",
      ...pageHeaders(GRAPHIQL_POLICY),
    },
  });
}
