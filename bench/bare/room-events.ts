/** The events and the heartbeat of the rooms in the socket measures, for each server. */

/** Makes the room emit `message` to all its sockets; with `true`, as a recoverable event. */
export const EMIT = "emit";
export const PING = "ping";
/** The event has about 200 bytes, like a tool call with small arguments. */
export const message = { text: "The quick brown fox jumps over the lazy dog, then back. ".repeat(3) } as const;

export function pong(sessionId: string) {
  return { timestamp: new Date().toISOString(), sessionId };
}

/** The heartbeat of the chat; milliseconds. */
export const heartbeat = { pingIntervalMs: 180_000, pingTimeoutMs: 60_000, pingTogetherMs: 45_000 };
/** As in the chat: after this time, each object has one alarm that closes connections that have not sent CONNECT. */
export const CONNECT_TIMEOUT_MS = 10_000;
/** Speed-up for rooms whose wake-ups are counted. */
export const FAST_FACTOR = 10;
export const fastHeartbeat = {
  pingIntervalMs: heartbeat.pingIntervalMs / FAST_FACTOR,
  pingTimeoutMs: heartbeat.pingTimeoutMs / FAST_FACTOR,
  pingTogetherMs: heartbeat.pingTogetherMs / FAST_FACTOR,
};
