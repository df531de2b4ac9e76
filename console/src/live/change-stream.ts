/**
 * Follows the registry's change feed as server-sent events, over fetch because EventSource sends no Authorization header. It
 * reconnects after the last received entry, and ends with its signal.
 */
import { createParser } from "eventsource-parser";
import { chunksOf } from "../../../shared/stream-lines.ts";
import { pause } from "../../../shared/pause.ts";
import { ApiFailure, hasStatus } from "../api/api-failure.ts";
import type { AuthorizedFetch } from "../api/client.ts";

/** A history entry of a domain, as the feed sends it. */
export interface Change {
  readonly seq: number;
  readonly domainId: string;
  readonly action: string;
  readonly actor: string;
  readonly at: string;
}

export interface ChangeStreamOptions {
  readonly fetch: AuthorizedFetch;
  /** The entry after which to begin. */
  readonly after: number;
  readonly signal: AbortSignal;
  readonly onChange: (change: Change) => void;
  readonly onStatus: (status: StreamStatus) => void;
}

export type StreamStatus = "connecting" | "live" | "waiting" | "refused";

/** Milliseconds between two attempts: the first, and the longest. */
const FIRST_DELAY = 500;
const LONGEST_DELAY = 15_000;

/**
 * Milliseconds without a byte, three heartbeats of the feed, after which the connection counts as lost: a sleeping computer or a
 * changed network ends it silently.
 */
const LONGEST_SILENCE = 45_000;

/** Settles when the signal aborts, or when the key is refused. */
export async function followChangeStream({ fetch, after, signal, onChange, onStatus }: ChangeStreamOptions) {
  let seen = after;
  let delay = FIRST_DELAY;
  while (!signal.aborted) {
    onStatus("connecting");
    const silence = new AbortController();
    const end = (): void => silence.abort();
    let timer = setTimeout(end, LONGEST_SILENCE);
    try {
      const response = await fetch(`${location.origin}/v1/changes?after=${seen}&limit=100`, {
        headers: { Accept: "text/event-stream" },
        signal: AbortSignal.any([signal, silence.signal]),
      });
      onStatus("live");
      delay = FIRST_DELAY;
      const parser = createParser({
        onEvent({ event, data }) {
          if (event !== "change") return;
          const change = JSON.parse(data) as Change;
          seen = Math.max(seen, change.seq);
          onChange(change);
        },
      });
      const decoder = new TextDecoder();
      for await (const chunk of response.body === null ? [] : chunksOf(response.body)) {
        clearTimeout(timer);
        timer = setTimeout(end, LONGEST_SILENCE);
        parser.feed(decoder.decode(chunk, { stream: true }));
      }
    } catch (error) {
      if (signal.aborted) return;
      if (hasStatus(error, 401, 403)) return onStatus("refused");
      // The database was replaced, so the cursor is invalid.
      if (error instanceof ApiFailure && error.code === "invalid_cursor") seen = 0;
    } finally {
      clearTimeout(timer);
    }
    if (!signal.aborted) onStatus("waiting");
    await pause(delay, signal);
    delay = Math.min(LONGEST_DELAY, delay * 2);
  }
}
