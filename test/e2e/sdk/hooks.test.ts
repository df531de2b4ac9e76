/** The hooks in a real browser, in StrictMode, against the running oracle (test/browser/hooks.tsx). */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hasBrowser } from "../../support/browser/browser.ts";
import { oracleConfig } from "../../support/oracle/oracle-config.ts";
import { disposeAfterTests } from "../../support/server/dispose-after-tests.ts";
import type { PageUser } from "../../support/sdk/page-user.ts";
import { startSdkPages, type SdkPages } from "../../support/sdk/sdk-pages.ts";

const SECRET = "the operator's own secret";
const credits = {
  CREDITS_ENABLED: "true",
  CRON_SECRET: SECRET,
  MODELS: JSON.stringify([{ id: "local", pricing: { inputPerMillion: 0.1, outputPerMillion: 0.5 } }]),
};

/** `window.hooks` of the page. */
interface Hooks {
  readonly chat: {
    readonly status: string;
    readonly isSending: boolean;
    readonly queue: readonly { readonly id: string; readonly message: string }[];
    readonly questions: readonly { readonly id: string; readonly kind: string; readonly toolName: string }[];
    answerQuestion(id: string, answer: { readonly approved: boolean }): Promise<void>;
    sendMessage(message: string): Promise<void>;
    cancelQueued(id: string): boolean;
  };
  readonly drawn: Record<string, number>;
  readonly calls: string[];
  readonly seen: string[];
  readonly signedFor: string[];
  switchTo(name: string): void;
  showTools(isShown: boolean): void;
  register(isThere: boolean): void;
  setWord(word: string): void;
}
declare const window: { readonly hooks: Hooks };

describe.runIf(hasBrowser)("the hooks", () => {
  let pages: SdkPages;
  const started = disposeAfterTests();
  beforeAll(async () => {
    pages = started(await startSdkPages(credits));
  });

  async function signUp(credit = 100_000): Promise<PageUser> {
    const user = await pages.signUp();
    if (credit > 0) {
      await fetch(`${pages.server.url}/credits/grants`, {
        method: "POST",
        headers: { Authorization: `Bearer ${SECRET}` },
        body: JSON.stringify({ did: user.did, amount: credit, key: "first" }),
      });
    }
    return user;
  }

  async function openChat(user: PageUser, settings: Record<string, string> = {}) {
    const sessionId = await user.newSession();
    const opened = await pages.open("hooks", user, { settings: { sessionId, ...settings } });
    await isConnected(opened.page);
    return { ...opened, sessionId };
  }

  const isConnected = (page: Page) =>
    page
      .getByRole("status")
      .filter({ hasText: /^connected$/ })
      .waitFor();
  const isIdle = (page: Page) => page.locator("footer", { hasText: "ready 0" }).waitFor();
  const send = (page: Page, message: string) =>
    page.evaluate((text) => void window.hooks.chat.sendMessage(text), message);
  const isStreaming = (page: Page) => page.locator("footer", { hasText: "streaming" }).waitFor();
  const shows = (page: Page, text: string | RegExp) => page.locator("li", { hasText: text }).first().waitFor();
  async function say(page: Page, message: string): Promise<void> {
    await page.evaluate((text) => window.hooks.chat.sendMessage(text), message);
    await isIdle(page);
  }
  const said = async (user: PageUser, sessionId: string): Promise<readonly string[]> =>
    (await user.transcript(sessionId)).filter(({ type }) => type === "human").map(({ content }) => content);

  test("in StrictMode, two components share one message, one joined run and one socket [SD-122]", async () => {
    const user = await signUp();
    const { page, traffic, faults, sessionId } = await openChat(user);
    // Far longer than a reload takes; it is stopped from elsewhere after it was joined.
    await send(page, "/slow 2000 50");
    await shows(page, "part 5");
    expect([traffic.posts().length, traffic.openSockets(), traffic.sockets.length]).toEqual([1, 1, 1]);
    await page.reload();
    await shows(page, "part 20");
    // Playwright reports an end later than the page.
    await expect
      .poll(() => [traffic.posts().length, traffic.resumes().length, traffic.openStreams()])
      .toEqual([1, 1, 1]);
    await user.call("POST", "/messages/abort", { sessionId });
    await isIdle(page);
    const [, answer] = await user.transcript(sessionId);
    const texts = await page.locator("li").allTextContents();
    expect(texts).toEqual(["/slow 2000 50", answer?.content]);
    // One socket for each load of the page.
    expect([traffic.resumes().length, traffic.sockets.length]).toEqual([1, 2]);
    expect(faults).toEqual([]);
  });

  test("while a message streams, no other is drawn, by its value or by useMessage [SD-123]", async () => {
    const { page, faults } = await openChat(await signUp());
    await say(page, "hello");
    await say(page, "hello again");
    await expect.poll(() => page.locator("li").count()).toBe(4);
    const ids = await page.locator("li").evaluateAll((items) => items.map((item) => item.getAttribute("data-id")));
    const before = await page.evaluate(() => ({ ...window.hooks.drawn }));
    // A busy page draws several parts at once.
    await say(page, "/slow 150 20");
    const after = await page.evaluate(() => ({ ...window.hooks.drawn }));
    const drawings = (counts: Record<string, number>) =>
      ids.flatMap((id) => [counts[`value ${id}`], counts[`id ${id}`]]);
    expect(drawings(before)).toHaveLength(8);
    expect(drawings(after)).toEqual(drawings(before));
    const streamed = Object.entries(after).filter(([name]) => name.startsWith("value") && !(name in before));
    expect(Math.max(...streamed.map(([, count]) => count))).toBeGreaterThan(10);
    expect(faults).toEqual([]);
  });

  test("an action runs its newest handler and its newest render, live and from the history [SD-124, SD-129]", async () => {
    const { page, faults } = await openChat(await signUp());
    await page.evaluate(() => window.hooks.setWord("second"));
    await send(page, '/tool show_table {"rows":["a","b"]}');
    const table = page.locator("caption");
    await table.filter({ hasText: 'second done a,b {"word":"second","shown":2}' }).waitFor();
    await isIdle(page);
    expect(await page.evaluate(() => window.hooks.calls)).toEqual(["second shows a,b"]);
    await page.evaluate(() => window.hooks.setWord("third"));
    await table.filter({ hasText: 'third done a,b {"word":"second","shown":2}' }).waitFor();
    await page.reload();
    await table.filter({ hasText: 'first done a,b {"word":"second","shown":2}' }).waitFor();
    expect(await table.count()).toBe(1);
    expect(await page.evaluate(() => window.hooks.calls)).toEqual([]);
    expect(faults).toEqual([]);
  });

  test("a browser tool that is registered later is offered and called by its toolName, in its newest version [SD-131]", async () => {
    const { page, faults } = await openChat(await signUp());
    await say(page, "hello");
    await page.evaluate(() => window.hooks.showTools(true));
    await page.evaluate(() => window.hooks.setWord("newest"));
    await say(page, '/tool page_word {"prefix":"the"}');
    await shows(page, 'page_word: {"word":"the newest"}');
    expect(faults).toEqual([]);
  });

  test("a due payment reaches the component that sent the message; the send resolves, and the chat is ready [SD-132]", async () => {
    const { page, faults } = await openChat(await signUp(0));
    await page.evaluate(() => window.hooks.setWord("last"));
    await page.evaluate(() => window.hooks.chat.sendMessage("hello"));
    const calls = await page.evaluate(() => window.hooks.calls);
    expect(calls).toHaveLength(1);
    expect(calls[0]).toMatch(/^last has to pay \[/);
    await page.locator("footer", { hasText: "ready" }).waitFor();
    expect(faults).toEqual([]);
  });

  test("of three messages that wait for a turn, one is cancelled; the others follow in order [SD-136]", async () => {
    const user = await signUp();
    const { page, faults, sessionId } = await openChat(user);
    await send(page, "/slow 100 100");
    await isStreaming(page);
    for (const message of ["one", "two", "three"]) await send(page, message);
    await page.locator("footer", { hasText: "streaming 3" }).waitFor();
    const cancelled = await page.evaluate(() => {
      const { queue, cancelQueued } = window.hooks.chat;
      const id = queue.find(({ message }) => message === "two")?.id ?? "";
      return [queue.map(({ message }) => message), cancelQueued(id), cancelQueued(id)];
    });
    expect(cancelled).toEqual([["one", "two", "three"], true, false]);
    await expect.poll(() => said(user, sessionId)).toEqual(["/slow 100 100", "one", "three"]);
    await isIdle(page);
    expect(faults).toEqual([]);
  });

  test("another user sees nothing of the previous one, whose stream and socket end [SD-125]", async () => {
    const [user, other] = [await signUp(), await signUp()];
    const otherSessionId = await other.newSession();
    const { page, traffic, faults, sessionId } = await openChat(user, { otherDid: other.did, otherSessionId });
    await send(page, "/slow 2000 50");
    await shows(page, "part 5");
    await page.evaluate(() => {
      window.hooks.seen.length = 0;
      window.hooks.signedFor.length = 0;
      window.hooks.switchTo("other");
    });
    await page.locator("address", { hasText: other.did }).waitFor();
    await expect.poll(() => traffic.openStreams()).toBe(0);
    await expect.poll(() => [traffic.openSockets(), traffic.sockets.length]).toEqual([1, 2]);
    await isConnected(page);
    await say(page, "hello");
    expect(await page.evaluate(() => window.hooks.seen.filter((text) => text.includes("part")))).toEqual([]);
    expect(new Set(await page.evaluate(() => window.hooks.signedFor))).toEqual(new Set([other.did]));
    await page.locator("h1", { hasText: /^1 / }).waitFor();
    await page.evaluate(() => window.hooks.switchTo("own"));
    await shows(page, "part 5");
    await expect.poll(() => [traffic.openStreams(), traffic.openSockets()]).toEqual([1, 1]);
    await user.call("POST", "/messages/abort", { sessionId });
    expect(faults).toEqual([]);
  });

  test("after a turn, the newest sessions are read, with the new title [SD-133]", async () => {
    const { page, traffic, faults } = await openChat(await signUp());
    await page.locator("h1", { hasText: /^1/ }).waitFor();
    const before = traffic.requests.length;
    await say(page, "What is the weather?");
    await page.locator("h1", { hasText: "What is the weather?" }).waitFor();
    const lists = traffic.requests.slice(before).filter(({ path }) => path.startsWith("/sessions?"));
    expect(new Set(lists.map(({ path }) => path))).toEqual(new Set(["/sessions?limit=20&offset=0"]));
    expect(faults).toEqual([]);
  });

  test("the default model and its price are available without a token [SD-135]", async () => {
    const { page, faults } = await openChat(await signUp());
    const asked = page.waitForRequest((request) => request.method() === "GET" && request.url().endsWith("/models"));
    await page.reload();
    const headers = await (await asked).allHeaders();
    expect([headers["authorization"], headers["x-ucan-delegation"]]).toEqual([undefined, undefined]);
    await page.locator("h2", { hasText: /^local \d/ }).waitFor();
    expect(faults).toEqual([]);
  });

  test("a component that reads agActions is drawn again when they change, others are not [SD-124]", async () => {
    const { page, faults } = await openChat(await signUp());
    await page.locator("nav", { hasText: "show_table" }).waitFor();
    const before = await page.evaluate(() => window.hooks.drawn["account"]);
    await page.evaluate(() => window.hooks.register(true));
    await page.locator("nav", { hasText: "show_table,late" }).waitFor();
    await page.evaluate(() => window.hooks.register(false));
    await page.locator("nav", { hasText: /^show_table$/ }).waitFor();
    expect(await page.evaluate(() => window.hooks.drawn["account"])).toBe(before);
    expect(faults).toEqual([]);
  });
});

describe.runIf(hasBrowser)("questions to the user", () => {
  const begun: string[] = [];
  const counter = createServer((request, response) => {
    begun.push(String(request.url));
    response.end("done");
  });
  const config = oracleConfig("counting-oracle");
  let pages: SdkPages;
  const started = disposeAfterTests();
  beforeAll(async () => {
    await new Promise<void>((resolve) => void counter.listen(0, resolve));
    const { port } = counter.address() as AddressInfo;
    pages = started(await startSdkPages({ COUNTER_URL: `http://localhost:${port}` }, { config: config.path }));
  });
  afterAll(() => {
    counter.close();
    config.dispose();
  });

  test("a tool that needs an approval waits for answerQuestion, even over a reload; no handler answers it [SD-139]", async () => {
    const user = await pages.signUp();
    const sessionId = await user.newSession();
    const { page, faults } = await pages.open("hooks", user, { settings: { sessionId } });
    const isAsked = () => expect.poll(() => page.evaluate(() => window.hooks.chat?.questions.length)).toBe(1);
    await page
      .getByRole("status")
      .filter({ hasText: /^connected$/ })
      .waitFor();
    await page.evaluate(() => void window.hooks.chat.sendMessage("/tool ask {}"));
    await isAsked();
    await page.reload();
    await isAsked();
    expect(begun).toEqual([]);
    const answered = await page.evaluate(async () => {
      const { questions, answerQuestion } = window.hooks.chat;
      for (const { id } of questions) await answerQuestion(id, { approved: true });
      return questions.map(({ kind, toolName }) => [kind, toolName]);
    });
    expect(answered).toEqual([["approval", "ask"]]);
    await page.locator("li", { hasText: "done" }).first().waitFor();
    await expect.poll(() => page.evaluate(() => window.hooks.chat.questions.length)).toBe(0);
    expect(begun).toHaveLength(1);
    expect(faults).toEqual([]);
  });
});
