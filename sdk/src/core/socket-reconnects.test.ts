/** How the session's socket signs in, reconnects and stops, on a real Socket.IO server. */
import { expect, onTestFinished, test, vi } from "vitest";
import { sessionSockets } from "../../../test/support/sdk/session-socket.ts";

const sessions = sessionSockets();
const { open, connection, until } = sessions;

const expired = {
  message: "Unauthorized: Invalid UCAN invocation",
  data: { code: "invalid_invocation", retryable: true },
};

test("a refused token is renewed in two stages, and the connection signs in with the new tokens [SD-93]", async () => {
  sessions.refusals = [expired, expired];
  const { seen, stages } = open();
  await connection();
  await until(() => expect(seen).toEqual([true]));
  expect([stages, sessions.handshakes]).toEqual([
    [1, 2],
    ["1", "2", "3"].map((nth) => ({ invocation: `invocation ${nth}` })),
  ]);
  // Once accepted, tokens that expire later are renewed again.
  sessions.refusals = [expired];
  sessions.sockets[0]?.disconnect();
  await connection(2);
  expect(stages).toEqual([1, 2, 1]);
});

test("after another refusal it stops with the reason; a wake tries once, without a new signature [SD-93]", async () => {
  sessions.refusals = [expired, expired, expired, expired];
  const { socket, seen, stages } = open();
  await until(() => expect(seen).toEqual(["Unauthorized: Invalid UCAN invocation"]));
  socket.wake();
  await until(() => expect(seen).toHaveLength(2));
  expect([stages, sessions.handshakes.length, sessions.sockets.length]).toEqual([[1, 2], 4, 0]);
  socket.wake();
  await connection();
  await until(() => expect(seen.at(-1)).toBe(true));
});

test("without new tokens, and if a new token cannot help, it stops at once [SD-93]", async () => {
  sessions.refusals = [expired];
  const unsigned = open(undefined, [false, false]);
  await until(() => expect(unsigned.seen).toEqual(["Unauthorized: Invalid UCAN invocation"]));
  expect([unsigned.stages, sessions.handshakes.length]).toEqual([[1, 2], 1]);
  sessions.refusals = [{ message: "Session not found", data: { code: "not_found", retryable: false } }];
  const gone = open();
  await until(() => expect(gone.seen).toEqual(["Session not found"]));
  expect([gone.stages, sessions.sockets.length]).toEqual([[], 0]);
});

test("an oracle that is busy is tried again later [SD-94]", async () => {
  sessions.refusals = [{ message: "Too many requests", data: { code: "rate_limited", retryable: true } }];
  const { seen, stages } = open();
  await connection();
  await until(() => expect(seen).toEqual([true]));
  expect([stages, sessions.handshakes.length]).toEqual([[], 2]);
});

test("a socket that the oracle ends reconnects, and missed changes are read again [SD-94, SD-95]", async () => {
  const { seen, socket } = open();
  const first = await connection();
  await until(() => expect([seen, sessions.heard.length]).toEqual([[true], 1]));
  first.disconnect();
  const second = await connection(2);
  await until(() => expect(seen).toEqual([true, false, true, ["invalidated"]]));
  expect(second.recovered).toBe(false);
  await until(() => expect(sessions.heard.filter(([name]) => name === "announce_tools")).toHaveLength(2));
  socket.close();
  await until(() => expect(second.connected).toBe(false));
  expect(seen).toHaveLength(4);
});

test.each([
  [0, [true]],
  [5001, [true, ["invalidated"]]],
])("a first connect after %d ms [SD-95]", async (waited, expected) => {
  vi.useFakeTimers({ toFake: ["Date"] });
  onTestFinished(() => void vi.useRealTimers());
  // The address is found once that time has passed.
  sessions.reachable = Promise.resolve().then(() => void vi.setSystemTime(Date.now() + waited));
  const { seen } = open();
  await until(() => expect(sessions.heard).toHaveLength(1));
  expect(seen).toEqual(expected);
});

test("a wake detects a connection that was lost without notice [SD-96]", async () => {
  const { seen, socket } = open();
  const first = await connection();
  await until(() => expect([seen, sessions.heard.length]).toEqual([[true], 1]));
  // From now on it neither reads nor sends.
  first.offAny();
  socket.wake();
  await connection(2);
  await until(() => expect(seen.slice(0, 3)).toEqual([true, false, true]));
  socket.wake();
  await until(() => expect(sessions.heard.at(-1)?.[0]).toBe("ping"));
  expect(sessions.sockets).toHaveLength(2);
});

test("a closed socket makes no further attempt [SD-94]", async () => {
  await sessions.server.close();
  const { seen, socket } = open();
  socket.close();
  socket.wake();
  expect([seen, socket.id(), socket.answer("ap_1:u", {})]).toEqual([[], undefined, false]);
});
