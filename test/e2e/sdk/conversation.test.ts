/** A conversation in a real browser against the real Worker: reloads, tabs, the network lost and restored. */
import { randomInt } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import { hasBrowser } from "../../support/browser/browser.ts";
import { expectWhole, openConversation } from "../../support/sdk/conversation-page.ts";
import { disposeAfterTests } from "../../support/server/dispose-after-tests.ts";
import type { PageMode } from "../../support/sdk/page-bundles.ts";
import type { PageUser } from "../../support/sdk/page-user.ts";
import { startSdkPages, type SdkPages } from "../../support/sdk/sdk-pages.ts";

/** The answer to `/slow <parts> <ms>`. */
const said = (parts: number): string => Array.from({ length: parts }, (_, index) => `part ${index + 1} `).join("");

async function stored(user: PageUser, sessionId: string): Promise<readonly string[]> {
  return (await user.transcript(sessionId)).map(({ type, content }) => `${type}: ${content.trim()}`);
}

describe.runIf(hasBrowser)("a conversation in a browser", () => {
  let pages: SdkPages;
  const started = disposeAfterTests();
  beforeAll(async () => {
    pages = started(await startSdkPages({ ORACLE_SESSIONS_PER_USER: "0", ORACLE_USER_TURNS_PER_DAY: "0" }));
  });

  async function opened(settings: Readonly<Record<string, string>> = {}, mode: PageMode = "development") {
    const user = await pages.signUp();
    const sessionId = await user.newSession();
    const conversation = await openConversation(pages, user, { settings: { sessionId, ...settings }, mode });
    return { user, sessionId, conversation };
  }

  test("in StrictMode, a message is one POST, a reload is one joined run, and there is one socket [SD-244]", async () => {
    const { user, sessionId, conversation } = await opened({ strict: "true" });
    const { traffic } = conversation;
    await expect.poll(() => traffic.openSockets()).toBe(1);
    expect(traffic.sockets).toHaveLength(1);
    // Far longer than a reload takes; it is stopped from elsewhere after it was joined.
    await conversation.send("/slow 2000 50");
    await conversation.textOf(40);
    await conversation.reload();
    await conversation.textOf(80);
    await user.call("POST", "/messages/abort", { sessionId });
    await conversation.ready(2);
    expect(traffic.posts()).toHaveLength(1);
    expect(traffic.resumes()).toHaveLength(1);
    // Playwright reports an end later than the page.
    await expect.poll(() => [traffic.sockets.length, traffic.openSockets(), traffic.openStreams()]).toEqual([2, 1, 0]);
    await expectWhole(user, sessionId, conversation);
  });

  test("reloaded at 100 random offsets, the reply equals the stored one byte for byte, with each message once [SD-242]", async () => {
    const parts = 500;
    const length = said(parts).length;
    let reloads = 0;
    async function reloadAll(): Promise<void> {
      while (reloads < 100) {
        const { user, sessionId, conversation } = await opened({}, "production");
        await conversation.send(`/slow ${parts} 20`);
        const offsets = Array.from({ length: 15 }, () => randomInt(length)).toSorted((one, other) => one - other);
        for (const offset of offsets) {
          await conversation.textOf(offset);
          // A reload after its end would show nothing.
          if ((await conversation.state()).status === "ready") break;
          reloads += 1;
          await conversation.reload();
        }
        await conversation.ready(2);
        await expectWhole(user, sessionId, conversation);
        expect((await conversation.state()).messages.at(-1)?.text).toBe(said(parts));
        expect(conversation.traffic.posts()).toHaveLength(1);
        await conversation.close();
      }
    }
    await Promise.all([reloadAll(), reloadAll(), reloadAll(), reloadAll()]);
    expect(reloads).toBeGreaterThanOrEqual(100);
  });

  test("50 switches between streaming sessions leave one stream and one socket open [SD-245]", async () => {
    const { user, sessionId, conversation } = await opened();
    const sessions = [sessionId, await user.newSession(), await user.newSession(), await user.newSession()];
    for (const session of sessions) {
      await conversation.show(session);
      await conversation.page.waitForFunction("globalThis.conversation.state.isLoading === false");
      await conversation.send("/slow 4000 100");
      await conversation.textOf(10);
    }
    for (let index = 0; index < 50; index += 1) await conversation.show(sessions[index % sessions.length] ?? "");
    await conversation.textOf(10);
    await expect.poll(() => conversation.traffic.openStreams()).toBe(1);
    await expect.poll(() => conversation.traffic.openSockets()).toBe(1);
    for (const session of sessions) await user.call("POST", "/messages/abort", { sessionId: session });
    await conversation.ready(2);
    await expect.poll(() => conversation.traffic.openStreams()).toBe(0);
    expect(conversation.faults).toEqual([]);
  });

  test.each([
    ["a browser tool", "note", { text: "once" }],
    ["an action", "mark", { place: "once" }],
  ])("with two tabs open, the handler of %s runs in one of them, once [SD-246]", async (_kind, name, input) => {
    const { user, sessionId, conversation: first } = await opened();
    const second = await openConversation(pages, user, { settings: { sessionId }, context: first.page.context() });
    await expect
      .poll(async () => [(await first.state()).isConnected, (await second.state()).isConnected])
      .toEqual([true, true]);
    await first.send(`/tool ${name} ${JSON.stringify(input)}`);
    await first.ready(2);
    await expect.poll(async () => (await second.lines()).at(-1)).toContain(`Tool ${name} returned`);
    expect([...(await first.counts()).handled, ...(await second.counts()).handled]).toEqual(["once"]);
    expect([...first.faults, ...second.faults]).toEqual([]);
  });

  test("another tab shows the question and the answer while the answer streams [SD-60, SD-277]", async () => {
    const { user, sessionId, conversation: first } = await opened();
    const second = await openConversation(pages, user, { settings: { sessionId }, context: first.page.context() });
    await expect
      .poll(async () => [(await first.state()).isConnected, (await second.state()).isConnected])
      .toEqual([true, true]);
    await first.send("/slow 2000 50");
    await second.textOf(40);
    const lines = await second.lines();
    expect([lines[0], lines.at(-1)]).toEqual(["human: /slow 2000 50", expect.stringMatching(/^ai: part 1 /)]);
    expect((await second.state()).status).toBe("streaming");
    await user.call("POST", "/messages/abort", { sessionId });
    await first.ready(2);
    await second.ready(2);
    expect(first.traffic.resumes()).toHaveLength(0);
    expect([first.traffic.posts().length, second.traffic.posts().length]).toEqual([1, 0]);
    expect([...first.faults, ...second.faults]).toEqual([]);
  });

  test("three messages sent during a reply wait in order; the cancelled one is never sent [SD-247]", async () => {
    const { user, sessionId, conversation } = await opened();
    await conversation.send("/slow 100 100");
    await conversation.textOf(10);
    for (const message of ["one", "two", "three"]) await conversation.send(message);
    await expect
      .poll(async () => (await conversation.state()).queue.map(({ message }) => message))
      .toEqual(["one", "two", "three"]);
    const [, two] = (await conversation.state()).queue;
    expect(await conversation.cancelQueued(two?.id ?? "")).toBe(true);
    await conversation.ready(6);
    expect(await stored(user, sessionId)).toEqual([
      "human: /slow 100 100",
      `ai: ${said(100).trim()}`,
      "human: one",
      "ai: You said: one",
      "human: three",
      "ai: You said: three",
    ]);
    expect(conversation.traffic.posts()).toHaveLength(3);
    await expectWhole(user, sessionId, conversation);
  });

  test("a message sent offline is kept over a reload and sent once when the network is back [SD-248]", async () => {
    const { user, sessionId, conversation } = await opened();
    await pages.keepPages(conversation.page.context());
    await conversation.setOffline(true);
    await conversation.send("from the train");
    await expect.poll(async () => (await conversation.state()).queue.map(({ state }) => state)).toEqual(["offline"]);
    await conversation.page.reload();
    await expect
      .poll(async () => (await conversation.state()).queue.map(({ message }) => message))
      .toEqual(["from the train"]);
    expect(await stored(user, sessionId)).toEqual([]);
    await conversation.setOffline(false);
    await conversation.ready(2);
    expect(await stored(user, sessionId)).toEqual(["human: from the train", "ai: You said: from the train"]);
    await expectWhole(user, sessionId, conversation);
  });

  test("an invocation that the oracle refuses is replaced with one signature, however many requests used it [SD-250]", async () => {
    const user = await pages.signUp();
    const sessionId = await user.newSession();
    const before = user.mints.invocation;
    user.expiredInvocations = 1;
    const conversation = await openConversation(pages, user, { settings: { sessionId } });
    await expect.poll(async () => (await conversation.state()).isConnected).toBe(true);
    await conversation.send("hello");
    await conversation.ready(2);
    expect(user.mints.invocation - before).toBe(2);
    expect(conversation.traffic.requests.filter(({ status }) => status === 401).length).toBeGreaterThan(0);
    await expectWhole(user, sessionId, conversation);
  });
});
