/** The page for a browser that opens a path that no surface serves, with links to existing pages. */
import { CONSOLE_PATH, hasConsole } from "../../platform/console-config.ts";
import { pageHeaders } from "../../platform/http/page-headers.ts";

const POLICY = "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

export function unknownPathPage(env: Env): Response {
  const links = [
    ...(hasConsole(env) ? [[CONSOLE_PATH, "Console"]] : []),
    ["/docs", "API reference"],
    ["/docs/client-guide", "Client guide"],
    ["/health", "Health"],
  ];
  const html = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Not found</title>
    <link rel="stylesheet" href="/docs/page.css">
  </head>
  <body>
    <nav aria-label="Pages">
      ${links.map(([href, name]) => `<a href="${href}">${name}</a>`).join("\n      ")}
    </nav>
    <main>
      <h1>This page does not exist</h1>
      <p>Check the spelling of the address, or continue with one of the links.</p>
      <p>A program that asks for JSON gets this answer as JSON.</p>
    </main>
  </body>
</html>
`;
  return new Response(html, {
    status: 404,
    headers: {
      "Content-Type": "text/html; charset=utf-8",
      "Cache-Control": "no-store",
      Vary: "Accept",
      ...pageHeaders(POLICY),
    },
  });
}
