/**
 * Sign-ins in Node: the routes of the mcp plugin over the storage of several users, browsers with cookies that follow redirects to
 * real authorization servers, and turns that need a user's token. The test controls the clock.
 */
import * as z from "zod";
import type { PluginContext } from "../../../oracle/framework/context.ts";
import type { PluginRoute } from "../../../oracle/framework/plugin-routes.ts";
import { createSealing } from "../../../oracle/framework/sealed-texts.ts";
import type { PluginKv } from "../../../oracle/framework/storage.ts";
import { signInFetch } from "../../../oracle/plugins/mcp/oauth-fetch.ts";
import { grantsOf } from "../../../oracle/plugins/mcp/oauth-grants.ts";
import { oauthRoutes } from "../../../oracle/plugins/mcp/oauth-routes.ts";
import { signInPath, type SignInParts } from "../../../oracle/plugins/mcp/oauth-sign-in.ts";
import { accessToken, type TokenAnswer } from "../../../oracle/plugins/mcp/oauth-tokens.ts";
import type { McpServer, McpSettings } from "../../../oracle/plugins/mcp/settings.ts";
import { createLogger } from "../../../platform/log.ts";
import { createKvInNode } from "./kv-in-node.ts";
import { runtimeContext } from "./small-plugins.ts";
import { responseOf } from "./route-answer.ts";

export const ORACLE = "https://oracle.example";

export function mcpServer(name: string, url: string): McpServer {
  const rules = { pin: false, approval: "writes", trusted: false, confirmSignIn: false, readOnlyTools: [] } as const;
  return { name, url, headers: {}, auth: "oauth", ...rules };
}

export function signInWorld(servers: readonly McpServer[]) {
  const kvs = new Map<string, PluginKv>();
  const lines: string[] = [];
  const clock = { now: Date.parse("2026-11-21T09:00:00.000Z") };
  let ids = 0;
  const kvOf = (did: string): PluginKv => {
    const kv = kvs.get(did) ?? createKvInNode("mcp");
    kvs.set(did, kv);
    return kv;
  };
  const logger = createLogger({}, (_level, line) => void lines.push(line));
  const config: McpSettings = { servers, operatorToken: undefined };
  const context: PluginContext<McpSettings> = {
    env: {} as Env,
    config,
    identity: { name: "Test <oracle>" },
    availablePlugins: new Set(["mcp"]),
    logger,
    oracleKv: createKvInNode("mcp"),
    sealing: createSealing(async () => new Uint8Array(32).fill(7), "mcp"),
  };
  const parts: SignInParts = {
    kvOf,
    oracleKv: context.oracleKv,
    sealing: context.sealing,
    logger,
    now: () => clock.now,
    newId: () => `id-${String((ids += 1)).padStart(20, "0")}`,
  };
  const unreachable = (): never => {
    throw new Error("not part of a sign-in");
  };
  // New routes for each request, as in a new isolate: nothing is kept between requests.
  const routes = (): readonly PluginRoute[] => oauthRoutes(context, () => clock.now);

  /** One request to a route of the plugin; `did`: signed in as that user. */
  async function ask(path: string, { did, ...init }: RequestInit & { readonly did?: string } = {}): Promise<Response> {
    const request = new Request(new URL(path, ORACLE), init);
    const url = new URL(request.url);
    const matched = routes()
      .map((route) => ({ route, params: paramsOf(route.path, url.pathname) }))
      .find(({ route, params }) => params !== undefined && route.method.toUpperCase() === request.method);
    if (matched === undefined) return new Response(null, { status: 404 });
    const { route, params = {} } = matched;
    if (route.public !== true && did === undefined) return new Response(null, { status: 401 });
    const query = (route.query ?? z.looseObject({})).parse(Object.fromEntries(url.searchParams));
    const answered = await route.handler(request, {
      ...context,
      identity: { name: context.identity.name, did: "did:key:zOracle", entityDid: "did:key:zOracle" },
      storageOf: (owner) => ({ kv: kvOf(owner), texts: runtimeContext().texts, blobs: undefined }),
      turns: { start: unreachable },
      background: unreachable,
      requestId: "req-1",
      params,
      query,
      body: route.body?.parse(await request.clone().json()),
      user: did === undefined ? undefined : { did },
      kv: did === undefined ? undefined : kvOf(did),
      texts: undefined,
    });
    return responseOf(answered);
  }

  /** The link in that user's chat. */
  const linkFor = (did: string, server: McpServer, resourceMetadata?: string): Promise<string> =>
    signInPath(parts, did, server, { resourceMetadata });

  function tokenFor(did: string, server: McpServer, refused?: string): Promise<TokenAnswer> {
    return accessToken(
      {
        server,
        grants: grantsOf(kvOf(did), context.sealing, did),
        kv: kvOf(did),
        fetch: signInFetch(server.url),
        logger,
        now: () => clock.now,
        newId: parts.newId,
        pause: () => new Promise((resolve) => setImmediate(resolve)),
        onUnknownClient: async () => undefined,
      },
      refused,
    );
  }

  return { clock, lines, parts, context, kvOf, ask, linkFor, tokenFor };
}

export type SignInWorld = ReturnType<typeof signInWorld>;

/** A browser: cookies by host, manual redirects so that a test can stop at each. */
export function browserIn(world: SignInWorld) {
  const cookies = new Map<string, string>();

  async function open(address: string, init: RequestInit = {}): Promise<Response> {
    const url = new URL(address, ORACLE);
    if (url.origin !== ORACLE) return fetch(url, { ...init, redirect: "manual" });
    const headers = new Headers(init.headers);
    headers.set("Cookie", [...cookies].map(([name, value]) => `${name}=${value}`).join("; "));
    const response = await world.ask(url.href, { ...init, headers });
    for (const line of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (line.includes("Max-Age=0")) cookies.delete(name);
      else cookies.set(name, value);
    }
    return response;
  }

  /** Sends the form of a page that was read, as `origin`. */
  async function submit(page: string, members: Record<string, string> = {}, at = ORACLE, origin = at) {
    const action = /action="([^"]*)"/.exec(page)?.[1] ?? "";
    const fields = [...page.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)];
    const form = new URLSearchParams(fields.map(([, name = "", value = ""]) => [name, value]));
    for (const [name, value] of Object.entries(members)) form.set(name, value);
    return open(new URL(action, at).href, {
      method: "POST",
      headers: { "Content-Type": "application/x-www-form-urlencoded", Origin: origin },
      body: form.toString(),
    });
  }

  /** From the link to the address of the authorization server. */
  async function setOut(link: string): Promise<string> {
    const left = await submit(await (await open(link)).text());
    return left.headers.get("Location") ?? "";
  }

  /** At the authorization server: accepts or declines as `person`, and returns the next address. */
  async function consent(address: string, person: string, answer: "yes" | "no" = "yes"): Promise<string> {
    const page = await (await open(address)).text();
    const left = await submit(page, { person, answer }, new URL(address).origin);
    return left.headers.get("Location") ?? "";
  }

  return { cookies, open, submit, setOut, consent };
}

/** A whole sign-in; returns the last page. */
export async function signIn(world: SignInWorld, link: string, person: string): Promise<Response> {
  const browser = browserIn(world);
  return browser.open(await browser.consent(await browser.setOut(link), person));
}

function paramsOf(pattern: string, path: string): Record<string, string> | undefined {
  const names = [...pattern.matchAll(/:(\w+)/g)].map(([, name = ""]) => name);
  const values = new RegExp(`^${pattern.replaceAll(/:\w+/g, "([^/]+)")}$`).exec(path)?.slice(1);
  return values === undefined ? undefined : Object.fromEntries(names.map((name, index) => [name, values[index] ?? ""]));
}
