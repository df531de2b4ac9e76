/**
 * Serving the console: the page for every screen, its files, its headers, switching it off, and the sign-in of a
 * development machine.
 */
import { describe, expect, test } from "vitest";
import { createEdge } from "../../test/support/oracle/oracle-edge.ts";
import { createDispatcher } from "../dispatch.ts";
import { createLogger } from "../../platform/log.ts";
import { createPagesApp } from "./app.ts";
import { readPagesConfig } from "./config.ts";
import { consolePolicy } from "./console.ts";

const PAGE =
  '<!doctype html><meta name="twinedge-settings" content="{}" /><script src="/console/assets/index-A1.js"></script>' +
  '<link rel="modulepreload" crossorigin href="/console/assets/votes-B2.js" data-addresses="^\\/votes(\\/|$)">\n' +
  '<link rel="modulepreload" crossorigin href="/console/assets/audit-C3.js" data-addresses="^\\/votes\\/audit$">';
const FILES: Readonly<Record<string, string>> = {
  "/console/": PAGE,
  "/console/assets/index-A1.js": "script",
  "/console/icon.svg": "<svg/>",
};
const assets = {
  fetch: async (request: Request | URL) => {
    const url = new URL(request instanceof URL ? request : request.url);
    const content = FILES[url.pathname];
    return content === undefined
      ? new Response("no", { status: 404 })
      : new Response(content, { headers: { "Cache-Control": "public, max-age=0", ETag: '"file"' } });
  },
};
const on = { ASSETS: assets, ENVIRONMENT: "development" };

async function edge(env: object = {}) {
  const { call } = await createEdge({ ...on, ...env });
  return call;
}

/** The dispatcher with only the shared paths, at addresses that a test chooses. */
function ask(url: string, init: RequestInit = {}, env: object = {}, lines: string[] = []): Promise<Response> {
  const dispatch = createDispatcher({
    apps: { shared: createPagesApp({ surfaces: {} }) },
    hosts: readPagesConfig,
    log: (about) => createLogger(about, (_, line) => lines.push(line)),
  });
  return dispatch(new Request(url, init), { ...on, ...env } as unknown as Env, {} as ExecutionContext);
}

async function settingsOf(response: Response): Promise<unknown> {
  const [, content = ""] = /twinedge-settings" content="([^"]*)"/.exec(await response.text()) ?? [];
  return JSON.parse(content.replaceAll("&quot;", '"').replaceAll("&lt;", "<").replaceAll("&amp;", "&"));
}

describe("the page", () => {
  test.each(["/console", "/console/", "/console/registry/did:web:a.example.org", "/console/a/b.c", "/console/x.svg"])(
    "%s is the page [CN-1]",
    async (path) => {
      const call = await edge();
      const response = await call("GET", path);
      expect([response.status, response.headers.get("Content-Type")]).toEqual([200, "text/html; charset=utf-8"]);
      expect(await response.text()).toContain("/console/assets/index-A1.js");
      const head = await call("HEAD", path);
      expect([head.status, await head.text(), head.headers.get("ETag")]).toEqual([
        200,
        "",
        response.headers.get("ETag"),
      ]);
    },
  );

  test.each([
    ["/console", []],
    ["/console/votesnothing", []],
    ["/console/votes", ["votes-B2.js"]],
    ["/console/votes/p1?tab=a", ["votes-B2.js"]],
    ["/console/votes/audit", ["votes-B2.js", "audit-C3.js"]],
  ])("of %s preloads the files of its screen, and no others [CN-35]", async (path, files) => {
    const call = await edge();
    const html = await (await call("GET", path)).text();
    const named = [...html.matchAll(/<link rel="modulepreload" crossorigin href="\/console\/assets\/([^"]+)">/g)];
    expect(named.map(([, name]) => name)).toEqual(files);
    expect(html).not.toContain("data-addresses");
  });

  test.each(["POST", "PUT", "PATCH", "DELETE", "OPTIONS"])("%s is a 405 [CN-1, CN-6]", async (method) => {
    const call = await edge();
    for (const path of ["/console", "/console/assets/index-A1.js"]) {
      const response = await call(method, path, { headers: { Origin: "https://elsewhere.test" } });
      expect([response.status, response.headers.get("Allow")]).toEqual([405, "GET, HEAD"]);
    }
  });

  test("is revalidated each time, and sent once per content [CN-2]", async () => {
    const call = await edge();
    const first = await call("GET", "/console");
    const etag = first.headers.get("ETag") ?? "";
    expect([etag, first.headers.get("Cache-Control")]).toEqual([expect.stringMatching(/^"[0-9a-f]{64}"$/), "no-cache"]);
    for (const tag of [etag, `W/${etag}`, `"other", ${etag}`]) {
      const known = await call("GET", "/console/phone", { headers: { "If-None-Match": tag } });
      expect([known.status, await known.text(), known.headers.get("ETag")]).toEqual([304, "", etag]);
      expect(known.headers.get("Cache-Control")).toBe("no-cache");
    }
    expect((await call("GET", "/console", { headers: { "If-None-Match": '"other"' } })).status).toBe(200);
    // Different settings give a different tag.
    const elsewhere = await (await edge({ ENVIRONMENT: "staging", CONSOLE_ENABLED: "true" }))("GET", "/console");
    expect(elsewhere.headers.get("ETag")).not.toBe(etag);
  });

  test("contains the environment, the surfaces of its host, and whether it can sign in at once [CN-7, CN-11]", async () => {
    expect(await settingsOf(await ask("http://localhost:3000/console"))).toEqual({
      environment: "development",
      surfaces: ["oracle", "registry", "ussd", "query-gateway"],
      developmentSignIn: true,
    });
    const env = { SURFACE_HOSTS: '{"chat.example":["oracle"]}', ENVIRONMENT: 'a"b<c&$&', CONSOLE_ENABLED: "true" };
    expect(await settingsOf(await ask("https://chat.example/console", {}, env))).toEqual({
      environment: 'a"b<c&$&',
      surfaces: ["oracle"],
      developmentSignIn: false,
    });
    expect((await ask("https://other.example/console", {}, env)).status).toBe(404);
    expect(await settingsOf(await ask("http://192.168.1.7:3000/console"))).toMatchObject({ developmentSignIn: false });
  });
});

describe("files", () => {
  test("with a hash are cached for a year, others are revalidated, unknown ones are a 404 [CN-3]", async () => {
    const call = await edge();
    const cached = async (path: string) => {
      const response = await call("GET", path);
      return [response.status, response.headers.get("Cache-Control"), await response.text()];
    };
    expect(await cached("/console/assets/index-A1.js")).toEqual([200, "public, max-age=31536000, immutable", "script"]);
    expect(await cached("/console/icon.svg")).toEqual([200, "no-cache", "<svg/>"]);
    for (const path of ["/console/assets/", "/console/assets/index-B2.js", "/console/assets/..%2f"]) {
      expect((await call("GET", path)).status, path).toBe(404);
    }
  });
});

describe("headers [CN-5, CN-6]", () => {
  test.each(["/console", "/console/assets/index-A1.js", "/console/icon.svg"])("of %s", async (path) => {
    for (const CORS_ORIGIN of ["*", "https://elsewhere.test"]) {
      const response = await (
        await edge({ CORS_ORIGIN })
      )("GET", path, { headers: { Origin: "https://elsewhere.test" } });
      const headers = Object.fromEntries(response.headers);
      expect(headers).toMatchObject({
        "content-security-policy": consolePolicy("https://oracle.test/"),
        "x-content-type-options": "nosniff",
        "referrer-policy": "no-referrer",
        "cross-origin-opener-policy": "same-origin",
        "cross-origin-resource-policy": "same-origin",
        "permissions-policy": expect.stringContaining("camera=(), "),
      });
      expect(Object.keys(headers).filter((name) => name.startsWith("access-control") || name === "vary")).toEqual([]);
    }
  });

  test("the policy allows only this origin, including sockets", () => {
    const policy = consolePolicy("http://localhost:3000/console");
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self';");
    expect(policy).toContain("connect-src 'self' ws://localhost:3000 wss://localhost:3000;");
    expect(consolePolicy("https://edge.example/console")).toContain("connect-src 'self' wss://edge.example;");
    expect(policy).not.toMatch(/unsafe|\*|https?:/);
  });

  test("a host cannot add a directive", () => {
    expect(consolePolicy("https://a;script-src.example/console")).toBe(
      consolePolicy("https://a.example/").replace(" wss://a.example", ""),
    );
  });
});

describe("off [CN-4]", () => {
  const paths = ["/console", "/console/votes", "/console/assets/index-A1.js", "/console/icon.svg"];

  test.each([
    { ENVIRONMENT: "production" },
    { ENVIRONMENT: undefined },
    { ENVIRONMENT: "staging", CONSOLE_ENABLED: "" },
    { CONSOLE_ENABLED: "false" },
    { CONSOLE_ENABLED: "yes" },
  ])("with %j all its paths are a 404", async (env) => {
    const call = await edge(env);
    for (const path of paths) expect((await call("GET", path)).status, path).toBe(404);
    expect((await call("POST", "/console/development-sign-in")).status).toBe(404);
  });

  test("an author's oracle, which has no assets, has no console [CN-11]", async () => {
    const call = await edge({ ASSETS: undefined });
    for (const path of paths) expect((await call("GET", path)).status, path).toBe(404);
  });

  test("`true` turns it on in every environment", async () => {
    const call = await edge({ ENVIRONMENT: "production", CONSOLE_ENABLED: "true" });
    expect((await call("GET", "/console")).status).toBe(200);
  });

  test("a wrong value is named in health and in the log, and stops no surface", async () => {
    const database = { prepare: () => ({ first: async () => ({ 1: 1 }) }) };
    const call = await edge({ CONSOLE_ENABLED: "yes", DATABASE: database });
    const health = await call("GET", "/health");
    expect(health.status).toBe(503);
    expect(await health.json()).toMatchObject({
      misconfigured: { shared: ["CONSOLE_ENABLED"] },
      configuration: [{ surface: "shared", variable: "CONSOLE_ENABLED", problem: "must be true or false" }],
    });
    expect((await call("GET", "/models")).status).toBe(200);
    const lines: string[] = [];
    await ask("http://localhost/", {}, { CONSOLE_ENABLED: "yes" }, lines);
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { event: "configuration-wrong", problems: [{ variable: "CONSOLE_ENABLED" }] },
    ]);
  });
});

describe("development sign-in", () => {
  const SIGN_IN = "/console/development-sign-in";
  const keys = { DEV_API_KEY: "key-of-this-machine", ADMIN_TOKEN: "token-of-its-operator", USSD_OPERATOR_TOKEN: " " };
  const signIn = (base: string, headers: Record<string, string> = {}, env: object = {}, lines: string[] = []) =>
    ask(`${base}${SIGN_IN}`, { method: "POST", headers: { Origin: base, ...headers } }, { ...keys, ...env }, lines);

  test.each([
    "http://localhost:3000",
    "http://localhost",
    "http://127.0.0.1:3000",
    "http://[::1]:3000",
    "https://a.localhost:8443",
  ])("at %s the console's own page gets the configured keys, unlogged [CN-8, CN-9]", async (base) => {
    const lines: string[] = [];
    const response = await signIn(base, { "Sec-Fetch-Site": "same-origin" }, {}, lines);
    expect([response.status, response.headers.get("Cache-Control")]).toEqual([200, "no-store"]);
    expect(await response.json()).toEqual({ apiKey: keys.DEV_API_KEY, operatorToken: keys.ADMIN_TOKEN });
    expect(response.headers.has("Access-Control-Allow-Origin")).toBe(false);
    expect(lines).toEqual([]);
  });

  test.each([
    ["a name that an attacker's server gave this address", "http://rebound.example:3000", {}],
    ["an address of the local network", "http://192.168.1.7:3000", {}],
    ["a name that only shares its prefix", "http://localhost.example:3000", {}],
    ["a name that only shares its suffix", "http://notlocalhost:3000", {}],
    ["another site's page", "http://localhost:3000", { Origin: "https://elsewhere.test" }],
    ["another port of this machine", "http://localhost:3000", { Origin: "http://localhost:5173" }],
    ["another name of this machine", "http://localhost:3000", { Origin: "http://127.0.0.1:3000" }],
    ["a sandboxed frame or a file", "http://localhost:3000", { Origin: "null" }],
    ["no page at all", "http://localhost:3000", { Origin: "" }],
    ["a page of the same site", "http://localhost:3000", { "Sec-Fetch-Site": "same-site" }],
    ["a cross-site page", "http://localhost:3000", { "Sec-Fetch-Site": "cross-site" }],
    ["an address typed by hand", "http://localhost:3000", { "Sec-Fetch-Site": "none" }],
    ["a tunnel", "http://localhost:3000", { "X-Forwarded-For": "203.0.113.7" }],
    ["a tunnel that names its host", "http://localhost:3000", { "X-Forwarded-Host": "x.tunnel.example" }],
    ["a proxy", "http://localhost:3000", { Forwarded: "for=203.0.113.7" }],
    ["a proxy that names the caller only", "http://localhost:3000", { "X-Real-IP": "203.0.113.7" }],
    ["a proxy that ends TLS", "http://localhost:3000", { "X-Forwarded-Proto": "https" }],
    ["a proxy that names itself", "http://localhost:3000", { Via: "1.1 proxy" }],
  ])("%s is refused with the reason [CN-9]", async (_, base, headers) => {
    const response = await signIn(base, headers);
    const text = await response.text();
    expect([response.status, JSON.parse(text).message]).toEqual([
      403,
      expect.stringMatching(/^Development sign-in .{30,}/),
    ]);
    for (const key of Object.values(keys).filter((value) => value !== " ")) expect(text).not.toContain(key);
  });

  test.each(["staging", "production", "Development"])("does not exist in %s [CN-8]", async (ENVIRONMENT) => {
    const response = await signIn("http://localhost:3000", {}, { ENVIRONMENT, CONSOLE_ENABLED: "true" });
    expect(response.status).toBe(404);
  });

  test("other methods do not sign in [CN-1]", async () => {
    expect((await ask(`http://localhost${SIGN_IN}`)).headers.get("Content-Type")).toContain("text/html");
    const response = await ask(`http://localhost${SIGN_IN}`, { method: "PUT" });
    expect([response.status, response.headers.get("Allow")]).toEqual([405, "GET, HEAD, POST"]);
  });
});
