import { describe, expect, test } from "vitest";
import { createEdge } from "../../test/support/oracle/oracle-edge.ts";
import type { JsonObject } from "../../platform/json.ts";
import { probeDatabase } from "./health.ts";
import { REFERENCE_POLICY } from "./reference.ts";

const database = (run: () => Promise<unknown>) => ({ prepare: () => ({ run }) }) as unknown as D1Database;
const working = database(async () => ({ meta: {} }));
const assets = {
  fetch: async (request: Request) =>
    request.url.endsWith("/docs/swagger-ui.css") ? new Response("css") : new Response("no", { status: 404 }),
};

async function edge(env: object = {}) {
  const { call } = await createEdge({ DATABASE: working, ASSETS: assets, ENVIRONMENT: "test", ...env });
  return async (method: string, path: string, headers: Record<string, string> = {}) => {
    const response = await call(method, path, { headers });
    const text = await response.text();
    const isJson = response.headers.get("Content-Type")?.includes("json") === true;
    return { response, text, body: (isJson && text !== "" ? JSON.parse(text) : {}) as JsonObject };
  };
}

describe("root and health", () => {
  test("the root answers without a query to the database [ALL-19]", async () => {
    const call = await edge({ DATABASE: undefined, ROOT_MESSAGE: "Good day" });
    const { response, body } = await call("GET", "/");
    expect(response.status).toBe(200);
    expect(Object.keys(body)).toEqual(["status", "message", "environment", "timestamp"]);
    expect(body).toMatchObject({ status: "ok", message: "Good day", environment: "test" });
  });

  test("in development the root redirects a browser to the console, and returns JSON to a program [ALL-37]", async () => {
    const call = await edge({ ENVIRONMENT: "development" });
    const browser = { Accept: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8" };
    const { response } = await call("GET", "/", browser);
    expect([response.status, response.headers.get("Location")]).toEqual([302, "/console"]);
    expect(response.headers.get("Vary")).toContain("Accept");
    for (const Accept of ["", "*/*", "application/json"]) {
      expect((await call("GET", "/", { Accept })).body).toMatchObject({ status: "ok" });
    }
    for (const env of [{}, { ENVIRONMENT: "development", CONSOLE_ENABLED: "false" }]) {
      expect((await (await edge(env))("GET", "/", browser)).body).toMatchObject({ status: "ok" });
    }
  });

  test("health has its members in the documented order [ALL-20]", async () => {
    const { response, body } = await (await edge())("GET", "/health");
    expect(response.status).toBe(200);
    expect(Object.keys(body)).toEqual([
      "status",
      "environment",
      "timestamp",
      "uptime",
      "database",
      "frontendTools",
      "plugins",
      "warnings",
    ]);
    expect(body["frontendTools"]).toEqual({
      protocolVersion: 2,
      execution: "single-socket",
      timeoutOutcome: "unknown",
    });
    expect(body).toMatchObject({
      status: "ok",
      environment: "test",
      database: "connected",
      uptime: expect.any(Number),
    });
    expect(body["timestamp"]).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  });

  test("an unreachable database is a 503 [ALL-21]", async () => {
    const call = await edge({ DATABASE: database(() => Promise.reject(new Error("secret"))) });
    const { response, body, text } = await call("GET", "/health");
    expect(response.status).toBe(503);
    expect(body).toMatchObject({ status: "error", database: "disconnected" });
    expect(text).not.toContain("secret");
  });

  test("a database that does not respond in time is unreachable [ALL-21]", async () => {
    expect(
      await probeDatabase(
        database(() => new Promise(() => undefined)),
        5,
        1_000,
      ),
    ).toEqual({ database: "disconnected" });
    expect(await probeDatabase(working, 5, 1_000)).toEqual({ database: "connected" });
  });

  test.each([
    [699, "ok"],
    [700, "warning"],
    [999, "warning"],
    [1_000, "full"],
  ])("of 1,000 bytes %i are used: %s [ALL-34]", async (usedBytes, state) => {
    const DATABASE = database(async () => ({ meta: { size_after: usedBytes } }));
    const { response, body } = await (await edge({ DATABASE, DATABASE_MAX_BYTES: "1000" }))("GET", "/health");
    expect(response.status).toBe(200);
    expect(body["storage"]).toEqual({ usedBytes, maxBytes: 1_000, state });
  });

  test("ignores a surface that the host does not serve [ALL-21]", async () => {
    const env = { ORACLE_SIGNING_SEED: "wrong", SURFACE_HOSTS: '{"oracle.test":["registry"]}' };
    const { response, body } = await (await edge(env))("GET", "/health");
    expect([response.status, body["plugins"]]).toEqual([200, undefined]);
  });

  test("an unreadable table of hosts is named", async () => {
    const { response, body } = await (await edge({ SURFACE_HOSTS: "{" }))("GET", "/health");
    expect([response.status, body["misconfigured"]]).toEqual([503, { shared: ["SURFACE_HOSTS"] }]);
  });

  const wrong = {
    SURFACE_HOSTS: "{",
    ORACLE_SIGNING_SEED: "secret-seed",
    LLM_TIMEOUT_MS: "soon",
    STATIC_DID_KEYS: '{"did:x:secret-name-inside":["secret-key"]}',
  };

  test("in development health reports the faults, elsewhere only the variables' names [ALL-22]", async () => {
    const { body, text } = await (await edge({ ...wrong, ENVIRONMENT: "development" }))("GET", "/health");
    expect(body).toMatchObject({
      environment: "development",
      misconfigured: {
        shared: ["SURFACE_HOSTS"],
        oracle: ["ORACLE_SIGNING_SEED", "STATIC_DID_KEYS", "LLM_TIMEOUT_MS"],
      },
      configuration: [
        {
          surface: "shared",
          variable: "SURFACE_HOSTS",
          problem: "must be JSON",
          example: expect.stringContaining("["),
        },
        {
          surface: "oracle",
          variable: "ORACLE_SIGNING_SEED",
          problem: "must be 64 hexadecimal digits",
          example: "what `openssl rand -hex 32` prints",
        },
        { variable: "STATIC_DID_KEYS", problem: "/*/0: must contain only did:keys of Ed25519" },
        { variable: "LLM_TIMEOUT_MS", problem: "must be a whole number, such as 60000" },
      ],
    });
    expect(text).not.toContain("secret");
    const { body: elsewhere } = await (await edge(wrong))("GET", "/health");
    expect(elsewhere).toMatchObject({ environment: "test", misconfigured: { shared: ["SURFACE_HOSTS"] } });
    expect(elsewhere["configuration"]).toBeUndefined();
  });

  test.each(["/", "/health"])("other methods on %s are a 405 [ALL-23]", async (path) => {
    for (const method of ["POST", "PUT", "PATCH", "DELETE"]) {
      const { response, body } = await (await edge())(method, path);
      expect([response.status, response.headers.get("Allow"), body["statusCode"]]).toEqual([405, "GET, HEAD", 405]);
    }
    expect((await (await edge())("HEAD", path)).response.status).toBe(200);
  });
});

describe("documents [ALL-24]", () => {
  test("of the host, its aliases, and of one surface", async () => {
    const call = await edge();
    const { text, body } = await call("GET", "/openapi.json");
    expect(body).toMatchObject({ openapi: "3.1.0", paths: { "/health": {}, "/sessions": {} } });
    expect((await call("GET", "/docs-json")).text).toBe(text);
    expect((await call("GET", "/docs/openapi.json")).text).toBe(text);
    const { body: oracle } = await call("GET", "/openapi/oracle.json");
    expect(oracle["paths"]).toHaveProperty(["/messages/{sessionId}", "post"]);
    expect(oracle).toMatchObject({ info: { title: "Oracle chat service" }, paths: { "/": {}, "/health": {} } });
    expect(oracle["paths"]).not.toHaveProperty("/v1/domains");
  });

  test.each(["/openapi.json", "/docs-json", "/openapi/oracle.json"])(
    "%s is sent once to a client that caches it",
    async (path) => {
      const call = await edge();
      const etag = (await call("GET", path)).response.headers.get("ETag") ?? "none";
      expect(etag).toMatch(/^"\w+"$/);
      const { response, text } = await call("GET", path, { "If-None-Match": etag });
      expect([response.status, text, response.headers.get("ETag")]).toEqual([304, "", etag]);
      expect((await call("GET", path, { "If-None-Match": '"other"' })).response.status).toBe(200);
    },
  );

  test("every reference inside resolves", async () => {
    const { body, text } = await (await edge())("GET", "/openapi.json");
    const names = [...text.matchAll(/"#\/components\/schemas\/([^"]+)"/g)].map((match) => match[1] ?? "");
    expect(names.length).toBeGreaterThan(10);
    for (const name of names) expect(body).toHaveProperty(["components", "schemas", name]);
    expect(text).not.toContain("#/$defs");
  });

  test("a restricted host describes only its own surfaces", async () => {
    const call = await edge({ SURFACE_HOSTS: '{"oracle.test":["registry"]}' });
    expect((await call("GET", "/openapi/oracle.json")).response.status).toBe(404);
    expect(Object.keys((await call("GET", "/openapi.json")).body["paths"] ?? {})).toEqual(["/", "/health"]);
  });
});

describe("the reference", () => {
  test.each(["/docs", "/docs/"])(
    "%s is a page under a strict policy, without inline script or external address [CN-246]",
    async (path) => {
      const { response, text } = await (await edge())("GET", path);
      expect(response.headers.get("Content-Type")).toBe("text/html; charset=utf-8");
      expect(response.headers.get("Content-Security-Policy")).toBe(REFERENCE_POLICY);
      expect(REFERENCE_POLICY).not.toContain("unsafe");
      expect(Object.fromEntries(response.headers)).toMatchObject({
        "cross-origin-opener-policy": "same-origin",
        "cross-origin-resource-policy": "same-origin",
        "permissions-policy": expect.stringContaining("camera=(), "),
      });
      expect(text).toContain("/openapi/oracle.json");
      for (const page of ["client-guide", "plugins", "reference/README", "glossary"])
        expect(text).toContain(`href="/docs/${page}"`);
      expect(text).not.toMatch(/<script(?! src="\/docs\/)|\son\w+=|style=|https?:\/\//);
    },
  );

  test("it links to the console if that is on [CN-295]", async () => {
    const link = '<a href="/console">Console</a>';
    for (const variables of [{ ENVIRONMENT: "development" }, { CONSOLE_ENABLED: "true" }])
      expect((await (await edge(variables))("GET", "/docs")).text).toContain(link);
    expect((await (await edge())("GET", "/docs")).text).not.toContain(link);
  });

  test("assets come from the platform, unknown ones are a 404", async () => {
    const call = await edge();
    const { response, text } = await call("GET", "/docs/swagger-ui.css");
    expect([response.status, text]).toEqual([200, "css"]);
    expect(response.headers.get("X-Content-Type-Options")).toBe("nosniff");
    const unknown = await call("GET", "/docs/nothing.js");
    expect([unknown.response.status, unknown.body["message"]]).toEqual([404, "Cannot GET /docs/nothing.js"]);
  });
});

test("every response has the request id", async () => {
  const call = await edge();
  for (const path of ["/", "/health", "/docs", "/docs/nothing", "/openapi.json", "/nothing"]) {
    const { response } = await call("GET", path, { "X-Request-Id": "req-42" });
    expect([path, response.headers.get("X-Request-Id")]).toEqual([path, "req-42"]);
  }
});
