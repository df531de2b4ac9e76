import fc from "fast-check";
import { plugin as oraclePlugin } from "../../test/support/plugins/small-plugins.ts";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import type { Features } from "../framework/app-options.ts";
import { availabilityOf, isExcluded, resolvePlugins, type Resolvable } from "./plugin-loading.ts";

const numRuns = Number(process.env["PROPERTY_RUNS"] ?? 100);

const plugin = (name: string, more: Partial<Resolvable> = {}): Resolvable => ({
  name,
  availability: { kind: "ready", config: undefined },
  ...more,
});
const unconfigured = (...missing: string[]) => ({ availability: { kind: "not_configured", missing } }) as const;

describe("features [OR-128]", () => {
  test("auto follows the plugin's own test, false turns off, an unknown name is listed", () => {
    const plugins = [plugin("a"), plugin("b", unconfigured("B_KEY")), plugin("c")];
    expect(resolvePlugins(plugins, { a: "auto", c: false, nobody: true })).toEqual({
      ok: true,
      value: {
        loaded: ["a"],
        excluded: [
          { plugin: "b", reason: "not_configured", missing: ["B_KEY"] },
          { plugin: "c", reason: "disabled" },
          { plugin: "nobody", reason: "unknown" },
        ],
        softDepGaps: [],
      },
    });
  });

  test("dependencies load first, and an absent one turns off the plugins that need it", () => {
    const plugins = [plugin("top", { dependsOn: ["mid"] }), plugin("mid", { dependsOn: ["low"] }), plugin("low")];
    expect(resolvePlugins(plugins, {})).toMatchObject({ value: { loaded: ["low", "mid", "top"] } });
    expect(resolvePlugins(plugins, { low: false })).toMatchObject({
      value: {
        loaded: [],
        excluded: [
          { plugin: "low", reason: "disabled" },
          { plugin: "mid", reason: "cascaded_off", missing: ["low"] },
          { plugin: "top", reason: "cascaded_off", missing: ["mid"] },
        ],
      },
    });
  });

  test("a missing soft dependency is a gap, not an error", () => {
    expect(resolvePlugins([plugin("a", { softDependsOn: ["b"] })], {})).toMatchObject({
      value: { loaded: ["a"], softDepGaps: [{ plugin: "a", missing: "b" }] },
    });
  });
});

test("a plugin's settings are parsed once by its schema; a plugin whose settings are refused is off [OR-128]", () => {
  const configSchema = z.object({ SPEED: z.coerce.number() });
  const available = (env: object) => availabilityOf(oraclePlugin("fast", { configSchema }), env as Env);
  expect(available({ SPEED: "3" })).toEqual({ kind: "ready", config: { SPEED: 3 } });
  expect(available({})).toEqual({ kind: "not_configured", missing: ["SPEED"] });
});

describe("boot errors [OR-129]", () => {
  test.each<[string, Resolvable[], Features, string[]]>([
    ["boot.plugin.env_missing", [plugin("a", unconfigured("A_KEY"))], { a: true }, ["A_KEY"]],
    ["boot.plugin.dep_missing", [plugin("a", { dependsOn: ["nobody"] })], { a: true }, ["nobody"]],
    ["boot.plugin.cascaded_off", [plugin("a", { dependsOn: ["b"] }), plugin("b")], { a: true, b: false }, ["b"]],
    ["boot.plugin.cycle", [plugin("a", { dependsOn: ["b"] }), plugin("b", { dependsOn: ["a"] })], {}, ["a", "b"]],
  ])("%s", (code, plugins, features, names) => {
    expect(resolvePlugins(plugins, features)).toEqual({ ok: false, error: { code, plugin: "a", names } });
  });

  test("a failed plugin turns off even a forced dependent, and the oracle starts [OR-203]", () => {
    const plugins = [plugin("a", { dependsOn: ["b"] }), plugin("b", { availability: { kind: "failed" } })];
    expect(resolvePlugins(plugins, { a: true, b: true })).toMatchObject({
      ok: true,
      value: {
        loaded: [],
        excluded: [
          { plugin: "b", reason: "failed" },
          { plugin: "a", reason: "cascaded_off", missing: ["b"] },
        ],
      },
    });
  });
});

/** Three of four plugins depend on another, mostly a loadable one: one in four has a cycle or an unknown dependency. */
function anyPlugins(names: readonly string[]) {
  const dependencies = (at: number) =>
    fc.oneof(
      { weight: 1, arbitrary: fc.constant([]) },
      { weight: 3, arbitrary: fc.subarray(names.slice(0, at)) },
      { weight: 1, arbitrary: fc.subarray([...names, "nobody"], { maxLength: 1 }) },
    );
  const availability = fc.oneof(
    { weight: 18, arbitrary: fc.constant({ kind: "ready", config: undefined } as const) },
    { weight: 1, arbitrary: fc.constant({ kind: "not_configured", missing: [] } as const) },
    { weight: 1, arbitrary: fc.constant({ kind: "failed" } as const) },
  );
  const each = names.map((name, at) =>
    fc.record({ dependsOn: dependencies(at), availability }).map((more) => plugin(name, more)),
  );
  return fc.tuple(...each).chain((made) => fc.shuffledSubarray(made, { minLength: made.length }));
}

test("every plugin is loaded or excluded, and none runs without its dependencies", () => {
  const names = ["a", "b", "c", "d"];
  const feature = fc.oneof(
    { weight: 4, arbitrary: fc.constant<boolean | "auto">("auto") },
    { weight: 1, arbitrary: fc.boolean() },
  );
  const features = fc.dictionary(fc.constantFrom(...names), feature, { maxKeys: 2 });
  let withDependency = 0;
  fc.assert(
    fc.property(anyPlugins(names), features, (given, chosen) => {
      const resolved = resolvePlugins(given, chosen);
      if (!resolved.ok) return;
      const { loaded, excluded } = resolved.value;
      expect([...loaded, ...excluded.map((one) => one.plugin)].toSorted()).toEqual(names);
      for (const [at, name] of loaded.entries()) {
        const needs = given.find((one) => one.name === name)?.dependsOn ?? [];
        expect(loaded.slice(0, at)).toEqual(expect.arrayContaining([...needs]));
        expect(chosen[name]).not.toBe(false);
      }
      if (loaded.some((name) => given.some((one) => one.name === name && (one.dependsOn ?? []).length > 0)))
        withDependency += 1;
    }),
    { numRuns },
  );
  // The case under test must be common among the generated ones.
  expect(withDependency / numRuns).toBeGreaterThan(0.3);
});

describe("routes excluded from authentication [OR-130]", () => {
  test.each([
    [{ path: "/slack/events" }, true],
    [{ path: "/slack/events", method: "POST" }, true],
    [{ path: "/slack/events", method: "GET" }, false],
    [{ path: "/slack/(.*)" }, true],
    [{ path: "/slack" }, false],
    [{ path: "/slac" }, false],
    [{ path: "/other/(.*)" }, false],
  ])("%j: %s", (pattern, excluded) => {
    expect(isExcluded({ method: "post", path: "/slack/events" }, [pattern])).toBe(excluded);
  });
});
