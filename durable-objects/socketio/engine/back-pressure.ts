/**
 * When a client counts as too slow. One that reads keeps up in the end, but it needs a moment to show it: a burst of
 * large events within one turn of the event loop leaves no room for an answer, so its size alone proves nothing.
 */

/** How long a client with more than `maxBufferedBytes` waiting has to confirm some of it, milliseconds. */
const CATCH_UP_MS = 10_000;
/** Times `maxBufferedBytes`: more than this is not kept in memory for anybody, however recent it is. */
const BURST_FACTOR = 3;

/**
 * @param waiting what the client has not confirmed or fetched.
 * @param silentMs since it was asked to confirm, or since it last fetched something.
 */
export function fallsBehind(waiting: number, silentMs: number, maxBufferedBytes: number): boolean {
  if (waiting > maxBufferedBytes * BURST_FACTOR) return true;
  return waiting > maxBufferedBytes && silentMs >= CATCH_UP_MS;
}
