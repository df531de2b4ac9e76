import { describe, expect, test } from "vitest";
import * as z from "zod";
import { edgeOverObjects } from "../../test/support/oracle/oracle-objects-in-node.ts";
import { plugin } from "../../test/support/plugins/small-plugins.ts";
import { jsonOf } from "../../test/support/oracle/oracle-edge.ts";
import { signer } from "../../test/support/auth/ucan.ts";
import { createOracleSurface } from "./oracle-surface.ts";
import type { PluginDefinition } from "../../oracle/framework/plugin.ts";
import { route, type PluginRoute } from "../../oracle/framework/plugin-routes.ts";
import { createLocalModel } from "../../oracle/models/local-model/model.ts";
import { systemTimers } from "../../oracle/models/timeouts.ts";

const alice = 1;
/** A route in which a test makes one mistake. */
const mistake: PluginRoute = { method: "GET", path: "/weather", handler: () => Response.json({}) };

describe("plugins", () => {
  const echo = plugin("echo", {
    getRoutes: () => [
      {
        method: "post",
        path: "/calls/:callId/echo",
        handler: async (_request, { params, user }) =>
          Response.json({ callId: params["callId"], did: user?.did ?? null }),
      },
    ],
  });

  test("add routes that need a caller, and whose parameters are decoded once [OR-4, OR-130]", async () => {
    const { edge } = await edgeOverObjects({}, { plugins: [echo] });
    expect((await edge.call("POST", "/calls/a/echo")).status).toBe(401);
    const response = await edge.call("POST", "/calls/%24a%40b%253A/echo", { as: alice });
    expect(await jsonOf(response)).toEqual({ callId: "$a@b%3A", did: (await signer(alice)).did() });
  });

  test("routes accept only described requests: parameters, query and body are validated before the plugin receives them [OR-130]", async () => {
    const seen: unknown[] = [];
    const strict = plugin("strict", {
      getRoutes: () => [
        route({
          method: "POST",
          path: "/calls/:noteId/note",
          params: z.object({ noteId: z.string().regex(/^\d+$/) }),
          query: z.object({ copies: z.coerce.number().int().max(3).default(1) }),
          body: z.object({ text: z.string().min(1) }),
          handler: async (_request, { params, query, body }) => {
            seen.push({ params, query, body });
            return Response.json({ ok: true });
          },
        }),
      ],
    });
    const { edge } = await edgeOverObjects({}, { plugins: [strict] });
    const post = async (path: string, body: unknown) => {
      const response = await edge.call("POST", path, { as: alice, body });
      return [response.status, (await jsonOf(response))["message"]];
    };
    expect(await post("/calls/x/note", { text: "a" })).toEqual([404, "Cannot POST /calls/x/note"]);
    expect((await post("/calls/1/note?copies=4", { text: "a" }))[0]).toBe(400);
    expect((await post("/calls/1/note", { text: 7 }))[0]).toBe(400);
    expect(await post("/calls/1/note", "nothing")).toEqual([
      400,
      "Request body is not valid JSON: expected an object or a list",
    ]);
    expect(await post("/calls/1/note", { text: "a".repeat(16_384) })).toEqual([413, "Request body too large"]);
    expect(seen).toEqual([]);
    expect((await post("/calls/1/note?copies=2", { text: "a", more: 1 }))[0]).toBe(200);
    expect(seen).toEqual([{ params: { noteId: "1" }, query: { copies: 2 }, body: { text: "a" } }]);
  });

  test("a plugin that excludes every path from authentication opens its own routes, not another plugin's [OR-130]", async () => {
    const greedy = plugin("greedy", { getAuthExcludedRoutes: () => [{ path: "/(.*)" }] });
    const { edge } = await edgeOverObjects({}, { plugins: [echo, greedy] });
    expect((await edge.call("POST", "/calls/a/echo")).status).toBe(401);
    expect((await edge.call("GET", "/sessions")).status).toBe(401);
  });

  test("a caller above their limit does not run a plugin's route, whatever its method [OR-130]", async () => {
    let ran = 0;
    const paid = plugin("paid", {
      getRoutes: () => [{ method: "GET", path: "/calls/price", handler: () => Response.json({ ran: (ran += 1) }) }],
    });
    const { edge } = await edgeOverObjects({ ORACLE_RATE_LIMIT_PER_MINUTE: "1" }, { plugins: [paid] });
    const statuses = [];
    for (let index = 0; index < 3; index += 1) {
      statuses.push((await edge.call("GET", "/calls/price", { as: alice })).status);
    }
    expect([statuses, ran]).toEqual([[200, 429, 429], 1]);
  });

  test("routes can be excluded from authentication by the plugin or by an option [OR-130]", async () => {
    const byOption = await edgeOverObjects(
      {},
      { plugins: [echo], authExcludedRoutes: [{ path: "/calls/(.*)", method: "POST" }] },
    );
    const byPlugin = await edgeOverObjects(
      {},
      { plugins: [{ ...echo, getAuthExcludedRoutes: () => [{ path: "/calls/:callId/echo" }] }] },
    );
    for (const { edge, objects } of [byOption, byPlugin]) {
      expect(await jsonOf(await edge.call("POST", "/calls/a/echo"))).toEqual({ callId: "a", did: null });
      expect(objects.calls).toEqual([]);
    }
  });

  test("preferences belong to the caller's DID, and are a 404 if the plugin is off [OR-123]", async () => {
    const on = await edgeOverObjects();
    expect(await jsonOf(await on.edge.call("GET", "/user-preferences", { as: alice }))).toEqual({});
    const off = await edgeOverObjects({}, { features: { "user-preferences": false } });
    expect((await off.edge.call("GET", "/user-preferences", { as: alice })).status).toBe(404);
    const { paths } = await jsonOf(await off.edge.call("GET", "/openapi/oracle.json"));
    expect(paths).not.toHaveProperty(["/user-preferences"]);
  });

  test("a boot error fails every route but the root and health [OR-128, OR-129]", async () => {
    const { edge } = await edgeOverObjects(
      {},
      { plugins: [{ ...echo, autoDetect: () => false }], features: { echo: true } },
    );
    for (const path of ["/sessions", "/models", "/.well-known/did.json"]) {
      const response = await edge.call("GET", path, { as: alice });
      expect([response.status, (await jsonOf(response))["message"]]).toEqual([500, "boot.plugin.env_missing"]);
    }
    expect((await edge.call("GET", "/")).status).toBe(200);
    expect(await jsonOf(await edge.call("GET", "/health"))).toMatchObject({
      plugins: { loaded: [], excluded: [{ plugin: "echo", reason: "boot.plugin.env_missing" }] },
    });
  });
});

test("sessions receive the oracle's profile; ORACLE_NAME wins over the name [OR-132]", async () => {
  const config = {
    name: "Ada",
    org: "ixo",
    description: "It knows stoves.",
    prompt: { capabilities: "Finds stoves." },
  };
  const profileOf = async (more: object) => {
    const env = { ORACLE_SIGNING_SEED: "07".repeat(32), ...more } as unknown as Env;
    return (await createOracleSurface({ config }).sessionSettings(env)).profile;
  };
  const did = (await signer(7)).did();
  expect(await profileOf({})).toEqual({ ...config, did, entityDid: did });
  expect(await profileOf({ ORACLE_NAME: "Juno" })).toEqual({ ...config, name: "Juno", did, entityDid: did });
});

test("an invalid setting fails the routes in their own format and appears in health by name only [OR-147]", async () => {
  const { edge } = await edgeOverObjects({ ORACLE_SIGNING_SEED: "secret" });
  const response = await edge.call("GET", "/models");
  expect(response.status).toBe(500);
  expect(await jsonOf(response)).toMatchObject({ statusCode: 500, error: "Internal Server Error" });
  const health = await edge.call("GET", "/health");
  expect(health.status).toBe(503);
  const record = await jsonOf(health);
  expect(record).toMatchObject({ status: "error", misconfigured: { oracle: ["ORACLE_SIGNING_SEED"] } });
  expect(JSON.stringify(record)).not.toContain("secret");
});

test.each<[string, Partial<PluginDefinition>]>([
  ["a promise of routes", { getRoutes: (async () => []) as never }],
  ["an unknown method", { getRoutes: () => [{ ...mistake, method: "FETCH" as "GET" }] }],
  ["a path without its slash", { getRoutes: () => [{ ...mistake, path: "weather" }] }],
  ["a path in OpenAPI notation", { getRoutes: () => [{ ...mistake, path: "/weather/{city}" }] }],
  ["a path with a query", { getRoutes: () => [{ ...mistake, path: "/weather?days=1" }] }],
  ["a route that is null", { getRoutes: () => [null as never] }],
  ["a route without a method", { getRoutes: () => [{ ...mistake, method: undefined as never }] }],
  ["a route without a path", { getRoutes: () => [{ ...mistake, path: undefined as never }] }],
  ["a method for all", { getRoutes: () => [{ ...mistake, method: "ALL" as "GET" }] }],
  ["a path that is a wildcard", { getRoutes: () => [{ ...mistake, path: "*" }] }],
  ["a path that begins with a parameter", { getRoutes: () => [{ ...mistake, path: ":a" }] }],
  ["a wildcard inside of a segment", { getRoutes: () => [{ ...mistake, path: "/goo*" }] }],
  ["an invalid open route", { getAuthExcludedRoutes: () => [undefined as never] }],
  ["an open route without a path", { getAuthExcludedRoutes: () => [{ method: "GET" } as never] }],
  ["invalid dependencies", { dependsOn: 5 as never }],
  ["a promise of middleware", { getRouteMiddlewares: (async () => []) as never }],
  ["no handler", { getRoutes: () => [{ ...mistake, handler: undefined as never }] }],
  ["an invalid schema", { getRoutes: () => [{ ...mistake, query: { days: 1 } as never }] }],
  ["an invalid middleware", { getRouteMiddlewares: () => ["none" as never] }],
  ["invalid tools", { tools: [null as never] }],
])("a plugin that returns %s is off, and the others answer [OR-203]", async (_, hook) => {
  const good = plugin("good", { getRoutes: () => [{ ...mistake, path: "/good", public: true }] });
  const { edge } = await edgeOverObjects({}, { plugins: [plugin("bad", hook), good] });
  expect((await edge.call("GET", "/good")).status).toBe(200);
  expect(await jsonOf(await edge.call("GET", "/health"))).toMatchObject({
    plugins: { loaded: ["good"], excluded: [{ plugin: "bad", reason: "failed" }] },
  });
  expect((await edge.call("GET", "/openapi/oracle.json")).status).toBe(200);
});

describe("hooks of the application [OR-206]", () => {
  const env = (more: object = {}) => ({ ORACLE_SIGNING_SEED: "07".repeat(32), ...more }) as unknown as Env;

  test("the hook receives the status of each plugin once; an exception in the hook changes nothing", () => {
    const changes: unknown[] = [];
    const onPluginStatusChange = (change: unknown) => {
      changes.push(change);
      throw new Error("of the author's own");
    };
    const plugins = [plugin("on", {}), plugin("off", { requires: ["blobs"] })];
    const oracle = createOracleSurface({ config: { name: "Test" }, plugins, hooks: { onPluginStatusChange } });
    const same = env();
    expect([oracle.plugins.status(same).loaded, oracle.plugins.status(same).loaded]).toEqual([["on"], ["on"]]);
    expect(changes).toEqual([
      { plugin: "on", from: "registered", to: "loaded" },
      { plugin: "off", from: "registered", to: "excluded", reason: "not_configured" },
    ]);
  });

  test("onError is passed to the turns; an exception in it changes nothing", async () => {
    const errors: unknown[] = [];
    const onError = (error: unknown, source: string) => {
      errors.push([error, source]);
      throw new Error("of the author's own");
    };
    const settings = await createOracleSurface({ config: { name: "Test" }, hooks: { onError } }).sessionSettings(env());
    settings.onError?.("broken", "plugin:bad");
    expect(errors).toEqual([["broken", "plugin:bad"]]);
  });

  test("resolveModel chooses a model; undefined and an exception leave the choice to the configuration", async () => {
    const errors: unknown[] = [];
    const own = createLocalModel({ modelId: "own", timers: systemTimers, mintId: () => "id" });
    const resolveModel = (id: string | undefined) => {
      if (id === "broken") throw new Error("no such model");
      return id === "own" ? own : undefined;
    };
    const hooks = { resolveModel, onError: (_: unknown, source: string) => errors.push(source) };
    const { models } = await createOracleSurface({ config: { name: "Test" }, hooks }).sessionSettings(env());
    expect(["own", "local", undefined, "broken"].map((id) => models.model(id).modelId)).toEqual([
      "own",
      "local",
      "local",
      "local",
    ]);
    expect(errors).toEqual(["resolveModel"]);
  });
});
