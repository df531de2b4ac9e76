/** Limits that turns cannot show quickly: a full memory, and an index that does not answer. */
import { afterEach, expect, test, vi } from "vitest";
import { runtimeContext } from "../../../test/support/plugins/small-plugins.ts";
import { vectorizeInMemory } from "../../../test/support/plugins/vectorize.ts";
import { KvLimitError, TEXTS_PER_PLUGIN, type PluginTexts } from "../../framework/storage.ts";
import { createMeaning, MEANING_TIMEOUT_MS } from "./meaning.ts";
import { idOf } from "./memories.ts";
import { memoryTools } from "./tools.ts";

afterEach(() => vi.useRealTimers());

test("a full memory returns a sentence and stores nothing [OR-397]", async () => {
  expect(TEXTS_PER_PLUGIN).toBe(10_000);
  const full: Pick<PluginTexts, "get" | "put"> = {
    get: async () => undefined,
    put: () => Promise.reject(new KvLimitError("keys", "full")),
  };
  const texts = { ...runtimeContext().texts, ...full };
  const [remember] = memoryTools;
  expect(await remember?.handler({ fact: "The well is dry." }, runtimeContext({ texts }))).toBe(
    "Nothing was remembered: the user's memory is full. Forget something first.",
  );
});

test("an unresponsive index is abandoned after three seconds [OR-399]", async () => {
  vi.useFakeTimers();
  const logged: string[] = [];
  const { index, model } = vectorizeInMemory([["stove"]]);
  const hanging = vectorizeInMemory([["stove"]]);
  hanging.hangs = true;
  const logger = { ...runtimeContext().logger, warn: (event: string) => void logged.push(event) };
  const meaning = createMeaning({ index, model: hanging.model, userDid: "did:key:zA", logger });
  const found = meaning.search("stove");
  await vi.advanceTimersByTimeAsync(MEANING_TIMEOUT_MS - 1);
  expect(logged).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  expect(await found).toEqual([]);
  expect(logged).toEqual(["memory-index-failed"]);
  expect(await createMeaning({ index, model, userDid: "did:key:zA", logger }).search("stove")).toEqual([]);
});

test.each([
  ["The well is dry.", "the  WELL is dry", true],
  ["The well is dry.", "The well is dry!", true],
  ["Caf\u00e9", "Cafe\u0301", true],
  ["The well is dry.", "The well is not dry.", false],
])("%j and %j are one fact: %j [OR-395]", async (one, other, same) => {
  expect((await idOf(one)) === (await idOf(other))).toBe(same);
});
