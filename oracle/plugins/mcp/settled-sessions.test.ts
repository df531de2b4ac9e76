/** When an isolate reads the user's storage for the tools that a session knows. */
import { expect, test } from "vitest";
import { runtimeContext } from "../../../test/support/plugins/small-plugins.ts";
import type { JsonValue } from "../../../platform/json.ts";
import type { PluginKv } from "../../framework/storage.ts";
import { SETTLED_SESSIONS, withoutChanged, type SettledSessions } from "./known-tools.ts";
import type { ListedTool } from "./listed-tool.ts";

function openKv() {
  const values = new Map<string, JsonValue>();
  let calls = 0;
  const kv: PluginKv = {
    ...runtimeContext().kv,
    get: async (key) => {
      calls += 1;
      return values.get(key);
    },
    set: async (key, value) => {
      calls += 1;
      values.set(key, value);
    },
    delete: async (key) => values.delete(key),
  };
  return { kv, calls: () => calls };
}

function listed(hash: string): ListedTool {
  return {
    name: "t",
    modelName: "s__t",
    hash,
    definition: { name: "t", inputSchema: { type: "object" } },
  };
}

const serversOf = (...hashes: readonly string[]) => [{ server: "s", tools: hashes.map(listed) }];

test("a list that a session knows is not looked up again, a changed one is", async () => {
  const { kv, calls } = openKv();
  const settled: SettledSessions = new Map();
  await withoutChanged(kv, "one", serversOf("1"), settled);
  const before = calls();
  expect(await withoutChanged(kv, "one", serversOf("1"), settled)).toEqual({ servers: serversOf("1"), changed: [] });
  expect(calls()).toBe(before);
  expect(await withoutChanged(kv, "one", serversOf("2"), settled)).toEqual({ servers: serversOf(), changed: ["s__t"] });
  expect(await withoutChanged(kv, "one", serversOf("2"), settled)).toEqual({ servers: serversOf(), changed: [] });
  expect(await withoutChanged(kv, "one", serversOf("1"), settled)).toEqual({ servers: serversOf("1"), changed: [] });
});

test("another session is unknown, and so is the oldest when there are too many", async () => {
  expect(SETTLED_SESSIONS).toBe(500);
  const { kv, calls } = openKv();
  const settled: SettledSessions = new Map();
  for (let session = 0; session <= SETTLED_SESSIONS; session += 1)
    await withoutChanged(kv, String(session), serversOf("1"), settled);
  expect(settled.size).toBe(SETTLED_SESSIONS);
  const before = calls();
  await withoutChanged(kv, String(SETTLED_SESSIONS), serversOf("1"), settled);
  expect(calls()).toBe(before);
  await withoutChanged(kv, "0", serversOf("1"), settled);
  expect(calls()).toBeGreaterThan(before);
});
