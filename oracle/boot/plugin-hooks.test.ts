/** Hooks outside turns and requests: plugins' health reports, and their schedules. */
import { describe, expect, test } from "vitest";
import { plugin } from "../../test/support/plugins/small-plugins.ts";
import { createLogger } from "../../platform/log.ts";
import type { PluginContext, ScheduleContext } from "../framework/context.ts";
import type { PluginDefinition } from "../framework/plugin.ts";
import type { PluginEdge } from "./boot-options.ts";
import { HEALTH_TIME_LIMIT_MS, pluginHealth } from "./plugin-health.ts";
import { runSchedules, SCHEDULE_TIME_LIMIT_MS } from "./plugin-schedule.ts";

const never = new Promise<never>(() => undefined);

function setUp(plugins: readonly PluginDefinition[]) {
  const lines: string[] = [];
  const errors: string[] = [];
  const edges = plugins.map((one): PluginEdge => ({
    plugin: one,
    context: { env: {} } as PluginContext,
    routes: [],
    middlewares: [],
    openRoutes: [],
    tools: [],
  }));
  const parts = {
    env: { SERVICE_TOKEN: "token-of-a-service" } as unknown as Env,
    logger: createLogger({}, (_, line) => lines.push(line)),
    onError: (_error: unknown, source: string) => errors.push(source),
    timeLimitMs: 5,
  };
  return { lines, errors, edges, parts };
}

describe("health [OR-272]", () => {
  test("asks all plugins concurrently; one that throws, hangs or answers something else reports only that, without secrets", async () => {
    const { lines, errors, edges, parts } = setUp([
      plugin("silent", {}),
      plugin("well", { getHealth: () => ({ service: "up", address: "https://x/?key=token-of-a-service" }) }),
      plugin("hangs", { getHealth: () => never }),
      plugin("throws", {
        getHealth: () => {
          throw new Error("no luck");
        },
      }),
      plugin("rejects", { getHealth: () => Promise.reject(new Error("no luck")) }),
      plugin("other", { getHealth: () => "fine" as never }),
      plugin("numbers", { getHealth: () => ({ count: Number.NaN }) }),
    ]);
    expect(await pluginHealth(edges, parts)).toEqual({
      well: { service: "up", address: "https://x/?key=[SERVICE_TOKEN]" },
      hangs: { state: "no answer" },
      throws: { state: "failed" },
      rejects: { state: "failed" },
      other: { state: "failed" },
      numbers: { state: "failed" },
    });
    expect(errors).toEqual(
      expect.arrayContaining(["plugin:throws", "plugin:rejects", "plugin:other", "plugin:numbers"]),
    );
    expect(lines.map((line) => (JSON.parse(line) as { event: string }).event)).toEqual(
      Array.from({ length: 4 }, () => "plugin-health-failed"),
    );
  });

  test("waits a second, and has no member when no plugin reports anything", async () => {
    expect(HEALTH_TIME_LIMIT_MS).toBe(1_000);
    const { edges, parts } = setUp([plugin("silent", {})]);
    expect(await pluginHealth(edges, parts)).toBeUndefined();
  });
});

describe("schedules [OR-271]", () => {
  test("run concurrently; a schedule that throws or takes too long is logged and delays no other", async () => {
    const ran: string[] = [];
    const { lines, errors, edges, parts } = setUp([
      plugin("hangs", { onSchedule: () => never }),
      plugin("throws", {
        onSchedule: () => {
          throw new Error("no luck");
        },
      }),
      plugin("none", {}),
      plugin("well", { onSchedule: ({ scheduledTime }) => void ran.push(`well ${scheduledTime}`) }),
    ]);
    const contextOf = () => ({ scheduledTime: 60_000 }) as ScheduleContext;
    await runSchedules(edges, { ...parts, contextOf });
    expect(ran).toEqual(["well 60000"]);
    expect(errors.toSorted()).toEqual(["plugin:hangs", "plugin:throws"]);
    const reasons = lines.map((line) => JSON.parse(line) as object);
    expect(reasons).toContainEqual(
      expect.objectContaining({
        event: "plugin-schedule-failed",
        plugin: "hangs",
        reason: "TimeUp: did not end within 5 ms",
      }),
    );
    expect(reasons).toContainEqual(expect.objectContaining({ plugin: "throws", reason: "Error: no luck" }));
  });

  test("take 30 seconds at most", () => {
    expect(SCHEDULE_TIME_LIMIT_MS).toBe(30_000);
  });
});
