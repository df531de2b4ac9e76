/**
 * The interactive API reference: a page that loads nothing from other origins and runs no inline script.
 * `scripts/build-assets.ts` writes its assets to `dist/assets/docs`, which the platform serves.
 */

import { CONSOLE_PATH } from "../../platform/console-config.ts";
import { pageHeaders } from "../../platform/http/page-headers.ts";

/**
 * Allows only this origin; `data:` images are the reference's own icons. Styles are set by script, which is allowed.
 */
export const REFERENCE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

export function referencePage(
  documents: readonly { readonly name: string; readonly url: string }[],
  linksToConsole: boolean,
): Response {
  const html = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>twinedge API reference</title>
    <link rel="icon" type="image/png" sizes="32x32" href="/docs/favicon-32x32.png">
    <link rel="stylesheet" href="/docs/swagger-ui.css">
    <link rel="stylesheet" href="/docs/reference.css">
  </head>
  <body>
    <nav>
      ${linksToConsole ? `<a href="${CONSOLE_PATH}">Console</a>` : ""}
      <a href="/docs/README">Documentation</a>
      <a href="/docs/client-guide">Client guide</a>
      <a href="/docs/plugins">Plugins</a>
      <a href="/docs/reference/README">References</a>
      <a href="/docs/glossary">Glossary</a>
    </nav>
    <div id="reference" data-documents="${escapeAttribute(JSON.stringify(documents))}"></div>
    <noscript>This reference needs JavaScript; the plain document is at <a href="/openapi.json">/openapi.json</a>.</noscript>
    <script src="/docs/swagger-ui-bundle.js"></script>
    <script src="/docs/swagger-ui-standalone-preset.js"></script>
    <script src="/docs/reference.js"></script>
  </body>
</html>
`;
  return new Response(html, {
    headers: {
      "Content-Type": "text/html; charset=utf-8",
      "Cache-Control": "no-cache",
      ...pageHeaders(REFERENCE_POLICY),
    },
  });
}

/** An asset of the reference, or undefined if there is no such asset. */
export async function referenceAsset(request: Request, assets: Fetcher): Promise<Response | undefined> {
  const found = await assets.fetch(request);
  if (found.status !== 200 && found.status !== 304) {
    await found.body?.cancel();
    return undefined;
  }
  const headers = new Headers(found.headers);
  for (const [name, value] of Object.entries(pageHeaders(REFERENCE_POLICY))) headers.set(name, value);
  return new Response(found.body, { status: found.status, headers });
}

function escapeAttribute(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
}
