/**
 * Pages that use the SDK in the system's Chromium, against the real Worker. `startSdkPages()` starts the oracle (with the built-in
 * model: `/slow 40 50`, `/tool name {...}`, `/think text`, `/fail kind`), a server for the pages, and the browser; `open("name",
 * user)` bundles test/browser/<name>.tsx and opens it. The page reads its settings with `pageSettings()` and signs in with
 * `createInvocation` and `createDelegation` of test/browser/page-settings.ts.
 */
import { Buffer } from "node:buffer";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { BrowserContext } from "playwright-core";
import { launchBrowser, startBrowser, type TestBrowser } from "../browser/browser.ts";
import { bundlePage, type PageMode } from "./page-bundles.ts";
import { createPageUser, type PageUser, type TokenKind } from "./page-user.ts";
import { startRunningServer, type RunningServer } from "../server/running-server.ts";
import { watchPage, type WatchedPage } from "./watched-page.ts";

export interface OpenOptions {
  /**
   * Settings that `pageSettings()` returns besides the oracle and the user, such as `sessionId`; an `oracleUrl` replaces the
   * oracle's.
   */
  readonly settings?: Readonly<Record<string, string>>;
  readonly mode?: PageMode;
  /** The context of another page, to open a second tab of that browser; by default, a page has a separate context. */
  readonly context?: BrowserContext;
}

export interface SdkPages {
  /** The oracle: kill it and start it again. */
  readonly server: RunningServer;
  readonly browser: TestBrowser;
  readonly oracleDid: string;
  /** A new user with a separate key. */
  signUp(): Promise<PageUser>;
  open(name: string, user: PageUser, options?: OpenOptions): Promise<WatchedPage>;
  /** From now on, the pages of this browser context load without a network, like an installed application. */
  keepPages(context: BrowserContext): Promise<void>;
  close(): Promise<void>;
}

export interface SdkPagesOptions {
  readonly browserArgs?: readonly string[];
  readonly isMeasured?: boolean;
  readonly config?: string;
}

/**
 * @param variables of the Worker.
 * @param more `browserArgs` are arguments of Chromium, `isMeasured` is for tests that measure a page, `config` is a wrangler.toml
 * of another oracle that replaces ours.
 */
export async function startSdkPages(
  variables: Readonly<Record<string, string>> = {},
  { browserArgs = [], isMeasured = false, config }: SdkPagesOptions = {},
): Promise<SdkPages> {
  const [server, browser] = await Promise.all([
    startRunningServer({ LLM_PROVIDER: "local", ORACLE_RATE_LIMIT_PER_MINUTE: "1000000", ...variables }, config),
    isMeasured ? launchBrowser() : startBrowser(browserArgs),
  ]);
  const users = new Map<string, PageUser>();
  const pages = createServer((request, response) => {
    serve(request, response, users).catch((error: unknown) => response.writeHead(500).end(String(error)));
  });
  await new Promise<void>((resolve) => void pages.listen(0, "localhost", resolve));
  const origin = `http://localhost:${(pages.address() as AddressInfo).port}`;
  const document = await fetch(`${server.url}/.well-known/did.json`);
  const { id: oracleDid } = await document.json<{ id: string }>();

  return {
    server,
    browser,
    oracleDid,
    async signUp() {
      const user = await createPageUser({ url: server.url, did: oracleDid });
      users.set(user.did, user);
      return user;
    },
    async open(name, user, { settings = {}, mode = "development", context } = {}) {
      const own = context ?? (await browser.newContext());
      const page = await own.newPage();
      if (context === undefined) page.on("close", () => void own.close());
      const given = { oracleUrl: server.url, oracleDid, userDid: user.did, ...settings };
      const watched = await watchPage(page, given.oracleUrl);
      await page.goto(`${origin}/${mode}/${name}/?${new URLSearchParams(given).toString()}`);
      return watched;
    },
    async keepPages(context) {
      // Chromium does not know the origin of a cached page, and requires a permission before it reaches a local server.
      await context.grantPermissions(["local-network-access"]);
      await context.route(`${origin}/**`, async (route) => {
        const request = route.request();
        const response = await fetch(request.url(), { method: request.method(), body: request.postData() });
        const body = Buffer.from(await response.arrayBuffer());
        await route.fulfill({ status: response.status, headers: Object.fromEntries(response.headers), body });
      });
    },
    async close() {
      // Pages first: this ends their remaining requests to the browser.
      await Promise.all(browser.contexts().map((context) => context.close()));
      await browser.close();
      await new Promise<void>((resolve) => {
        pages.close(() => resolve());
        pages.closeAllConnections();
      });
      await server.dispose();
    },
  };
}

async function serve(
  request: IncomingMessage,
  response: ServerResponse,
  users: ReadonlyMap<string, PageUser>,
): Promise<void> {
  const { pathname } = new URL(request.url ?? "/", "http://localhost");
  if (pathname === "/mint") return mint(request, response, users);
  const [, mode, name, file] = /^\/(development|production)\/([\w-]+)\/([\w.-]*)$/.exec(pathname) ?? [];
  if (mode === undefined || name === undefined) return void response.writeHead(404).end();
  if (file === "") return void response.writeHead(200, { "Content-Type": "text/html" }).end(documentOf(name));
  const content = (await bundlePage(name, mode as PageMode)).get(file ?? "");
  if (content === undefined) return void response.writeHead(404).end();
  const type = file?.endsWith(".css") === true ? "text/css" : "text/javascript";
  response.writeHead(200, { "Content-Type": type }).end(content);
}

async function mint(
  request: IncomingMessage,
  response: ServerResponse,
  users: ReadonlyMap<string, PageUser>,
): Promise<void> {
  let text = "";
  for await (const part of request.setEncoding("utf8")) text += part;
  const asked = JSON.parse(text) as { userDid: string; kind: TokenKind; oracleDid: string };
  const token = await users.get(asked.userDid)?.mint(asked.kind, asked.oracleDid);
  if (token === undefined) return void response.writeHead(404).end();
  response.writeHead(200, { "Content-Type": "application/json" }).end(JSON.stringify(token));
}

function documentOf(name: string): string {
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <link rel="icon" href="data:," />
    <title>${name}</title>
  </head>
  <body>
    <div id="root"></div>
    <script type="module" src="${name}.js"></script>
  </body>
</html>
`;
}
