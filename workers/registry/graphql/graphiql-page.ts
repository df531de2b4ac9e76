/**
 * The page on which people try queries: GraphiQL, from this origin alone and without inline script. Its assets are put
 * into `dist/assets/docs/graphiql` by `scripts/build-assets.ts` and cost nothing in the bundle.
 */

import { CONSOLE_PATH } from "../../../platform/console-config.ts";
import { pageHeaders } from "../../../platform/http/page-headers.ts";

/** Where the shared surface serves them from, on every host. */
const ASSETS = "/docs/graphiql";

/** The editor writes style elements of its own and its icons are in its style, as data. */
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
