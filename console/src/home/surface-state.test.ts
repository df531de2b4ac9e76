/** The text of a surface's card, for each state of `/health`. */
import { expect, test } from "vitest";
import type { Health } from "../api/use-health.ts";
import { surfaceState } from "./surface-state.ts";

const healthy: Health = { status: "ok", environment: "test", database: "connected" };

test("an invalid variable is named on its own surface, a shared one on all [CN-45]", () => {
  const sick: Health = { ...healthy, misconfigured: { oracle: ["LLM_TIMEOUT_MS"] } };
  expect(surfaceState("oracle", sick)).toMatchObject({
    isWorking: false,
    details: ["Wrong settings: LLM_TIMEOUT_MS", "Database: connected"],
  });
  expect(surfaceState("registry", sick).isWorking).toBe(true);
  expect(surfaceState("registry", { ...healthy, misconfigured: { shared: ["SURFACE_HOSTS"] } }).isWorking).toBe(false);
});

test("without a database everything but the chain queries fails [CN-45]", () => {
  const cut: Health = { ...healthy, database: "disconnected" };
  expect(surfaceState("registry", cut)).toEqual({ isWorking: false, details: ["Database: not reachable"] });
  expect(surfaceState("query-gateway", cut).isWorking).toBe(true);
});

test("from 70 % on, the fill level of the database is shown, and a full database needs attention [CN-302]", () => {
  const filled = (usedBytes: number, state: "ok" | "warning" | "full") =>
    surfaceState("registry", { ...healthy, storage: { usedBytes, maxBytes: 1_000, state } });
  expect(filled(699, "ok")).toEqual({ isWorking: true, details: ["Database: connected"] });
  expect(filled(725, "warning")).toEqual({
    isWorking: true,
    details: ["Database: connected", "The database is 72 % full"],
  });
  expect(filled(1_000, "full")).toEqual({
    isWorking: false,
    details: [
      "Database: connected",
      "The database is full (100 %). Nothing can be saved until an operator frees space",
    ],
  });
});

test("nodes and plugins are counted, and plugins that are off are named", () => {
  const state: Health = {
    ...healthy,
    gateway: {
      nodes: [
        { name: "a", state: "ok", height: "5" },
        { name: "b", state: "open", height: null },
      ],
    },
    plugins: { loaded: ["memory"], excluded: [{ plugin: "slack", reason: "not_configured" }] },
  };
  expect(surfaceState("query-gateway", state).details).toEqual(["1 of 2 nodes working"]);
  expect(surfaceState("oracle", state).details).toEqual([
    "Database: connected",
    "1 plugin loaded",
    "Switched off: slack",
  ]);
});
