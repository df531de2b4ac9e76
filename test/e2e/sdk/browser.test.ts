/** The cost of a conversation in a real browser on a slow processor, and how soon a frozen tab catches up. */
import { beforeAll, describe, expect, test } from "vitest";
import { hasBrowser } from "../../support/browser/browser.ts";
import { startChoppedOracle } from "../../support/sdk/chopped-oracle.ts";
import { openConversation } from "../../support/sdk/conversation-page.ts";
import { disposeAfterTests } from "../../support/server/dispose-after-tests.ts";
import { startSdkPages, type SdkPages } from "../../support/sdk/sdk-pages.ts";

const CHUNKS = 5_000;
/** Renders in a second: one in 50 ms. */
const THROTTLED_RENDERS = 20;
/** Changes of the status are drawn at once: taken, streaming, ready. */
const STATUS_RENDERS = 3;
/** Updates emitted in time may be drawn late, in the next second: up to a tenth of a second on a busy machine. */
const LATE_RENDERS = 2;
/** Milliseconds within which a frozen tab must catch up. */
const CATCH_UP_LIMIT = 1_000;
/** Milliseconds from a key to the frame that shows it. */
const KEYSTROKE_LIMIT = 50;

/** Its characters are typed one by one. */
const QUESTION = "how are you today, oracle?";

const whole = (parts: number): string => Array.from({ length: parts }, (_, index) => `part ${index + 1} `).join("");

/** The most draws within any second, from their times in milliseconds. */
function mostInASecond(times: readonly number[]): number {
  return Math.max(0, ...times.map((start) => times.filter((time) => time >= start && time < start + 1_000).length));
}

describe.runIf(hasBrowser)("on a slow processor", () => {
  let pages: SdkPages;
  const started = disposeAfterTests();
  beforeAll(async () => {
    pages = started(
      await startSdkPages(
        {
          ORACLE_SESSIONS_PER_USER: "0",
          ORACLE_USER_TURNS_PER_DAY: "0",
          ORACLE_USER_TOKENS_PER_DAY: "0",
          ORACLE_MESSAGES_PER_SESSION: "0",
        },
        { isMeasured: true },
      ),
    );
  });

  test.each(["batched", "immediate", "throttled"])(
    "5,000 chunks in mode %s: no error of React, no other message drawn [SD-240]",
    async (streamingMode) => {
      const chopped = started(await startChoppedOracle(pages.server.url, { burst: 20, everyMs: 15 }));
      const user = await pages.signUp();
      const sessionId = await user.newSession();
      for (const message of ["one", "two", "three"])
        await (await user.call("POST", `/messages/${sessionId}`, { message })).text();
      const conversation = await openConversation(pages, user, {
        settings: { sessionId, streamingMode, oracleUrl: chopped.url },
      });
      await conversation.throttle(6);
      const before = await conversation.counts();
      await conversation.send(`/slow ${CHUNKS} 0`);
      await conversation.textOf(whole(CHUNKS).length);
      const during = await conversation.counts();
      await conversation.throttle(1);
      await conversation.ready(8);

      expect(chopped.frames()).toBeGreaterThanOrEqual(CHUNKS);
      expect((await conversation.state()).messages.at(-1)?.text).toBe(whole(CHUNKS));
      const drawnAgain = Object.keys(before.rows).filter((id) => during.rows[id] !== before.rows[id]);
      expect(drawnAgain).toEqual([]);
      expect(conversation.faults).toEqual([]);
      await conversation.close();
    },
  );

  test("throttled draws at most 20 times a second, where batched draws more often [SD-241]", async () => {
    async function drawnInASecond(streamingMode: string): Promise<number> {
      const user = await pages.signUp();
      const sessionId = await user.newSession();
      const conversation = await openConversation(pages, user, { settings: { sessionId, streamingMode } });
      const before = (await conversation.counts()).drawn.length;
      // A frame every 20 ms for three seconds.
      await conversation.send("/slow 150 20");
      await conversation.textOf(whole(150).length);
      const { drawn } = await conversation.counts();
      await conversation.close();
      return mostInASecond(drawn.slice(before));
    }
    const throttled = await drawnInASecond("throttled");
    expect(throttled).toBeLessThanOrEqual(THROTTLED_RENDERS + STATUS_RENDERS + LATE_RENDERS);
    expect(await drawnInASecond("batched")).toBeGreaterThan(throttled);
  });

  test.each([
    ["its connection open", false],
    ["its connection cut", true],
  ])("a tab frozen during a reply, %s, shows all of it within a second [SD-249]", async (_how, isCut) => {
    const user = await pages.signUp();
    const sessionId = await user.newSession();
    const conversation = await openConversation(pages, user, { settings: { sessionId } });
    // It lasts longer than a second after the freeze, however long that takes.
    await conversation.send("/slow 200 30");
    await conversation.textOf(40);
    await conversation.freeze();
    if (isCut) {
      await pages.server.kill();
      await pages.server.startAgain();
    }
    await expect.poll(async () => (await user.transcript(sessionId)).length, { interval: 200 }).toBe(2);
    const thawed = performance.now();
    await conversation.thaw();
    await conversation.textOf(whole(200).length);
    expect(performance.now() - thawed).toBeLessThan(CATCH_UP_LIMIT);
    await conversation.ready(2);
    // It was frozen: nothing was drawn meanwhile.
    const { drawn } = await conversation.counts();
    expect(Math.max(...drawn.map((time, index) => time - (drawn[index - 1] ?? time)))).toBeGreaterThan(CATCH_UP_LIMIT);
    expect(conversation.faults).toEqual([]);
    await conversation.close();
  });

  test("with 2,000 messages in the page, a key is painted within 50 ms [SD-251]", async () => {
    const user = await pages.signUp();
    const sessionId = await user.newSession();
    for (let turn = 0; turn < 1_000; turn += 1)
      await (await user.call("POST", `/messages/${sessionId}`, { message: `turn ${turn}` })).text();
    const conversation = await openConversation(pages, user, {
      settings: { sessionId, pageSize: "100" },
      mode: "production",
    });
    while ((await conversation.state()).hasEarlier) await conversation.loadEarlier();
    expect((await conversation.state()).messages).toHaveLength(2_000);
    const { page } = conversation;
    await page.evaluate(`globalThis.painted = [];
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) if (entry.name === "keydown") globalThis.painted.push(entry.duration);
      }).observe({ type: "event", durationThreshold: 16, buffered: true });`);
    await conversation.throttle(4);
    const field = page.getByLabel("Message");
    await field.focus();
    for (const key of QUESTION) await page.keyboard.press(key);
    await page.evaluate("new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))");
    const painted = await page.evaluate<number[]>("globalThis.painted");
    // Keys that took less than 16 ms are not reported. One in ten may coincide with other work of the machine.
    const late = painted.filter((duration) => duration > KEYSTROKE_LIMIT);
    expect(late.length).toBeLessThan(QUESTION.length / 10);
    expect(conversation.faults).toEqual([]);
  });
});
