/** An author's Worker: over real objects in Node, called as the platform calls it. */
import { afterEach, describe, expect, test, vi } from "vitest";
import { jsonOf } from "../test/support/oracle/oracle-edge.ts";
import { oracleObjectsInNode } from "../test/support/oracle/oracle-objects-in-node.ts";
import { plugin } from "../test/support/plugins/small-plugins.ts";
import { createSqliteDatabase } from "../test/support/storage/sqlite-database.ts";
import { mintInvocation, signer } from "../test/support/auth/ucan.ts";
import { DurableObject } from "cloudflare:workers";
import { createOracleApp, type OracleApp } from "./create-oracle-app.ts";
import type { OracleAppOptions } from "../oracle/framework/app-options.ts";
import { OraclePlugin, type PluginDefinition } from "../oracle/framework/plugin.ts";
import { userPreferences } from "../oracle/plugins/user-preferences/plugin.ts";

const development = { ENVIRONMENT: "development" };
const context = {} as ExecutionContext;

function own(options: Partial<OracleAppOptions> = {}, variables: object = development) {
  const app = createOracleApp({ config: { name: "Weather" }, ...options });
  const { CHAT_SESSION, USER_VAULT } = oracleObjectsInNode().bindings;
  const env = { CHAT_SESSION, USER_VAULT, ...variables } as unknown as Env;
  return { app, env, call: (method: string, path: string, headers = {}) => call(app, env, method, path, headers) };
}

async function call(app: OracleApp, env: Env, method: string, path: string, headers: Record<string, string>) {
  const response = await app.fetch(new Request(`https://weather.test${path}`, { method, headers }), env, context);
  return { status: response.status, body: await jsonOf(response) };
}

async function signedIn(app: ReturnType<typeof own>): Promise<Record<string, string>> {
  const { body } = await app.call("GET", "/.well-known/did.json");
  const token = await mintInvocation(await signer(1), String(body["id"]), Math.floor(Date.now() / 1000) + 600);
  return { Authorization: `Bearer ${token}`, "X-Auth-Type": "ucan" };
}

afterEach(() => vi.restoreAllMocks());

test("in development two bindings without settings are enough: its routes answer, another path is a 404 [OR-197]", async () => {
  const oracle = own();
  const statuses = new Map<string, number>();
  for (const path of ["/", "/health", "/openapi.json", "/openapi/oracle.json", "/.well-known/did.json", "/models"])
    statuses.set(path, (await oracle.call("GET", path)).status);
  expect(new Set(statuses.values())).toEqual(new Set([200]));
  expect((await oracle.call("POST", "/sessions", await signedIn(oracle))).status).toBe(201);
  for (const path of ["/nothing", "/docs", "/docs/client-guide", "/openapi/registry.json", "/v1/domains", "/graphql"])
    expect(await oracle.call("GET", path)).toEqual({
      status: 404,
      body: expect.objectContaining({ message: `Cannot GET ${path}`, error: "Not Found" }),
    });
  const { body } = await oracle.call("GET", "/openapi.json");
  expect(body["paths"]).toHaveProperty(["/sessions"]);
  expect(body["paths"]).not.toHaveProperty(["/v1/domains"]);
});

test("it uses its own name and description; ORACLE_NAME and ROOT_MESSAGE win [OR-197]", async () => {
  const { call: ask } = own({ config: { name: "Weather", description: "It knows the weather." } });
  expect((await ask("GET", "/")).body).toMatchObject({ message: "Weather is running" });
  for (const path of ["/openapi.json", "/openapi/oracle.json"]) {
    const { body } = await ask("GET", path);
    expect(body["info"]).toEqual({ title: "Weather", version: "1", description: "It knows the weather." });
  }
  const renamed = own({}, { ...development, ORACLE_NAME: "Rain", ROOT_MESSAGE: "Good day" });
  expect((await renamed.call("GET", "/")).body).toMatchObject({ message: "Good day" });
  const { body } = await renamed.call("GET", "/openapi.json");
  expect(body["info"]).toMatchObject({ title: "Rain", description: expect.stringContaining("Chat sessions") });
  expect(JSON.stringify(body)).not.toContain("twinedge");
});

test("it exports two Durable Object classes, and its handlers do not use this [OR-197]", async () => {
  const { app } = own();
  expect([app.ChatSession.prototype, app.UserVault.prototype]).toEqual([
    expect.any(DurableObject),
    expect.any(DurableObject),
  ]);
  const { fetch, scheduled } = app;
  expect(await scheduled({} as ScheduledController, {} as Env, context)).toBeUndefined();
  expect((await fetch(new Request("https://weather.test/"), development as Env, context)).status).toBe(200);
});

describe("without a database [OR-198]", () => {
  test("health is ok, and the preferences are off because the binding is missing", async () => {
    const { status, body } = await own().call("GET", "/health");
    expect([status, body]).toMatchObject([
      200,
      {
        status: "ok",
        database: "not_bound",
        plugins: {
          loaded: expect.arrayContaining(["portal", "agui"]),
          excluded: expect.arrayContaining([
            { plugin: "user-preferences", reason: "not_configured", missing: ["DATABASE"] },
          ]),
        },
      },
    ]);
  });

  test("with an empty one the preferences are on, and their table is created at the first use", async () => {
    const oracle = own({}, { ...development, DATABASE: createSqliteDatabase([]) });
    const { status, body } = await oracle.call("GET", "/user-preferences", await signedIn(oracle));
    expect([status, body]).toEqual([200, {}]);
    expect((await oracle.call("GET", "/health")).body).toMatchObject({ status: "ok", database: "connected" });
  });
});

describe("without a key [OR-199]", () => {
  test("in development it signs with a well-known one, about which the log warns once and health warns too", async () => {
    const warn = vi.spyOn(console, "warn").mockImplementation(() => undefined);
    const oracle = own();
    await oracle.call("GET", "/models");
    await oracle.call("GET", "/models");
    expect(warn.mock.calls.flat().filter((line) => String(line).includes("development-key-used"))).toHaveLength(1);
    const { body } = await oracle.call("GET", "/health");
    expect(body["warnings"]).toEqual([expect.stringContaining("set ORACLE_SIGNING_SEED")]);
  });

  test("with a key or a DID there is no warning", async () => {
    for (const identity of [{ ORACLE_SIGNING_SEED: "07".repeat(32) }, { ORACLE_DID: "did:ixo:ixo1abc" }]) {
      const { body } = await own({}, { ...development, ...identity }).call("GET", "/health");
      expect(body["warnings"]).toBeUndefined();
    }
  });

  test("outside development health warns if a delegation alone signs in and invocations can be minted [OR-546]", async () => {
    const warningsOf = async (env: object) => (await own({}, env).call("GET", "/health")).body["warnings"];
    const seed = { ORACLE_SIGNING_SEED: "07".repeat(32) };
    expect(await warningsOf(seed)).toEqual([expect.stringContaining("UCAN_ALLOW_BARE_DELEGATION_AUTH=false")]);
    expect(await warningsOf({ ...seed, UCAN_ALLOW_BARE_DELEGATION_AUTH: "false" })).toBeUndefined();
    expect(await warningsOf({ ORACLE_DID: "did:ixo:ixo1abc" })).toBeUndefined();
  });

  test("elsewhere it does not start", async () => {
    const oracle = own({}, {});
    expect((await oracle.call("GET", "/models")).status).toBe(500);
    expect((await oracle.call("GET", "/health")).body).toMatchObject({
      status: "error",
      misconfigured: { oracle: ["ORACLE_SIGNING_SEED"] },
    });
  });
});

test("the bundled plugins can be replaced, and a second one with a bundled name is a boot error [OR-204, OR-207]", async () => {
  const { app, env } = own({ bundledPlugins: [], plugins: [plugin("mine", {})] });
  expect(app.plugins.status(env)).toEqual({ loaded: ["mine"], excluded: [], softDepGaps: [] });
  const twice = own({ plugins: [userPreferences] });
  expect(twice.app.plugins.status(twice.env)).toMatchObject({
    loaded: [],
    error: { code: "boot.plugin.duplicate_name", plugin: "user-preferences" },
  });
});

test("after a boot error only / and /health work; it is in the log once, and in health as an error [OR-129, OR-204, OR-660]", async () => {
  const error = vi.spyOn(console, "error").mockImplementation(() => undefined);
  const clashing = plugin("weather", {
    getRoutes: () => [{ method: "GET", path: "/models", handler: () => Response.json({}) }],
  });
  const oracle = own({ plugins: [clashing] });
  const deployed = own({ plugins: [clashing] }, { ENVIRONMENT: "production", ORACLE_SIGNING_SEED: "5a".repeat(32) });
  for (const path of ["/models", "/nothing", "/.well-known/did.json"])
    expect(await deployed.call("GET", path)).toMatchObject({
      status: 500,
      body: { message: "boot.plugin.route_clash", error: "Internal Server Error" },
    });
  error.mockClear();
  const sentence = "boot.plugin.route_clash: the route GET /models of weather overlaps GET /models (the oracle)";
  for (const path of ["/models", "/nothing", "/.well-known/did.json"])
    expect(await oracle.call("GET", path)).toMatchObject({ status: 500, body: { message: sentence } });
  const { status, body } = await oracle.call("GET", "/health");
  expect([status, body]).toMatchObject([
    503,
    {
      status: "error",
      misconfigured: { oracle: ["plugins"] },
      plugins: { error: { plugin: "weather", names: ["GET /models", "GET /models (the oracle)"], message: sentence } },
    },
  ]);
  expect((await oracle.call("GET", "/")).status).toBe(200);
  // Each refused request has its own line, with a different event.
  const ofBoot = error.mock.calls.flat().filter((line) => String(line).includes('"event":"configuration-wrong"'));
  expect(ofBoot).toEqual([expect.stringContaining(sentence)]);
});

describe("the log", () => {
  function logged(level: "info" | "warn" | "error") {
    const spy = vi.spyOn(console, level).mockImplementation(() => undefined);
    return (event: string) =>
      spy.mock.calls
        .map(([line]) => JSON.parse(String(line)) as Record<string, unknown>)
        .filter((line) => line["event"] === event);
  }

  test("names a plugin that is off once, with the missing settings; not one that its author switched off [OR-205]", async () => {
    const lines = logged("warn");
    const notes = logged("info");
    const plugins = [
      plugin("bucket", { requires: ["blobs"] }),
      plugin("needs", { dependsOn: ["bucket"] }),
      plugin("no", {}),
      plugin("optional", { autoDetect: () => false }),
    ];
    const oracle = own({ bundledPlugins: [], plugins, features: { no: false, wether: true } });
    for (const path of ["/models", "/health", "/models"]) await oracle.call("GET", path);
    expect(lines("plugin-off").map(({ plugin: name, reason, missing }) => [name, reason, missing])).toEqual([
      ["bucket", "not_configured", ["BLOBS"]],
      ["needs", "cascaded_off", ["bucket"]],
      ["wether", "unknown", []],
    ]);
    expect(notes("plugin-off")).toMatchObject([{ plugin: "optional", reason: "not_configured" }]);
  });

  test.each<[string, unknown]>([
    ["nothing", undefined],
    ["a plain object", { celsius: 20 }],
    ["an error", new Error("no weather")],
  ])("names the plugin whose route returns %s, which is a 500 [OR-201]", async (_, given) => {
    const lines = logged("error");
    const handler = () => {
      if (given instanceof Error) throw given;
      return given as Response;
    };
    const bad = plugin("bad", { getRoutes: () => [{ method: "GET", path: "/bad/:city", public: true, handler }] });
    const errors: unknown[] = [];
    const oracle = own({ plugins: [bad], hooks: { onError: (error) => errors.push(error) } });
    expect(await oracle.call("GET", "/bad/x")).toMatchObject({
      status: 500,
      body: { message: "Internal server error" },
    });
    const reason =
      given instanceof Error ? "Error: no weather" : "TypeError: the handler of GET /bad/:city returned no Response";
    expect(lines("request-failed")).toEqual([expect.objectContaining({ plugin: "bad", reason })]);
    expect(errors).toEqual([expect.objectContaining({ message: reason.replace(/^\w+: /, "") })]);
  });
});

test.each<[string, unknown]>([
  ["no manifest", { name: "bad", version: "1.0.0" }],
  [
    "a class instead of an instance",
    class bad extends OraclePlugin {
      override readonly name = "bad";
      override readonly version = "1.0.0";
      override readonly manifest = { title: "Bad", summary: "Bad.", whenToUse: ["never"] };
    },
  ],
])("%s is a boot error, and health names the plugin [OR-204]", async (_, bad) => {
  const oracle = own({ plugins: [bad as PluginDefinition] });
  expect(await oracle.call("GET", "/health")).toMatchObject({
    status: 503,
    body: { status: "error", plugins: { error: { code: "boot.plugin.manifest_invalid", plugin: "bad" } } },
  });
});

test.each<[string, object]>([
  ["features", { features: null }],
  ["overrides", { manifestOverrides: null, plugins: [plugin("a", {})] }],
  ["open routes", { authExcludedRoutes: [undefined], plugins: [plugin("a", { getRoutes: () => [open] })] }],
  ["hooks", { hooks: null }],
])("unreadable %s are a boot error, and health works [OR-204]", async (_, options) => {
  const error = vi.spyOn(console, "error").mockImplementation(() => undefined);
  const oracle = own(options);
  expect((await oracle.call("GET", "/models")).status).toBe(500);
  const message = "boot.options_invalid: the options of createOracleApp cannot be read: TypeError";
  expect(await oracle.call("GET", "/health")).toMatchObject({ status: 503, body: { plugins: { error: { message } } } });
  expect(error.mock.calls.flat().filter((line) => String(line).includes("plugin-boot-failed"))).toHaveLength(1);
});

const open = { method: "GET", path: "/open", handler: () => Response.json({}) } as const;

test("a hook that returns a promise instead of its list turns its plugin off, and health names it [OR-203]", async () => {
  const oracle = own({ plugins: [plugin("bad", { getRoutes: (async () => []) as never })] });
  expect(await oracle.call("GET", "/health")).toMatchObject({
    status: 200,
    body: { plugins: { excluded: expect.arrayContaining([{ plugin: "bad", reason: "failed" }]) } },
  });
});

test("a plugin's route cannot use a path that every oracle has [OR-201]", () => {
  for (const path of ["/health", "/openapi/mine.json", "/docs/mine"]) {
    const route = { method: "GET", path, handler: () => Response.json({}) } as const;
    const { app, env } = own({ plugins: [plugin("weather", { getRoutes: () => [route] })] });
    expect([path, app.plugins.status(env).error?.code]).toEqual([path, "boot.plugin.route_clash"]);
  }
});
