import { describe, expect, test } from "vitest";
import * as z from "zod";
import { chatSettings } from "../../test/support/oracle/chat-settings.ts";
import { plugin, tool } from "../../test/support/plugins/small-plugins.ts";
import { createLogger, withoutSecretsOf } from "../../platform/log.ts";
import { OraclePlugin, type PluginDefinition } from "../framework/plugin.ts";
import type { PluginRoute } from "../framework/plugin-routes.ts";
import { bootPlugins } from "./boot.ts";
import { describeBootError } from "./boot-errors.ts";
import type { BootOptions } from "./boot-options.ts";

const route = (method: PluginRoute["method"], path: string): PluginRoute => ({
  method,
  path,
  handler: () => Response.json({}),
});

class Weather extends OraclePlugin {
  readonly #path = "/weather";
  override readonly name = "weather";
  override readonly version = "1.0.0";
  override readonly manifest = { title: "Weather", summary: "Old.", whenToUse: ["always"] };
  override getRoutes(): PluginRoute[] {
    return [route("GET", this.#path)];
  }
}

const weatherTool = tool("get_weather", () => null);

function boot(plugins: readonly PluginDefinition[], more: Partial<BootOptions> = {}, env: object = {}) {
  const lines: string[] = [];
  const errors: [unknown, string][] = [];
  const booted = bootPlugins(env as Env, {
    plugins,
    identity: { name: "Oracle" },
    oracleParts: chatSettings().oracleParts,
    builtIn: [
      { method: "GET", path: "/sessions/:sessionId" },
      { method: "*", path: "/socket.io/*" },
    ],
    tryEdge: ({ routes }) => {
      if (routes.some(({ path }) => !path.startsWith("/"))) throw new SyntaxError("no path");
    },
    logger: createLogger({}, (_, line) => lines.push(line)),
    onError: (error, source) => errors.push([error, source]),
    ...more,
  });
  return { ...booted, lines, errors };
}

describe("boot errors name the plugin and the reason [OR-129, OR-204]", () => {
  const settings = z.object({ WEATHER_KEY: z.string(), WEATHER_URL: z.string() });
  test.each<[string, PluginDefinition[], Partial<BootOptions>, object]>([
    [
      "boot.plugin.env_missing: features forces a on, which lacks WEATHER_KEY, WEATHER_URL",
      [plugin("a", { configSchema: settings })],
      { features: { a: true } },
      {},
    ],
    [
      "boot.plugin.env_missing: features forces a on, which lacks BLOBS",
      [plugin("a", { requires: ["blobs"] })],
      { features: { a: true } },
      {},
    ],
    [
      "boot.plugin.env_missing: features forces a on, which lacks A_KEY in the environment",
      [plugin("a", { autoDetect: () => false, autoDetectHint: "A_KEY in the environment" })],
      { features: { a: true } },
      {},
    ],
    [
      "boot.plugin.env_missing: features forces a on, which lacks what its autoDetect looks for",
      [plugin("a", { autoDetect: () => false })],
      { features: { a: true } },
      {},
    ],
    [
      "boot.plugin.dep_missing: features forces a on, which needs geo",
      [plugin("a", { dependsOn: ["geo"] })],
      { features: { a: true } },
      {},
    ],
    [
      "boot.plugin.cascaded_off: features forces a on, which needs geo, which is off",
      [plugin("a", { dependsOn: ["geo"] }), plugin("geo", {})],
      { features: { a: true, geo: false } },
      {},
    ],
    [
      "boot.plugin.cycle: they need each other: a, b",
      [plugin("a", { dependsOn: ["b"] }), plugin("b", { dependsOn: ["a"] })],
      {},
      {},
    ],
    ["boot.plugin.duplicate_name: two plugins are named a", [plugin("a", {}), plugin("a", {})], {}, {}],
    [
      "boot.plugin.manifest_invalid: the manifest of a lacks summary, whenToUse",
      [plugin("a", { manifest: { title: "A", summary: " ", whenToUse: [] } })],
      {},
      {},
    ],
    [
      "boot.plugin.manifest_invalid: the manifest of a lacks title, summary, whenToUse",
      [plugin("a", { manifest: undefined })],
      {},
      {},
    ],
    [
      "boot.plugin.manifest_invalid: the manifest of a lacks a visibility that exists",
      [plugin("a", { manifest: { title: "A", summary: "A.", whenToUse: ["a"], visibility: "sometimes" as "always" } })],
      {},
      {},
    ],
    [
      "boot.plugin.manifest_invalid: the manifest of Weather lacks everything: Weather is a class, give new Weather()",
      [plugin("a", {}), Weather as never],
      {},
      {},
    ],
    [
      "boot.plugin.manifest_invalid: the manifest of plugin number 2 lacks the name of the plugin",
      [plugin("a", {}), undefined as never],
      {},
      {},
    ],
    [
      "boot.plugin.manifest_invalid: the manifest of plugin number 1 lacks the name of the plugin",
      [plugin("", {})],
      {},
      {},
    ],
    [
      "boot.plugin.manifest_invalid: the manifest of Units! lacks a name of 1 to 64 letters, digits, dashes and underscores",
      [plugin("Units!", {})],
      {},
      {},
    ],
    [
      "boot.plugin.route_clash: the route GET /a/b of a overlaps GET /a/:x (its own)",
      [plugin("a", { getRoutes: () => [route("GET", "/a/:x"), route("get", "/a/b")] })],
      {},
      {},
    ],
    [
      "boot.plugin.route_clash: the route GET /a/b of a overlaps GET /a/b (its own)",
      [plugin("a", { getRoutes: () => [route("GET", "/a/b"), route("POST", "/a/b"), route("get", "/a/b")] })],
      {},
      {},
    ],
    [
      "boot.plugin.route_clash: the route GET /sessions/mine of a overlaps GET /sessions/:sessionId (the oracle)",
      [plugin("a", { getRoutes: () => [route("get", "/sessions/mine")] })],
      {},
      {},
    ],
    [
      "boot.plugin.route_clash: the route POST /socket.io/x of a overlaps * /socket.io/* (the oracle)",
      [plugin("a", { getRoutes: () => [route("POST", "/socket.io/x")] })],
      {},
      {},
    ],
    [
      "boot.plugin.route_clash: the route GET /weather/today of b overlaps GET /weather/:city (plugin a)",
      [
        plugin("a", { getRoutes: () => [route("GET", "/weather/:city")] }),
        plugin("b", { getRoutes: () => [route("get", "/weather/today")] }),
      ],
      {},
      {},
    ],
    [
      "boot.plugin.route_clash: the route GET /v1/mine of a overlaps registry",
      [plugin("a", { getRoutes: () => [route("GET", "/v1/mine")] })],
      { otherOwnerOf: (path) => (path.startsWith("/v1/") ? "registry" : undefined) },
      {},
    ],
    [
      "boot.plugin.tool_clash: the tool get_weather of b has the same name as a tool of plugin a",
      [plugin("a", { tools: [weatherTool] }), plugin("b", { tools: [weatherTool] })],
      {},
      {},
    ],
    [
      "boot.plugin.tool_clash: the tool load_capability of a has the same name as a tool of the oracle",
      [plugin("a", { tools: [tool("load_capability", () => null)] })],
      {},
      {},
    ],
  ])("%s", (sentence, plugins, options, env) => {
    const { status, plugins: loaded, edges } = boot(plugins, options, env);
    expect(status.error === undefined ? undefined : describeBootError(status.error)).toBe(sentence);
    expect([status.loaded, loaded, edges]).toEqual([[], [], []]);
  });

  test("a tool of a disabled plugin does not clash", () => {
    const plugins = [plugin("a", { tools: [weatherTool] }), plugin("b", { tools: [weatherTool] })];
    expect(boot(plugins, { features: { a: false } }).status.loaded).toEqual(["b"]);
  });

  test("a silent plugin needs no whenToUse", () => {
    const manifest = { title: "A", summary: "Counts.", whenToUse: [], visibility: "silent" } as const;
    expect(boot([plugin("a", { manifest })]).status.loaded).toEqual(["a"]);
  });

  test("a plugin may order its own routes, and another method makes another route [OR-201]", () => {
    const own = plugin("a", { getRoutes: () => [route("GET", "/weather/today"), route("get", "/weather/:city")] });
    const other = plugin("b", { getRoutes: () => [route("POST", "/weather/:city"), route("GET", "/weather")] });
    expect(boot([own, other]).status.loaded).toEqual(["a", "b"]);
  });

  test("no boot error contains a value of the environment", () => {
    const { status, lines } = boot(
      [plugin("a", { configSchema: z.object({ A_KEY: z.string().max(3) }) })],
      { features: { a: true } },
      { A_KEY: "secret-value" },
    );
    expect(status.error).toEqual({ code: "boot.plugin.env_missing", plugin: "a", names: ["A_KEY"] });
    expect(JSON.stringify([status, lines])).not.toContain("secret");
  });
});

describe("a hook that throws at boot turns off its plugin and those that depend on it [OR-203]", () => {
  const thrower = (): never => {
    throw new SyntaxError("not JSON: secret-value");
  };
  test.each<[string, Partial<PluginDefinition>]>([
    ["autoDetect", { autoDetect: thrower }],
    ["configSchema", { configSchema: z.unknown().transform(thrower) }],
    ["getRoutes", { getRoutes: thrower }],
    ["getRouteMiddlewares", { getRouteMiddlewares: thrower }],
    ["getAuthExcludedRoutes", { getAuthExcludedRoutes: thrower }],
    ["a list of routes that cannot be read", { getRoutes: () => JSON.parse("[") as PluginRoute[] }],
    ["a route that cannot be mounted", { getRoutes: () => [route("GET", "weather")] }],
  ])("%s", (_, hook) => {
    const { status, edges, lines, errors } = boot(
      [plugin("bad", hook), plugin("needs-bad", { dependsOn: ["bad"] }), plugin("good", {})],
      { features: { bad: true, "needs-bad": true } },
    );
    expect(status).toEqual({
      loaded: ["good"],
      excluded: [
        { plugin: "bad", reason: "failed" },
        { plugin: "needs-bad", reason: "cascaded_off", missing: ["bad"] },
      ],
      softDepGaps: [],
    });
    expect(edges.map((edge) => edge.plugin.name)).toEqual(["good"]);
    expect(errors).toEqual([[expect.any(SyntaxError), "plugin:bad"]]);
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      { level: "error", event: "plugin-boot-failed", plugin: "bad", reason: "SyntaxError" },
    ]);
  });
});

test("the log has the thrown error with secrets masked; of invalid JSON only its error's name [OR-203]", () => {
  const env = { A_KEY: "a-secret-of-23-characters" };
  const throwing = (error: Error) =>
    plugin("a", {
      getRoutes: () => {
        throw error;
      },
    });
  const reasons = [new Error(`no city for ${env.A_KEY}`), new SyntaxError('"a-secr" is no JSON')].map((error) => {
    const lines: string[] = [];
    boot(
      [throwing(error)],
      {
        logger: createLogger(
          {},
          withoutSecretsOf(env, (_, line) => lines.push(line)),
        ),
      },
      env,
    );
    return lines.map((line) => (JSON.parse(line) as { readonly reason: unknown }).reason);
  });
  expect(reasons).toEqual([["Error: no city for [A_KEY]"], ["SyntaxError"]]);
});

test.each<[string, Partial<PluginDefinition>, string]>([
  ["getRoutes", { getRoutes: (async () => []) as never }, "getRoutes returns no list; hooks at boot are synchronous"],
  ["getRouteMiddlewares", { getRouteMiddlewares: () => "none" as never }, "getRouteMiddlewares returns no list"],
  ["getAuthExcludedRoutes", { getAuthExcludedRoutes: () => ({}) as never }, "getAuthExcludedRoutes returns no list"],
  ["tools", { tools: { get: weatherTool } as never }, "tools returns no list"],
  ["turnsWith", { turnsWith: "actions" as never }, "turnsWith returns no list"],
  [
    "a part of a turn",
    { turnsWith: ["files" as "actions"] },
    "turnsWith may name attachments, browser-tools and actions, not files",
  ],
  ["dependsOn", { dependsOn: "good" as never }, "dependsOn is not a list"],
  ["softDependsOn", { softDependsOn: 1 as never }, "softDependsOn is not a list"],
  ["requires", { requires: "blobs" as never }, "requires is not a list"],
  ["a binding", { requires: ["kv" as "blobs"] }, "requires may name blobs and database, not kv"],
])("a mistake in %s turns its plugin off, and the log names it [OR-203, OR-205]", (_, mistake, reason) => {
  const { status, lines } = boot([plugin("bad", mistake), plugin("good", {})]);
  expect(status).toMatchObject({ loaded: ["good"], excluded: [{ plugin: "bad", reason: "failed" }] });
  expect(lines).toEqual([expect.stringContaining(`"plugin":"bad","reason":"TypeError: ${reason}`)]);
});

test("a plugin is off without a binding that it requires [OR-205]", () => {
  const plugins = [plugin("a", { requires: ["database", "blobs"] })];
  expect(boot(plugins, {}, { BLOBS: {} }).status.excluded).toEqual([
    { plugin: "a", reason: "not_configured", missing: ["DATABASE"] },
  ]);
  expect(boot(plugins, {}, { BLOBS: {}, DATABASE: {} }).status.loaded).toEqual(["a"]);
});

test("part of a manifest is replaced, even on a class with private members or a frozen object [OR-207]", () => {
  const frozen = Object.freeze(plugin("frozen", {}));
  const { plugins, edges } = boot([new Weather(), frozen], {
    manifestOverrides: { weather: { summary: "New." }, frozen: { visibility: "silent" } },
  });
  expect(plugins.map((one) => one.plugin.manifest)).toEqual([
    { title: "Weather", summary: "New.", whenToUse: ["always"] },
    { ...frozen.manifest, visibility: "silent" },
  ]);
  expect(edges[0]?.routes.map(({ path }) => path)).toEqual(["/weather"]);
});
