/** An MCP server that requires users to sign in, and its authorization server, as one mock server. */
import { startMcpPeer, type McpPeer } from "./mcp-servers.ts";
import { startOAuthServer, type OAuthServer, type OAuthServerOptions } from "./oauth-server.ts";
import type { Peer } from "./peer.ts";

export interface SignInServer extends Peer {
  readonly tools: McpPeer;
  readonly login: OAuthServer;
  /** The callers, by the tokens of the accepted requests. */
  readonly callers: readonly string[];
  /** Does what a user's browser does from the link to the oracle's last page; returns that page's text. */
  signIn(link: string, person: string): Promise<string>;
}

export interface SignInServerOptions extends OAuthServerOptions {
  readonly name?: string;
  readonly era?: "new" | "old";
}

export async function startSignInServer({
  name = "calendar",
  era = "new",
  ...options
}: SignInServerOptions = {}): Promise<SignInServer> {
  const callers: string[] = [];
  const login = await startOAuthServer({ readsDocuments: false, ...options });
  const tools = await startMcpPeer({
    name,
    era,
    auth: "oauth",
    requireBearer(token) {
      const holder = login.holderOf(token);
      if (holder?.resource !== tools.url) return false;
      callers.push(holder.person);
      return true;
    },
    // Served by the MCP server, at its own address.
    async otherRoutes(request) {
      if (new URL(request.url).pathname !== "/.well-known/oauth-protected-resource/mcp") return undefined;
      return Response.json({ resource: tools.url, authorization_servers: [login.issuer], scopes_supported: ["tools"] });
    },
  });
  return {
    name: "MCP server with sign-in",
    url: tools.url,
    variables: tools.variables,
    tools,
    login,
    callers,
    signIn: signInByBrowser,
    async stop() {
      await tools.stop();
      await login.stop();
    },
  };
}

/** Reads pages, sends their forms and follows redirects manually, with the cookies of one browser. */
async function signInByBrowser(link: string, person: string): Promise<string> {
  const browser = createBrowser();
  const start = await browser.open(link);
  const consent = await browser.submit(start.url, await start.text(), {});
  const done = await browser.submit(consent.url, await consent.text(), { person, answer: "yes" });
  return done.text();
}

export interface OpenedPage {
  readonly status: number;
  readonly url: string;
  text(): Promise<string>;
}

export function createBrowser() {
  const cookies = new Map<string, string>();

  /** Follows redirects, up to an address that starts with `stopAt`. */
  async function open(address: string, init: RequestInit = {}, stopAt?: string): Promise<OpenedPage> {
    const headers = new Headers(init.headers);
    headers.set("Cookie", [...cookies].map(([name, value]) => `${name}=${value}`).join("; "));
    const response = await fetch(address, { ...init, headers, redirect: "manual" });
    for (const line of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      cookies.set(name, value);
    }
    const location = response.headers.get("Location");
    if (location === null) return { status: response.status, url: address, text: () => response.text() };
    const next = new URL(location, address).href;
    if (stopAt !== undefined && next.startsWith(stopAt)) return { status: 0, url: next, text: async () => "" };
    return open(next, {}, stopAt);
  }

  /** The form of a page, with these members in addition to its hidden ones. */
  async function submit(address: string, page: string, members: Readonly<Record<string, string>>, stopAt?: string) {
    const action = /action="([^"]*)"/.exec(page)?.[1] ?? "";
    const hidden = [...page.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)];
    const form = new URLSearchParams(Object.fromEntries(hidden.map(([, name = "", value = ""]) => [name, value])));
    for (const [name, value] of Object.entries(members)) form.set(name, value);
    return open(
      new URL(action, address).href,
      {
        method: "POST",
        headers: { "Content-Type": "application/x-www-form-urlencoded", Origin: new URL(address).origin },
        body: form.toString(),
      },
      stopAt,
    );
  }

  return { open, submit };
}
