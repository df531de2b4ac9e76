/**
 * An answer that is shown in Slack while the model writes it. The stream is best effort: `answer-end.ts`, which has the whole
 * answer after the turn, corrects any failure.
 */
import { describeThrown, type Logger } from "../../../platform/log.ts";
import { MESSAGE_LENGTH } from "./answer-parts.ts";
import type { AnswerStore } from "./answer-record.ts";
import type { SlackPlace } from "./place.ts";
import type { SlackApi } from "./slack-api.ts";

/** Pause between two appends: Slack allows about one message a second in a channel. */
export const APPEND_PAUSE_MS = 1_000;

export interface AnswerStream {
  /** Adds text of the answer, in order. Returns at once; the work is passed to `background`. */
  add(text: string): void;
  /**
   * Stops appending without waiting for Slack's rate limits, and records once what the message contains. The end sends the rest.
   */
  settle(): Promise<void>;
}

export interface StreamOptions {
  readonly place: SlackPlace;
  readonly api: SlackApi;
  readonly store: AnswerStore;
  readonly wait: (ms: number) => Promise<void>;
  readonly background: (work: Promise<void>) => void;
  /** Fires when the turn has ended; from then on, the answer's end controls the message. */
  readonly ended: AbortSignal;
  readonly log: Logger;
}

export function createAnswerStream({ place, api, store, wait, background, ended, log }: StreamOptions): AnswerStream {
  let state: "unopened" | "open" | "off" = "unopened";
  let pending = "";
  let sent = "";
  let ts = "";
  let working: Promise<void> | undefined;
  const settling = Promise.withResolvers<void>();
  let isSettling = false;
  let settled: Promise<void> | undefined;
  ended.addEventListener("abort", () => settling.resolve());
  const pause = (ms: number): Promise<void> => Promise.race([wait(ms), settling.promise]);

  /** A stream that another process opened is not continued: how much of it arrived is unknown. */
  async function open(): Promise<void> {
    state = "off";
    if ((await store.read()) !== undefined) return;
    const { channel, thread, user, team } = place;
    // Opened without text, so that a message whose timestamp was lost with the process repeats nothing.
    const started = await api.call("chat.startStream", {
      channel,
      thread_ts: thread,
      recipient_user_id: user,
      recipient_team_id: team,
    });
    if (!started.ok) {
      log.info("slack-stream-refused", { error: started.error.error });
      return;
    }
    ({ ts } = started.value);
    await store.write({ ts });
    state = "open";
  }

  async function append(): Promise<void> {
    const text = wholeSigns(pending.slice(0, MESSAGE_LENGTH - sent.length));
    if (text === "") {
      // The message is full; the answer's end puts the rest into further messages.
      pending = "";
      return;
    }
    const appended = await api.call("chat.appendStream", { channel: place.channel, ts, markdown_text: text });
    if (appended.ok) {
      pending = pending.slice(text.length);
      sent += text;
      await pause(APPEND_PAUSE_MS);
    } else if (appended.error.retryAfter !== undefined) {
      await pause(appended.error.retryAfter * 1_000);
    } else {
      state = "off";
      log.warn("slack-stream-failed", { error: appended.error.error });
    }
  }

  function hasMore(): boolean {
    return state === "open" && pending !== "" && !isSettling && !ended.aborted;
  }

  async function work(): Promise<void> {
    try {
      if (state === "unopened") await open();
      while (hasMore()) await append();
    } catch (thrown) {
      state = "off";
      log.warn("slack-stream-failed", { error: describeThrown(thrown) });
    } finally {
      working = undefined;
    }
  }

  async function settle(): Promise<void> {
    isSettling = true;
    settling.resolve();
    await working;
    if (state === "open") await store.write({ ts, sent });
  }

  return {
    add(text) {
      if (state === "off" && working === undefined) return;
      pending += text;
      if (working !== undefined) return;
      working = work();
      background(working);
    },
    settle: () => (settled ??= settle()),
  };
}

/** Removes half of a surrogate pair at the end. */
function wholeSigns(text: string): string {
  const last = text.charCodeAt(text.length - 1);
  return last >= 0xd800 && last < 0xdc00 ? text.slice(0, -1) : text;
}
