/** Controls the page `conversation` from its test. */
import { expect } from "vitest";
import type { JSHandle } from "playwright-core";
import type { ConversationControl, ShownState } from "../../browser/conversation-control.ts";
import type { PageUser } from "./page-user.ts";
import type { OpenOptions, SdkPages } from "./sdk-pages.ts";
import type { WatchedPage } from "./watched-page.ts";

/** Milliseconds between two polls of the page. */
const LOOK_INTERVAL = 20;
/** Time limit of all waits, milliseconds; only ends waits that hang. */
const WAIT_LIMIT = 120_000;

export interface ConversationPage extends WatchedPage {
  state(): Promise<ShownState>;
  /** Starts sending; the state shows the result. */
  send(message: string): Promise<void>;
  abort(): Promise<void>;
  cancelQueued(id: string): Promise<boolean>;
  loadEarlier(): Promise<void>;
  show(sessionId: string): Promise<void>;
  /** Texts of all messages, oldest first: `human: hello`. */
  lines(): Promise<readonly string[]>;
  /**
   * Resolves as soon as the oracle's last text has this length, UTF-16 units; after this many user messages if `turns` is given.
   */
  textOf(length: number, turns?: number): Promise<void>;
  /** Resolves when nothing is running or waiting and there are at least this many messages. */
  ready(messages: number): Promise<void>;
  /** The page's counts since it was loaded. */
  counts(): Promise<Pick<ConversationControl, "drawn" | "rows" | "handled" | "refusals">>;
  reload(): Promise<void>;
}

/** @param options the settings contain at least the `sessionId`; test/browser/conversation.tsx lists the others. */
export async function openConversation(
  pages: SdkPages,
  user: PageUser,
  options: OpenOptions & { readonly settings: Readonly<Record<string, string>> },
): Promise<ConversationPage> {
  const watched = await pages.open("conversation", user, options);
  const { page } = watched;

  async function inPage<Given, Answer>(
    run: (control: ConversationControl, given: Given) => Answer,
    given: Given,
  ): Promise<Awaited<Answer>> {
    const control = (await page.evaluateHandle("globalThis.conversation")) as JSHandle<ConversationControl>;
    // Playwright's own type of serialised values is too narrow for a type parameter.
    return await control.evaluate<Awaited<Answer>>(run as never, given);
  }

  async function until<Given>(holds: (state: ShownState, given: Given) => boolean, given: Given): Promise<void> {
    const expression = `globalThis.conversation !== undefined && (${holds.toString()})(globalThis.conversation.state, ${JSON.stringify(given)})`;
    await page.waitForFunction(expression, undefined, { polling: LOOK_INTERVAL, timeout: WAIT_LIMIT });
  }

  const loaded = (): Promise<void> => until(({ isLoading }) => !isLoading, null);
  await loaded();

  const conversation: ConversationPage = {
    ...watched,
    state: () => inPage(({ state }) => ({ ...state, messages: state.messages }), null),
    send: (message) => inPage((control, text) => control.send(text), message),
    abort: () => inPage((control) => control.abort(), null),
    cancelQueued: (id) => inPage((control, queued) => control.cancelQueued(queued), id),
    loadEarlier: () => inPage((control) => control.loadEarlier(), null),
    show: (sessionId) => inPage((control, id) => control.show(id), sessionId),
    async lines() {
      return (await conversation.state()).messages.map(({ type, text }) => `${type}: ${text.trim()}`);
    },
    textOf: (length, turns) =>
      until(
        ({ messages }, wanted) => {
          const last = messages.at(-1);
          const count = messages.filter(({ type }) => type === "human").length;
          return (
            (wanted.turns === undefined || count === wanted.turns) &&
            last?.type === "ai" &&
            last.text.length >= wanted.length
          );
        },
        { length, turns },
      ),
    ready: (count) =>
      until(
        ({ status, queue, messages }, wanted) => status === "ready" && queue.length === 0 && messages.length >= wanted,
        count,
      ),
    counts: () => inPage(({ drawn, rows, handled, refusals }) => ({ drawn, rows, handled, refusals }), null),
    async reload() {
      await page.reload();
      await loaded();
    },
  };
  return conversation;
}

/** The page shows exactly what the oracle has stored, byte for byte, each message once, and has had no faults. */
export async function expectWhole(user: PageUser, sessionId: string, conversation: ConversationPage): Promise<void> {
  const { messages } = await conversation.state();
  const ids = messages.map(({ id }) => id);
  expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
  const transcript = await user.transcript(sessionId);
  expect(messages.map(({ type, text }) => ({ type, text }))).toEqual(
    transcript.map(({ type, content }) => ({ type, text: content })),
  );
  expect(conversation.faults).toEqual([]);
}
