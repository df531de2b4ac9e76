/** What the rooms of the socket measures say and how often they ping, whichever server they are on. */

/** Asks the room to tell everybody `message`; with `true` so that it can be recovered. */
export const EMIT = "emit";
export const PING = "ping";
/** The event has about 200 bytes with it, as a tool call with small arguments has. */
export const message = { text: "The quick brown fox jumps over the lazy dog, then back. ".repeat(3) } as const;

export function pong(sessionId: string) {
  return { timestamp: new Date().toISOString(), sessionId };
}

/** The chat's own; milliseconds. */
export const heartbeat = { pingIntervalMs: 180_000, pingTimeoutMs: 60_000, pingTogetherMs: 45_000 };
/** Likewise: after it each object is rung once, to see whether everybody has said who he is. */
export const CONNECT_TIMEOUT_MS = 10_000;
/** Of the rooms whose wake-ups are counted: so much faster that a minute stands for ten. */
export const HASTE = 10;
export const briskHeartbeat = {
  pingIntervalMs: heartbeat.pingIntervalMs / HASTE,
  pingTimeoutMs: heartbeat.pingTimeoutMs / HASTE,
  pingTogetherMs: heartbeat.pingTogetherMs / HASTE,
};
