/** Runs followed against the real oracle, over connections that break and refuse. */
import { describe, expect, test } from "vitest";
import { clientOfOracle } from "../../../test/support/sdk/client-of-oracle.ts";
import { showing, type AskedRequest, type OraclePortOptions } from "../../../test/support/oracle/oracle-on-a-port.ts";
import { createGate } from "../../../workers/oracle/testing/scripted-model.ts";
import { OfflineError, RequestError } from "./errors.ts";
import { followRun, RUN_LIMITS, SEND_REPEATS, type FollowRunOptions, type RunFrame } from "./run-stream.ts";

/** Waits of at most a few milliseconds. */
const quick = { firstWait: 1, longestWait: 4 };

async function follower(options: OraclePortOptions = {}) {
  const { client, ...rest } = await clientOfOracle(options);
  const { sessionId } = await client.sessions.create();

  function follow(change: Partial<FollowRunOptions> = {}) {
    const frames: RunFrame[] = [];
    const reconnecting: boolean[] = [];
    const accepted: string[] = [];
    const leaving = new AbortController();
    let wake = () => {};
    const outcome = followRun({
      http: client.http,
      start: { sessionId, body: { message: "hello", metadata: { clientMessageId: "m" } } },
      signal: leaving.signal,
      onAccepted: ({ runId }) => accepted.push(runId),
      onFrame: (frame) => frames.push(frame),
      onReconnecting: (lost) => reconnecting.push(lost),
      wake(listener) {
        wake = listener;
        return () => {};
      },
      limits: quick,
      ...change,
    });
    return { outcome, frames, reconnecting, accepted, leave: () => leaving.abort(), wake: () => wake() };
  }
  const joins = () => rest.paths().filter((path) => path.startsWith("GET /runs/"));
  return { client, sessionId, follow, joins, ...rest };
}

const textOf = (frames: readonly RunFrame[]) =>
  frames.map((frame) => (frame.event === "message" ? frame.data.content : "")).join("");
const idsOf = (frames: readonly RunFrame[]) => frames.map(({ id }) => id);

const steps = [
  [{ think: "well" }, "one ", "two ", { call: "none", input: {} }],
  ["three é\r\n", "👋 four"],
] as const;

describe("a run over connections that break [SD-10]", () => {
  test("at each of its frames has every frame once, and the text of the transcript", async () => {
    const whole = await follower({ steps });
    const reference = whole.follow();
    expect(await reference.outcome).toMatchObject({ kind: "done", done: { status: "finished" } });
    expect(reference.reconnecting).toEqual([]);

    // Joined deltas reduce the number of frames and never increase it.
    const fates = reference.frames.map(() => ({ kind: "break", after: () => true }) as const);
    const { follow, joins, client, sessionId } = await follower({ steps, fates });
    const { outcome, frames, accepted, reconnecting } = follow();
    expect(await outcome).toMatchObject({ kind: "done", done: { status: "finished" } });
    expect(idsOf(frames)).toEqual([...new Set(idsOf(frames))].toSorted((a, b) => a - b));
    const { messages } = await client.http.json<{ messages: { content: string }[] }>(`/messages/${sessionId}`);
    expect(textOf(frames)).toBe(messages.at(-1)?.content);
    expect(textOf(frames)).toBe(textOf(reference.frames));
    expect(accepted).toHaveLength(1);
    expect(joins().map((path) => Number(path.split("=")[1]))).toEqual(idsOf(frames).slice(0, joins().length));
    expect(reconnecting.filter(Boolean).length).toBe(reconnecting.filter((lost) => !lost).length);
  });

  test("has every frame once when it is joined from its beginning", async () => {
    const state: { again?: (path: string) => Promise<Response> } = {};
    const before = ({ path }: AskedRequest) =>
      path.startsWith("/runs/") ? state.again?.(path.replace(/after=\d+/, "after=0")) : undefined;
    const { follow, oracle, joins } = await follower({
      steps,
      before,
      fates: [{ kind: "break", after: showing("one") }],
    });
    state.again = (path) => oracle.edge.call("GET", path, { as: 1 });
    const { outcome, frames } = follow();
    expect(await outcome).toMatchObject({ kind: "done" });
    expect(joins()).toHaveLength(1);
    expect(idsOf(frames)).toEqual([...new Set(idsOf(frames))]);
    expect(textOf(frames)).toBe("one two three é\r\n👋 four");
  });

  test("is joined at any offset with the text that is missing", async () => {
    const { follow } = await follower({ steps });
    const { outcome, frames, accepted } = follow();
    await outcome;
    const runId = String(accepted[0]);
    for (const [index, { id }] of frames.entries()) {
      const rest = follow({ start: { runId, after: id } });
      expect(await rest.outcome).toMatchObject({ kind: "done" });
      const expected = id === frames.at(-1)?.id ? [id] : idsOf(frames.slice(index + 1));
      expect(idsOf(rest.frames)).toEqual(expected);
      expect(rest.accepted).toEqual([runId]);
    }
  });

  test("waits between attempts, less when the page wakes up, and continues after temporary statuses", async () => {
    const statuses = [500, 502, 503, 429, 410, 408].map((status) => ({ kind: "refuse", status }) as const);
    const broken = { kind: "break", after: showing("one") } as const;
    const { follow, joins } = await follower({ steps, fates: [broken, ...statuses] });
    const hour = 3_600_000;
    const { outcome, reconnecting, wake } = follow({
      limits: { firstWait: hour, longestWait: hour, silenceOnWake: hour },
    });
    const waking = setInterval(wake, 1);
    expect(await outcome).toMatchObject({ kind: "done" });
    clearInterval(waking);
    expect(joins()).toHaveLength(statuses.length + 1);
    expect(reconnecting).toEqual([true, false]);
  });
});

describe("a run that can no longer be joined is lost [SD-11]", () => {
  test.each([404, 401, 403])("when it answers %d", async (status) => {
    const broken = { kind: "break", after: showing("one") } as const;
    const refusals = Array.from({ length: 3 }, () => ({ kind: "refuse", status }) as const);
    const { follow, joins, signed } = await follower({ steps, fates: [broken, ...refusals] });
    const before = { ...signed };
    expect(await follow().outcome).toMatchObject({ kind: "lost", error: { status } });
    // A refused token is renewed in two stages, then it is final.
    expect(joins()).toHaveLength(status === 404 ? 1 : 3);
    expect(signed.invocations - before.invocations).toBe(status === 404 ? 0 : 2);
  });

  test("if the waits together were longer than the time for which a run is resumed", async () => {
    expect(RUN_LIMITS).toMatchObject({ giveUp: 1_800_000, longestWait: 8000, firstWait: 250, silence: 45_000 });
    const broken = { kind: "break", after: showing("one") } as const;
    const refusals = Array.from({ length: 50 }, () => ({ kind: "refuse", status: 503 }) as const);
    const { follow, joins } = await follower({ steps, fates: [broken, ...refusals] });
    const { outcome } = follow({ random: () => 1, limits: { firstWait: 1, longestWait: 4, giveUp: 10 } });
    expect(await outcome).toMatchObject({ kind: "lost", error: expect.any(Error) });
    // 1 + 2 + 4 + 4 milliseconds.
    expect(joins()).toHaveLength(4);
  });
});

test("a silent connection is abandoned, and the run rejoined [SD-12]", async () => {
  const gate = createGate();
  const { follow, joins } = await follower({ steps: [["one ", { wait: gate }, "two"]] });
  const silent = follow({ limits: { ...quick, silence: 20 } });
  await expect.poll(() => joins().length).toBeGreaterThan(2);
  silent.leave();
  expect(await silent.outcome).toEqual({ kind: "left" });
  gate.open();
});

test("a silent connection is abandoned at once when the page wakes up, and the run rejoined [SD-12]", async () => {
  const [first, second] = [createGate(), createGate()];
  const { follow, joins } = await follower({ steps: [["one ", { wait: first }, "two ", { wait: second }, "three"]] });
  let now = 0;
  const woken = follow({ now: () => now });
  await expect.poll(() => textOf(woken.frames)).toContain("one");
  now = RUN_LIMITS.silenceOnWake;
  woken.wake();
  first.open();
  await expect.poll(() => textOf(woken.frames)).toContain("two");
  expect(joins()).toEqual([]);
  now += RUN_LIMITS.silenceOnWake + 1;
  woken.wake();
  await expect.poll(joins).toHaveLength(1);
  second.open();
  expect(await woken.outcome).toMatchObject({ kind: "done" });
  expect(textOf(woken.frames)).toBe("one two three");
});

describe("a message [SD-13]", () => {
  const sends = (asked: readonly AskedRequest[]) => asked.filter(({ path }) => path.startsWith("/messages/"));
  /** A gateway gives up before the response begins, `times` times. */
  const unanswered = (times: number) => {
    let left = times;
    const state: { forward?: (request: AskedRequest) => Promise<unknown> } = {};
    const before = async (request: AskedRequest) => {
      if (!request.path.startsWith("/messages/") || request.method !== "POST" || left === 0) return undefined;
      left -= 1;
      await state.forward?.(request);
      return new Response("<h1>Bad gateway</h1>", { status: 502 });
    };
    return { before, state };
  };

  test("whose response did not start is sent again under its id, and is one message", async () => {
    const { before, state } = unanswered(SEND_REPEATS);
    const { follow, oracle, sessionId, client } = await follower({ steps, before });
    state.forward = async ({ method, path, headers, body }) => {
      const auth = { authorization: String(headers["authorization"]), "x-auth-type": "ucan" };
      await (await oracle.edge.call(method, path, { headers: auth, body })).body?.cancel();
    };
    const { outcome, frames } = follow();
    expect(await outcome).toMatchObject({ kind: "done" });
    expect(sends(oracle.requests)).toHaveLength(SEND_REPEATS + 1);
    expect(textOf(frames)).toContain("four");
    const { messages } = await client.http.json<{ messages: { type: string }[] }>(`/messages/${sessionId}`);
    expect(messages.map(({ type }) => type)).toEqual(["human", "ai"]);
  });

  test("that does not arrive is an OfflineError, at once if it has no id", async () => {
    const { before } = unanswered(Infinity);
    const { follow, oracle, sessionId } = await follower({ before });
    await expect(follow().outcome).rejects.toBeInstanceOf(OfflineError);
    expect(sends(oracle.requests)).toHaveLength(SEND_REPEATS + 1);
    await expect(follow({ start: { sessionId, body: { message: "hello" } } }).outcome).rejects.toBeInstanceOf(
      OfflineError,
    );
    expect(sends(oracle.requests)).toHaveLength(SEND_REPEATS + 2);
  });

  test("that is refused is a RequestError, and is not sent again", async () => {
    const refusal = { statusCode: 402, message: "Payment required", code: "payment_required", claims: ["claim_1"] };
    const before = ({ path }: AskedRequest) =>
      path.startsWith("/messages/") ? Response.json(refusal, { status: 402 }) : undefined;
    const { follow, oracle } = await follower({ before });
    const failure = follow().outcome.catch((error: unknown) => error);
    expect(await failure).toBeInstanceOf(RequestError);
    expect(await failure).toMatchObject({ status: 402, code: "payment_required", claims: ["claim_1"] });
    expect(sends(oracle.requests)).toHaveLength(1);
  });
});

describe("a caller that follows a run [SD-14]", () => {
  test("can leave it at any moment, and the run continues", async () => {
    const gate = createGate();
    const { follow, client, sessionId } = await follower({ steps: [["one ", { wait: gate }, "two"]] });
    const { outcome, frames, leave } = follow();
    await expect.poll(() => textOf(frames)).toContain("one");
    leave();
    expect(await outcome).toEqual({ kind: "left" });
    expect(await client.http.json(`/sessions/${sessionId}/run`)).toMatchObject({ run: { status: "running" } });
    gate.open();
    const gone = new AbortController();
    gone.abort();
    expect(await follow({ signal: gone.signal }).outcome).toEqual({ kind: "left" });
  });

  test("gets the error of its function, which does not count as a lost connection", async () => {
    const failure = new Error("broken view");
    const { follow, joins } = await follower({ steps });
    const onFrame = () => {
      throw failure;
    };
    await expect(follow({ onFrame }).outcome).rejects.toBe(failure);
    expect(joins()).toEqual([]);
  });
});

test("after a Retry-After, the oracle is asked at that time, within a minute [SD-10]", async () => {
  expect(RUN_LIMITS.longestRetryAfter).toBe(60_000);
  let joined = 0;
  const broken = { kind: "break", after: showing("one") } as const;
  const { follow, joins } = await follower({
    steps,
    fates: [broken],
    before({ path }) {
      if (path.startsWith("/runs/")) joined += 1;
      return joined === 1 || joined === 2
        ? new Response(null, { status: 429, headers: { "retry-after": "3600" } })
        : undefined;
    },
  });
  // The first wait is 1 ms, the second the longest that an oracle may request.
  const limits = { firstWait: 1, longestWait: 1, longestRetryAfter: 50, giveUp: 50 };
  const { outcome } = follow({ random: () => 1, limits });
  expect(await outcome).toMatchObject({ kind: "lost", error: { status: 429 } });
  expect(joins()).toHaveLength(2);
});
