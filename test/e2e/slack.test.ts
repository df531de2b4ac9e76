/** Slack on the real Worker: one answer for many deliveries, streams and posts, threads, and a kill during an answer. */
import { randomUUID } from "node:crypto";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { disposeAfterTests } from "../support/server/dispose-after-tests.ts";
import { slackEvent, startSlackApi, type EventOptions, type SlackPeer } from "../support/peers/slack-api.ts";
import { startRunningServer, type RunningServer } from "../support/server/running-server.ts";

let peer: SlackPeer;
let server: RunningServer;
const started = disposeAfterTests();

beforeAll(async () => {
  peer = await startSlackApi();
  started({ dispose: () => peer.stop() });
  server = started(await startRunningServer({ ...peer.variables, LLM_PROVIDER: "local" }));
});

let lastThread = Math.floor(Date.now() / 1_000);
/** A fresh thread for each test: objects keep the state of earlier ones. */
let ts = "";
beforeEach(() => {
  lastThread += 1;
  ts = `${lastThread}.000100`;
});

const said = (parts: number): string => Array.from({ length: parts }, (_, index) => `part ${index + 1} `).join("");
const shown = () => peer.messages.filter(({ thread }) => thread === ts);
const send = (options: EventOptions) => peer.sendEvent(server.url, slackEvent({ ts, ...options }));

test("one mention as two events of four concurrent deliveries each gets one answer, and each is acknowledged in time [OR-360, OR-365]", async () => {
  const question = { ts, text: "/slow 20 500" };
  const events = [slackEvent(question), slackEvent({ ...question, type: "message" })];
  const deliveries = events.flatMap((event) => [0, 1, 2, 3].map((retry) => peer.sendEvent(server.url, event, retry)));
  const acknowledged = await Promise.all(deliveries);
  expect(acknowledged.map(({ status, body }) => [status, body])).toEqual(
    Array.from({ length: 8 }, () => [200, { ok: true }]),
  );
  // Other work of the machine can only delay them; all arrive long before the end of the answer.
  expect(Math.min(...acknowledged.map(({ ms }) => ms))).toBeLessThan(3_000);
  expect(shown().every(({ state }) => state === "streaming")).toBe(true);
  await expect.poll(shown).toMatchObject([{ state: "posted", text: said(20), isEdited: false, channel: "C0GENERAL" }]);
  expect(peer.calls.filter(({ method }) => method === "chat.startStream")).toHaveLength(1);
  expect(peer.calls.map(({ method }) => method)).toContain("assistant.threads.setStatus");

  const late = await Promise.all(events.map((event) => peer.sendEvent(server.url, event, 3)));
  expect(late.map(({ status }) => status)).toEqual([200, 200]);
  // The next message in the thread is answered next, so nothing came between.
  await peer.sendEvent(server.url, slackEvent({ thread: ts, type: "message", text: "", event: { text: "hello" } }));
  await expect
    .poll(() => shown().map(({ text, state }) => [text, state]))
    .toEqual([
      [said(20), "posted"],
      ["You said: hello", "posted"],
    ]);
});

test("a thread is one conversation, with other people's messages under their names; to join it, they mention the oracle [OR-372] [OR-480]", async () => {
  await send({ text: "hello", user: "U0ADA" });
  await send({
    ts: `${lastThread}.000150`,
    thread: ts,
    type: "message",
    user: "U0BOB",
    event: { text: "to Ada" },
  });
  await send({ ts: `${lastThread}.000200`, thread: ts, user: "U0BOB", text: "me &amp; you" });
  await expect
    .poll(() => shown().map(({ text }) => text))
    .toEqual(["You said: hello", "You said: <@U0BOB> writes in this thread:\nme & you"]);
  const elsewhere = `${lastThread}.000300`;
  await send({ ts: elsewhere, type: "message", event: { text: "not for the oracle" } });
  await send({ ts: `${lastThread}.000400`, thread: elsewhere, type: "message", event: { text: "nor this" } });
  await send({ ts: `${lastThread}.000500`, thread: ts, text: "after that" });
  await expect.poll(() => shown().map(({ text }) => text)).toContain("You said: after that");
  expect(peer.textsIn(elsewhere)).toEqual([]);
});

test("a direct message is answered; challenges and other events are acknowledged [OR-362, OR-363]", async () => {
  expect(await peer.sendEvent(server.url, { type: "url_verification", challenge: "abc" })).toMatchObject({
    status: 200,
    body: { challenge: "abc" },
  });
  expect(await send({ event: { type: "reaction_added" } })).toMatchObject({ status: 200, body: { ok: true } });
  expect(await send({ event: { bot_id: "B1" } })).toMatchObject({ status: 200, body: { ok: true } });
  await send({ type: "message", channel: "D0ADA", text: "hello" });
  await expect.poll(() => shown().map(({ channel, text }) => [channel, text])).toEqual([["D0ADA", "You said: hello"]]);
});

test("a request without Slack's signature is a 401 in the oracle's format [OR-361]", async () => {
  const forger = await startSlackApi({ signingSecret: randomUUID() });
  started({ dispose: () => forger.stop() });
  expect(await forger.sendEvent(server.url, slackEvent({ ts }))).toMatchObject({
    status: 401,
    body: { statusCode: 401, message: "The request is not signed by Slack", error: "Unauthorized" },
  });
  const bare = await fetch(`${server.url}/slack/events`, { method: "POST", body: "{}" });
  expect(bare.status).toBe(401);
  expect(shown()).toEqual([]);
});

test("a workspace without streams gets one post for each answer [OR-367]", async () => {
  peer.refuse("chat.startStream", "unknown_method");
  await send({ text: "/slow 5 50" });
  await expect.poll(() => shown().map(({ text, state }) => [text, state])).toEqual([[said(5), "posted"]]);
  await expect.poll(() => server.log()).toContain("slack-stream-refused");
});

test("a failed turn leaves its text so far and one sentence [OR-370]", async () => {
  await send({ text: "/fail server" });
  await expect
    .poll(() => shown().map(({ text, state }) => [text, state]))
    .toEqual([[expect.stringMatching(/^Starting\n\n\S.*\.$/), "posted"]]);
});

describe("a server that is killed in the middle of an answer [OR-369]", () => {
  test("the thread has the whole answer once", async () => {
    await send({ text: "/slow 30 150" });
    await expect.poll(() => shown()[0]?.text, { interval: 20 }).toContain("part 5 ");
    await server.kill();
    await server.startAgain();
    // One call closes the message, and the next sets its whole text.
    await expect.poll(() => shown().map(({ state, text }) => [state, text])).toEqual([["posted", said(30)]]);
  });
});

test("no log line contains the token or the signing secret [OR-371]", () => {
  for (const secret of [peer.variables["SLACK_BOT_TOKEN"], peer.variables["SLACK_SIGNING_SECRET"]])
    expect(server.log()).not.toContain(secret);
});
