/** The events route with a turn's start that is slow, refused or lost, with threads in Node and a mock Slack server. */
import { createHmac } from "node:crypto";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { createKvInNode } from "../../../test/support/plugins/kv-in-node.ts";
import { slackEvent, startSlackApi, type SlackPeer } from "../../../test/support/peers/slack-api.ts";
import { fail } from "../../../platform/failure.ts";
import { createLogger } from "../../../platform/log.ts";
import { success } from "../../../platform/result.ts";
import type { RouteContext } from "../../framework/plugin-routes.ts";
import type { PluginKv } from "../../framework/storage.ts";
import type { Turns, TurnStart } from "../../framework/turns.ts";
import { EVENT_BYTES, eventsRoute, START_TIME_MS } from "./events-route.ts";
import type { OutsideContext } from "../../framework/context.ts";
import { slack } from "./plugin.ts";
import { slackSettings, type ChannelThreads, type SlackSettings } from "./settings.ts";
import { responseOf } from "../../../test/support/plugins/route-answer.ts";
import { createSlackApi } from "./slack-api.ts";

const secret = "peer-signing-secret-of-slack";
const ts = "1700000000.000100";
const accepted = success({ sessionId: "session-1", runId: "run-1", repeated: false });

let stores: Map<string, PluginKv>;
let asked: TurnStart[];
let start: Turns["start"];
beforeEach(() => {
  stores = new Map();
  asked = [];
  start = async () => accepted;
});

async function startPeer(): Promise<SlackPeer> {
  const peer = await startSlackApi();
  onTestFinished(() => peer.stop());
  return peer;
}

let channelThreads: ChannelThreads;
beforeEach(() => {
  channelThreads = "mention";
});

function deliver(peer: SlackPeer, event: unknown, wait: () => Promise<void> = () => new Promise(() => undefined)) {
  const body = typeof event === "string" ? event : JSON.stringify(event);
  const seconds = Math.floor(Date.now() / 1_000);
  const signature = createHmac("sha256", secret).update(`v0:${seconds}:${body}`).digest("hex");
  const api = createSlackApi(slackSettings.parse(peer.variables), fetch);
  const route = eventsRoute({ signingSecret: secret, channelThreads, api, clock: () => Date.now(), wait });
  const working: Promise<unknown>[] = [];
  const ctx = {
    requestId: "req-1",
    logger: createLogger({}, () => undefined),
    background: (work: Promise<unknown>) => void working.push(work),
    turns: {
      start(turn: TurnStart) {
        asked.push(turn);
        return start(turn);
      },
    },
    storageOf(did: string) {
      const kv = stores.get(did) ?? createKvInNode("slack");
      stores.set(did, kv);
      return { kv };
    },
  } as unknown as RouteContext;
  const headers = { "X-Slack-Request-Timestamp": String(seconds), "X-Slack-Signature": `v0=${signature}` };
  const request = new Request("https://oracle.test/slack/events", { method: "POST", headers, body });
  return { response: Promise.resolve(route.handler(request, ctx)).then(responseOf), working };
}

const statusOf = async (peer: SlackPeer, event: unknown): Promise<number> =>
  (await deliver(peer, event).response).status;

test("a turn has one id and one session, whichever event reports the message first [OR-365, OR-372]", async () => {
  const peer = await startPeer();
  const both = [slackEvent({ ts }), slackEvent({ ts, type: "message" })];
  await Promise.all(both.map((event) => statusOf(peer, event)));
  expect(new Set(asked.map((turn) => JSON.stringify(turn)))).toHaveLength(1);
  expect(asked[0]).toEqual({
    did: `did:slack:T0PEER:C0GENERAL:${ts}`,
    payer: "did:slack:T0PEER:U0ADA",
    isShared: true,
    session: `T0PEER:C0GENERAL:${ts}`,
    title: "Slack: hello",
    message: "hello",
    messageId: `slack:T0PEER:C0GENERAL:${ts}`,
    client: "slack",
    metadata: { slack: { team: "T0PEER", channel: "C0GENERAL", thread: ts, user: "U0ADA" } },
  });
});

test("a repeated event starts nothing [OR-365]", async () => {
  const peer = await startPeer();
  const event = slackEvent({ ts });
  expect(await statusOf(peer, event)).toBe(200);
  expect(await statusOf(peer, event)).toBe(200);
  expect(asked).toHaveLength(1);
});

test("of people who write to the oracle at the same moment, one starts the thread, and each pays for their own turns [OR-480]", async () => {
  const peer = await startPeer();
  const users = Array.from({ length: 10 }, (_, index) => `U${index}${index}`);
  await Promise.all(users.map((user, index) => statusOf(peer, slackEvent({ thread: ts, user, ts: `1${index}.1` }))));
  expect(new Set(asked.map(({ did }) => did))).toHaveLength(1);
  expect(asked.filter(({ message }) => message === "hello")).toHaveLength(1);
  expect(new Set(asked.map(({ payer }) => payer))).toEqual(new Set(users.map((user) => `did:slack:T0PEER:${user}`)));
});

const ADA = "did:slack:T0PEER:U0ADA";
const BOB = "did:slack:T0PEER:U0BOB";
const THREAD = `did:slack:T0PEER:C0GENERAL:${ts}`;
/** Messages of Ada and Bob in a thread that Ada started. */
const conversation = [
  slackEvent({ ts, user: "U0ADA" }),
  slackEvent({ thread: ts, ts: "2.1", user: "U0ADA", type: "message", event: { text: "and then" } }),
  slackEvent({ thread: ts, ts: "3.1", user: "U0BOB", type: "message", event: { text: "to Ada" } }),
  slackEvent({ thread: ts, ts: "4.1", user: "U0BOB" }),
];
const turns = () => asked.map(({ did, payer, isShared = false, message }) => [did, payer, isShared, message]);

test.each<[ChannelThreads, readonly unknown[]]>([
  [
    "mention",
    [
      [THREAD, ADA, true, "hello"],
      [THREAD, ADA, true, "and then"],
      [THREAD, BOB, true, "<@U0BOB> writes in this thread:\nhello"],
    ],
  ],
  [
    "every-message",
    [
      [THREAD, ADA, true, "hello"],
      [THREAD, ADA, true, "and then"],
      [THREAD, BOB, true, "<@U0BOB> writes in this thread:\nto Ada"],
      [THREAD, BOB, true, "<@U0BOB> writes in this thread:\nhello"],
    ],
  ],
  [
    "first-speaker",
    [
      [ADA, undefined, false, "hello"],
      [ADA, undefined, false, "and then"],
      [ADA, undefined, false, "<@U0BOB> writes in this thread:\nto Ada"],
      [ADA, undefined, false, "<@U0BOB> writes in this thread:\nhello"],
    ],
  ],
])(
  "SLACK_CHANNEL_THREADS=%s determines the user of a thread's turns, and the payer [OR-480] [OR-481]",
  async (chosen, wanted) => {
    channelThreads = chosen;
    const peer = await startPeer();
    for (const event of conversation) expect(await statusOf(peer, event)).toBe(200);
    expect(turns()).toEqual(wanted);
  },
);

test("a channel thread that belongs to its first speaker contains foreign text, a direct message does not [OR-632]", async () => {
  channelThreads = "first-speaker";
  const peer = await startPeer();
  for (const event of conversation) await statusOf(peer, event);
  await statusOf(peer, slackEvent({ ts: "9.1", channel: "D0ADA", user: "U0ADA" }));
  expect(asked.map(({ foreign }) => foreign)).toEqual([true, true, true, true, undefined]);
});

test("a direct message belongs to its sender, whichever event reports it [OR-480]", async () => {
  const peer = await startPeer();
  const direct = { ts, channel: "D0ADA", user: "U0ADA" };
  for (const event of [slackEvent({ ...direct, type: "message" }), slackEvent(direct)]) await statusOf(peer, event);
  expect(new Set(turns().map((turn) => JSON.stringify(turn)))).toEqual(
    new Set([JSON.stringify([ADA, undefined, false, "hello"])]),
  );
});

test("a direct message of several people is a shared place [OR-480]", async () => {
  const peer = await startPeer();
  await statusOf(peer, slackEvent({ ts, channel: "G0GROUP", event: { channel_type: "mpim" } }));
  expect(asked).toMatchObject([{ did: `did:slack:T0PEER:G0GROUP:${ts}`, payer: ADA, isShared: true }]);
});

test("a thread that the earlier version assigned to its first speaker stays with that user [OR-480]", async () => {
  const peer = await startPeer();
  const kv = createKvInNode("slack");
  await kv.set("owner", ADA);
  stores.set(THREAD, kv);
  const follow = { thread: ts, ts: "2.1", type: "message" } as const;
  await statusOf(peer, slackEvent({ ...follow, user: "U0ADA", event: { text: "again" } }));
  expect(turns()).toEqual([[THREAD, ADA, true, "again"]]);
});

test("an erased person is no longer the starter of a thread, and the receipt names the threads of channels [OR-482]", async () => {
  const peer = await startPeer();
  for (const event of conversation) await statusOf(peer, event);
  await statusOf(peer, slackEvent({ ts: "9.1", channel: "D0ADA", user: "U0ADA" }));
  const storageOf = (did: string) => ({ kv: stores.get(did) ?? createKvInNode("slack") });
  const erase = (did: string) => slack.userErased?.(did, { storageOf } as unknown as OutsideContext<SlackSettings>);
  const wanted = [{ what: `messages in 1 threads of channels: ${THREAD}`, why: expect.any(String) }];
  expect(await erase(ADA)).toEqual(wanted);
  expect(await erase(ADA)).toEqual(wanted);
  expect(await erase(BOB)).toEqual(wanted);
  expect(await erase("did:key:z6Mk")).toEqual([]);
  expect(await stores.get(THREAD)?.get("owner")).toBe(THREAD);
  expect(await stores.get("did:slack:T0PEER:D0ADA:9.1")?.get("owner")).toBe("did:slack:T0PEER:D0ADA:9.1");
  // The thread has no starter now, so a message without a mention is not for the oracle.
  const before = asked.length;
  await statusOf(peer, slackEvent({ thread: ts, ts: "10.1", user: "U0ADA", type: "message", event: { text: "more" } }));
  expect(asked).toHaveLength(before);
});

test("SLACK_CHANNEL_THREADS defaults to `mention`, and refuses another word [OR-481]", () => {
  const secrets = { SLACK_BOT_TOKEN: "xoxb", SLACK_SIGNING_SECRET: "secret" };
  expect(slackSettings.parse(secrets).SLACK_CHANNEL_THREADS).toBe("mention");
  expect(slackSettings.parse({ ...secrets, SLACK_CHANNEL_THREADS: "" }).SLACK_CHANNEL_THREADS).toBe("mention");
  expect(slackSettings.safeParse({ ...secrets, SLACK_CHANNEL_THREADS: "all" }).success).toBe(false);
});

test("a slow start is acknowledged after two seconds and continues after the response [OR-365]", async () => {
  expect(START_TIME_MS).toBe(2_000);
  const peer = await startPeer();
  const { promise, resolve } = Promise.withResolvers<typeof accepted>();
  start = () => promise;
  const { response, working } = deliver(peer, slackEvent({ ts }), async () => undefined);
  expect((await response).status).toBe(200);
  resolve(accepted);
  expect(await Promise.all(working)).toEqual(["done"]);
});

test("a turn that cannot be stored is a 503, and starts when Slack sends the event again [OR-373]", async () => {
  const peer = await startPeer();
  const event = slackEvent({ ts });
  start = async () => fail("unavailable", "Please try again later");
  expect(await statusOf(peer, event)).toBe(503);
  start = () => Promise.reject(new Error("the object is gone"));
  expect(await statusOf(peer, event)).toBe(503);
  start = async () => accepted;
  expect(await statusOf(peer, event)).toBe(200);
  expect(asked).toHaveLength(3);
  expect(peer.messages).toEqual([]);
});

test("a refused turn posts one sentence, however often its message arrives [OR-370]", async () => {
  const peer = await startPeer();
  start = async () => fail("payment_required", "10 credits or fewer left");
  const events = [slackEvent({ ts }), slackEvent({ ts, type: "message" })];
  const deliveries = events.flatMap((event) => Array.from({ length: 4 }, () => statusOf(peer, event)));
  expect(await Promise.all(deliveries)).toEqual(Array.from({ length: 8 }, () => 200));
  expect(peer.textsIn(ts)).toEqual(["10 credits or fewer left"]);
});

test("a body of 1 MiB is read, a larger one is a 413, and invalid JSON is ignored [OR-361, OR-362]", async () => {
  expect(EVENT_BYTES).toBe(1_048_576);
  const peer = await startPeer();
  expect(await statusOf(peer, "x".repeat(EVENT_BYTES))).toBe(200);
  expect(await statusOf(peer, "x".repeat(EVENT_BYTES + 1))).toBe(413);
  expect(asked).toEqual([]);
});
