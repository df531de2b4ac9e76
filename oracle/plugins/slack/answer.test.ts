/** An answer on its way to Slack, with a server that behaves like Slack: streamed, posted, rate-limited, and interrupted. */
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { createKvInNode } from "../../../test/support/plugins/kv-in-node.ts";
import { startLocalServer } from "../../../test/support/server/local-server.ts";
import { startSlackApi, type SlackPeer } from "../../../test/support/peers/slack-api.ts";
import { createLogger } from "../../../platform/log.ts";
import type { EndedTurn } from "../../framework/ended-turn.ts";
import type { PluginKv } from "../../framework/storage.ts";
import { END_TIME_MS, endAnswer } from "./answer-end.ts";
import { createAnswerStore, REMEMBERED_ANSWERS } from "./answer-record.ts";
import { APPEND_PAUSE_MS, createAnswerStream } from "./answer-stream.ts";
import { slackSettings } from "./settings.ts";
import { createSlackApi } from "./slack-api.ts";

const place = { team: "T0PEER", channel: "C0GENERAL", thread: "1700000000.000100", user: "U0ADA" };

let kv: PluginKv;
let waits: number[];
let lines: string[];

beforeEach(() => {
  kv = createKvInNode("slack");
  waits = [];
  lines = [];
});

async function startPeer(options: Parameters<typeof startSlackApi>[0] = {}): Promise<SlackPeer> {
  const peer = await startSlackApi(options);
  onTestFinished(() => peer.stop());
  return peer;
}

function parts(peer: SlackPeer, runId = "run-1") {
  return {
    place,
    api: createSlackApi(slackSettings.parse(peer.variables), fetch),
    store: createAnswerStore(kv, runId),
    wait: async (ms: number) => void waits.push(ms),
    isLate: () => false,
    log: createLogger({}, (_level, line) => lines.push(line)),
  };
}

function stream(peer: SlackPeer, ended = new AbortController()) {
  const working: Promise<void>[] = [];
  const background = (work: Promise<void>): void => void working.push(work);
  return { ...createAnswerStream({ ...parts(peer), background, ended: ended.signal }), working, ended };
}

function ended(answer: string, change: Partial<EndedTurn> = {}): EndedTurn {
  return {
    runId: "run-1",
    sessionId: "session-1",
    client: "slack",
    status: "finished",
    endedAt: "2026-11-21T09:00:00.000Z",
    usage: [],
    answer,
    metadata: {},
    ...change,
  };
}

const methodsOf = (peer: SlackPeer): readonly string[] => peer.calls.map(({ method }) => method);

describe("a streamed answer [OR-366]", () => {
  test("arrives in few appends with a pause after each, and is stopped with nothing more", async () => {
    const peer = await startPeer();
    const answer = stream(peer);
    for (const word of ["One ", "two ", "three."]) answer.add(word);
    await Promise.all(answer.working);
    await answer.settle();
    await endAnswer(ended("One two three."), parts(peer));
    expect(peer.messages).toMatchObject([{ text: "One two three.", state: "posted", isEdited: false }]);
    expect(methodsOf(peer)).toEqual(["chat.startStream", "chat.appendStream", "chat.stopStream"]);
    expect(peer.calls[0]?.body).toEqual({
      channel: "C0GENERAL",
      thread_ts: "1700000000.000100",
      recipient_user_id: "U0ADA",
      recipient_team_id: "T0PEER",
    });
    expect(waits).toEqual([APPEND_PAUSE_MS]);
    expect(APPEND_PAUSE_MS).toBe(1_000);
  });

  test("text that no append sent is sent with the stop", async () => {
    const peer = await startPeer();
    const answer = stream(peer);
    answer.add("One ");
    await Promise.all(answer.working);
    await answer.settle();
    await endAnswer(ended("One two."), parts(peer));
    expect(peer.messages).toMatchObject([{ text: "One two.", state: "posted", isEdited: false }]);
  });

  test("waits as long as Slack's rate limit says, in the stream and at its end", async () => {
    const peer = await startPeer();
    peer.limit("chat.appendStream", 7);
    peer.limit("chat.stopStream", 3, 4);
    const answer = stream(peer);
    answer.add("One.");
    await Promise.all(answer.working);
    await answer.settle();
    await endAnswer(ended("One."), parts(peer));
    expect(peer.messages).toMatchObject([{ text: "One.", state: "posted" }]);
    expect(waits).toEqual([7_000, 1_000, 3_000, 4_000]);
  });

  test("the turn's end does not wait for Slack's rate limit", async () => {
    const peer = await startPeer();
    peer.limit("chat.appendStream", 600);
    const limited = Promise.withResolvers<void>();
    const forever = { ...parts(peer), wait: () => new Promise<void>(() => limited.resolve()) };
    const answer = createAnswerStream({ ...forever, background: () => undefined, ended: new AbortController().signal });
    answer.add("One.");
    await limited.promise;
    await answer.settle();
    await endAnswer(ended("One."), parts(peer));
    expect(peer.messages).toMatchObject([{ text: "One.", state: "posted", isEdited: false }]);
  });

  test("one message has 12,000 characters; the rest follows in others", async () => {
    const peer = await startPeer();
    const answer = stream(peer);
    const long = "twelve chars".repeat(2_500);
    for (let index = 0; index < long.length; index += 5_000) answer.add(long.slice(index, index + 5_000));
    await Promise.all(answer.working);
    await answer.settle();
    await endAnswer(ended(long), parts(peer));
    expect(peer.textsIn(place.thread).join("")).toBe(long);
    expect(peer.messages.map(({ text, state }) => text.length <= 12_000 && state)).toEqual([
      "posted",
      "posted",
      "posted",
    ]);
    expect(peer.calls.filter(({ outcome }) => outcome !== "ok")).toEqual([]);
  });
});

describe("without a stream, the answer is posted once [OR-367]", () => {
  test.each(["not_allowed_token_type", "missing_scope", "channel_type_not_supported"])("%s", async (error) => {
    const peer = await startPeer();
    peer.refuse("chat.startStream", error);
    const answer = stream(peer);
    answer.add("One ");
    await answer.settle();
    answer.add("two.");
    await answer.settle();
    expect(peer.messages).toEqual([]);
    await endAnswer(ended("One two."), parts(peer));
    expect(peer.messages).toMatchObject([{ text: "One two.", state: "posted", thread: place.thread }]);
    expect(lines.join("")).toContain(error);
  });

  test("in a workspace without streams", async () => {
    const peer = await startPeer({ streams: false });
    const answer = stream(peer);
    answer.add("One.");
    await answer.settle();
    await endAnswer(ended("One."), parts(peer));
    expect(peer.textsIn(place.thread)).toEqual(["One."]);
  });
});

describe("a lost process [OR-369]", () => {
  test("during the stream: its message has the whole answer once, however much had arrived", async () => {
    const peer = await startPeer();
    const lost = stream(peer);
    lost.add("One tw");
    await Promise.all(lost.working);
    // Another process answers again, from the last step on.
    const next = stream(peer);
    next.add("Eins zwei.");
    await next.settle();
    expect(peer.messages).toMatchObject([{ text: "One tw", state: "streaming" }]);
    await endAnswer(ended("Eins zwei."), parts(peer));
    expect(peer.messages).toMatchObject([{ text: "Eins zwei.", state: "posted" }]);
  });

  test("at the end, after each call that Slack accepted: a repeated end changes nothing", async () => {
    for (const lostAt of [1, 2, 3]) {
      const peer = await startPeer();
      kv = createKvInNode("slack");
      const lost = stream(peer);
      lost.add("One tw");
      await Promise.all(lost.working);
      let calls = 0;
      const { api, ...others } = parts(peer);
      const dying: typeof api = {
        async call(...args) {
          const result = await api.call(...args);
          calls += 1;
          if (calls === lostAt) throw new Error("the process is gone");
          return result;
        },
      };
      await endAnswer(ended("One two."), { ...others, api: dying }).catch(() => undefined);
      await endAnswer(ended("One two."), parts(peer));
      await endAnswer(ended("One two."), parts(peer));
      expect(peer.messages, String(lostAt)).toMatchObject([{ text: "One two.", state: "posted" }]);
    }
  });

  test("before a word was streamed: the answer is posted", async () => {
    const peer = await startPeer();
    await endAnswer(ended("One."), parts(peer));
    await endAnswer(ended("One."), parts(peer));
    expect(peer.textsIn(place.thread)).toEqual(["One."]);
  });

  test("an end that Slack temporarily refuses is retried; a permanent refusal is not", async () => {
    const peer = await startPeer();
    for (const error of ["internal_error", "token_revoked"]) {
      peer.refuse("chat.postMessage", error);
      await expect(endAnswer(ended("One."), parts(peer))).rejects.toThrow(error);
    }
    peer.limit("chat.postMessage", 600);
    await expect(endAnswer(ended("One."), parts(peer))).rejects.toThrow("ratelimited");
    peer.refuse("chat.postMessage", "is_archived");
    await endAnswer(ended("One."), parts(peer));
    await endAnswer(ended("One."), parts(peer));
    expect(peer.messages).toEqual([]);
    expect(lines.filter((line) => line.includes("is_archived"))).toHaveLength(1);
  });

  test("a slow end stops between two posts, and the next one continues after them", async () => {
    expect(END_TIME_MS).toBe(18_000);
    const peer = await startPeer();
    const long = "twelve chars".repeat(2_500);
    const isLate = (): boolean => peer.messages.length === 2;
    await expect(endAnswer(ended(long), { ...parts(peer), isLate })).rejects.toThrow("too long");
    expect(peer.messages).toHaveLength(2);
    await endAnswer(ended(long), parts(peer));
    expect(peer.textsIn(place.thread).join("")).toBe(long);
  });

  test("an end that arrives while the stream is being opened waits for it: there is one message", async () => {
    const peer = await startPeer();
    const answer = stream(peer);
    answer.add("Starting ");
    answer.ended.abort();
    await answer.settle();
    await endAnswer(ended("Starting ", { status: "failed", failure: "It failed." }), parts(peer));
    expect(peer.messages).toMatchObject([{ text: "Starting\n\nIt failed.", state: "posted" }]);
  });

  test("the stream leaves its message alone once the turn has ended", async () => {
    const peer = await startPeer();
    const answer = stream(peer);
    answer.ended.abort();
    answer.add("late");
    await Promise.all(answer.working);
    expect(methodsOf(peer)).not.toContain("chat.appendStream");
  });
});

describe("the thread shows an unfinished turn [OR-370]", () => {
  test.each([
    ["failed", "", "The model could not be reached.", "The model could not be reached."],
    ["failed", "One ", "The model could not be reached.", "One\n\nThe model could not be reached."],
    ["failed", "", undefined, "The answer could not be finished."],
    ["aborted", "One", undefined, "One\n\nThe answer was stopped."],
    ["finished", "", undefined, "The answer has no text."],
  ] as const)("%s after %j", async (status, answer, failure, shown) => {
    const peer = await startPeer();
    await endAnswer(ended(answer, { status, ...(failure === undefined ? {} : { failure }) }), parts(peer));
    expect(peer.textsIn(place.thread)).toEqual([shown]);
  });
});

test("the newest 100 ended answers are remembered, so that the user's storage does not fill [OR-369]", async () => {
  expect(REMEMBERED_ANSWERS).toBe(100);
  for (let index = 0; index < 105; index += 1) await createAnswerStore(kv, `run-${index}`).finish();
  const { keys } = await kv.list("answer/");
  expect(keys).toHaveLength(100);
  expect(keys).not.toContain("answer/run-4");
  expect(keys).toContain("answer/run-5");
});

test("no log contains the token, whatever Slack answers [OR-371]", async () => {
  const peer = await startPeer({ token: "xoxb-secret" });
  peer.refuse("chat.startStream", "xoxb-secret is wrong");
  const answer = stream(peer);
  answer.add("One.");
  await answer.settle();
  await endAnswer(ended("One."), parts(peer));
  expect(lines).toHaveLength(1);
  expect(lines.join("")).not.toContain("xoxb-secret");
  expect(JSON.stringify(peer.calls.map(({ body }) => body))).not.toContain("xoxb-secret");
});

test("a redirect is not followed: the token is sent only to the configured address [OR-371]", async () => {
  const peer = await startPeer();
  const elsewhere = await startLocalServer((request, _body, response) => {
    response.writeHead(307, { Location: `${peer.url}${String(request.url)}` }).end();
  });
  onTestFinished(() => elsewhere.close());
  const api = createSlackApi(slackSettings.parse({ ...peer.variables, SLACK_API_URL: `${elsewhere.origin}/` }), fetch);
  const body = { channel: "C0GENERAL", thread_ts: place.thread, markdown_text: "One." };
  expect(await api.call("chat.postMessage", body)).toEqual({ ok: false, error: { error: "unreachable" } });
  expect(peer.calls).toEqual([]);
});

test("sent text is recorded once, however often the end of the stream is awaited: an ended answer stays ended [OR-369]", async () => {
  const peer = await startPeer();
  const { add, settle, working } = stream(peer);
  add("Hello");
  await Promise.all(working);
  await Promise.all([settle(), settle()]);
  const store = createAnswerStore(kv, "run-1");
  expect(await store.read()).toMatchObject({ sent: "Hello" });
  await store.finish();
  await settle();
  expect(await store.read()).toEqual({ isFinished: true });
});
