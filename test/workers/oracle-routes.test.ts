/** The oracle's routes over its real objects, called through the dispatcher as a client calls them. */
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { readFrames } from "../support/oracle/frame-reader.ts";
import { createEdge, jsonOf, openSession } from "../support/oracle/oracle-edge.ts";
import { signer } from "../support/auth/ucan.ts";
import { NEW_REQUEST_ID } from "../support/server/request-ids.ts";

const unknownId = "0b7c2c1e-5a0e-4d0c-9a55-6d1f6f6a8e10";

/** One user per test, because rate and index belong to the user. */
let lastUser = 20;
async function setUp(more: object = {}) {
  // Only the bindings, so that a developer's .dev.vars does not affect a test.
  const { CHAT_SESSION, USER_VAULT, DATABASE, ASSETS } = env;
  const edge = await createEdge({ CHAT_SESSION, USER_VAULT, DATABASE, ASSETS, ...more });
  const [user, other] = [(lastUser += 1), (lastUser += 1)];
  return { edge, user, other };
}

const idsOf = (stream: string): number[] => [...stream.matchAll(/^id: (\d+)$/gm)].map((match) => Number(match[1]));
const eventsOf = (stream: string): string[] => [...stream.matchAll(/^event: (.+)$/gm)].map((match) => match[1] ?? "");

describe("a conversation", () => {
  test("a stream ends with done, can be resumed, and its answer is in the transcript once [OR-75, OR-77, OR-87]", async () => {
    const { edge, user } = await setUp();
    const sessionId = await openSession(edge, user);
    const streamed = await edge.call("POST", `/messages/${sessionId}`, {
      as: user,
      headers: { "x-request-id": "req-42" },
      body: { message: "hello there", stream: true },
    });
    expect(streamed.headers.get("X-Request-Id")).toBe("req-42");
    const runId = String(streamed.headers.get("x-run-id"));
    const whole = await streamed.text();
    expect(eventsOf(whole).at(0)).toBe("run");
    expect(eventsOf(whole).at(-1)).toBe("done");

    const joined = await edge.call("GET", `/runs/${runId}?after=2`, { as: user, headers: { "x-request-id": "mine" } });
    expect(joined.headers.get("X-Request-Id")).toBe("req-42");
    expect(idsOf(await joined.text())).toEqual(idsOf(whole).filter((id) => id > 2));

    const { messages } = await jsonOf(await edge.call("GET", `/messages/${sessionId}`, { as: user }));
    expect(messages).toMatchObject([
      { type: "human", content: "hello there" },
      { type: "ai", content: "You said: hello there" },
    ]);
    const page = await jsonOf(await edge.call("GET", `/sessions/${sessionId}/messages?limit=1`, { as: user }));
    expect(page).toMatchObject({ messages, hasOlder: false, hasNewer: false });
    const bad = await edge.call("GET", `/sessions/${sessionId}/messages?after=nothing`, { as: user });
    expect([bad.status, (await jsonOf(bad))["message"]]).toEqual([400, "Unknown cursor"]);
    expect(await jsonOf(await edge.call("GET", `/sessions/${sessionId}/run`, { as: user }))).toEqual({ run: null });
  });

  test("a reply without a stream is whole, with the transcript on request [OR-53]", async () => {
    const { edge, user } = await setUp();
    const sessionId = await openSession(edge, user);
    const body = { message: "hello", returnAllMessages: true };
    const reply = await jsonOf(await edge.call("POST", `/messages/${sessionId}`, { as: user, body }));
    expect(reply).toMatchObject({
      message: { type: "ai", content: "You said: hello" },
      sessionId,
      messages: [{ type: "human" }, { type: "ai" }],
    });
  });

  test("aborting reports whether a run was active [OR-60]", async () => {
    const { edge, user } = await setUp();
    const sessionId = await openSession(edge, user);
    const abort = async () => jsonOf(await edge.call("POST", "/messages/abort", { as: user, body: { sessionId } }));
    expect(await abort()).toEqual({ success: false });
    const streamed = await edge.call("POST", `/messages/${sessionId}`, {
      as: user,
      body: { message: "/slow 1000 50", stream: true },
    });
    expect(await abort()).toEqual({ success: true });
    expect(await streamed.text()).toContain('"status":"aborted"');
  });
});

describe("one run at a time", () => {
  test("five messages queue, the sixth is a 429; interrupt ends all runs and is answered [OR-56, OR-57, OR-58]", async () => {
    const { edge, user } = await setUp();
    const sessionId = await openSession(edge, user);
    const send = (message: string, more: object = {}) =>
      edge.call("POST", `/messages/${sessionId}`, { as: user, body: { message, stream: true, ...more } });
    const framesOf = ({ body }: Response) => {
      if (body === null) throw new Error("no stream");
      return readFrames(body);
    };
    const ended = [framesOf(await send("/slow 1000 50"))];
    for (let place = 0; place < 5; place += 1) {
      const queued = await send("queued", { multitask: "enqueue" });
      const frames = framesOf(queued);
      expect(await frames.next()).toMatchObject({ event: "run", data: { runId: queued.headers.get("x-run-id") } });
      ended.push(frames);
    }
    const { run } = await jsonOf(await edge.call("GET", `/sessions/${sessionId}/run`, { as: user }));
    expect(run).toMatchObject({ status: "running", sessionId });
    const refused = await send("too many", { multitask: "enqueue" });
    expect([refused.status, refused.headers.get("Retry-After")]).toEqual([429, "5"]);
    expect(await jsonOf(refused)).toMatchObject({ statusCode: 429, error: "Too Many Requests" });

    const last = await framesOf(await send("now")).rest();
    expect(last.at(-1)).toMatchObject({ event: "done", data: { status: "finished" } });
    for (const frames of ended) {
      expect((await frames.rest()).at(-1)).toMatchObject({ event: "done", data: { status: "aborted", aborted: true } });
    }
    const { messages } = await jsonOf(await edge.call("GET", `/messages/${sessionId}`, { as: user }));
    expect(JSON.stringify(messages)).not.toContain("too many");
  });
});

test("a client reads the transcript page by page in both directions, with cursors that are safe in a path [OR-90, OR-91, OR-93]", async () => {
  const { edge, user } = await setUp();
  const sessionId = await openSession(edge, user);
  for (const message of ["one", "two", "three"])
    await edge.call("POST", `/messages/${sessionId}`, { as: user, body: { message } });
  const page = async (query: string) => {
    const answer = await jsonOf(
      await edge.call("GET", `/sessions/${sessionId}/messages?limit=1${query}`, { as: user }),
    );
    const { messages, prevCursor, nextCursor, ...rest } = answer;
    const [human] = messages as { content: string }[];
    return { asked: human?.content, prevCursor: String(prevCursor), nextCursor: String(nextCursor), ...rest };
  };
  const newest = await page("");
  expect(newest).toMatchObject({ asked: "three", hasOlder: true, hasNewer: false });
  expect(newest.prevCursor).toMatch(/^[\w-]+$/);
  const middle = await page(`&before=${newest.prevCursor}`);
  expect(middle).toMatchObject({ asked: "two", hasOlder: true, hasNewer: true });
  const oldest = await page(`&before=${middle.prevCursor}`);
  expect(oldest).toMatchObject({ asked: "one", hasOlder: false, hasNewer: true });
  const forward = await page(`&after=${oldest.nextCursor}`);
  expect(forward).toMatchObject({ asked: "two", hasOlder: true, hasNewer: true });
  const { nextCursor } = newest;
  expect(await page(`&after=${nextCursor}`)).toMatchObject({ asked: undefined, nextCursor, hasNewer: false });
});

describe("sessions", () => {
  test("are listed newest first with their total, and gone once deleted [OR-41, OR-44]", async () => {
    const { edge, user } = await setUp();
    const first = await openSession(edge, user);
    const second = await openSession(edge, user);
    await edge.call("POST", `/messages/${first}`, { as: user, body: { message: "hi" } });
    const listed = await jsonOf(await edge.call("GET", "/sessions?limit=1", { as: user }));
    expect(listed).toMatchObject({ sessions: [{ sessionId: first }], total: 2 });
    expect((await edge.call("DELETE", `/sessions/${first}`, { as: user })).status).toBe(200);
    expect((await edge.call("DELETE", `/sessions/${first}`, { as: user })).status).toBe(404);
    expect((await edge.call("GET", `/messages/${first}`, { as: user })).status).toBe(404);
    expect(await jsonOf(await edge.call("GET", "/sessions", { as: user }))).toMatchObject({
      sessions: [{ sessionId: second }],
      total: 1,
    });
  });

  test("of another user are 404 JSON on every route, like unknown ones [OR-39]", async () => {
    const { edge, user, other } = await setUp();
    const sessionId = await openSession(edge, other);
    const turn = await edge.call("POST", `/messages/${sessionId}`, { as: other, body: { message: "hi" } });
    const runId = String(turn.headers.get("x-run-id"));
    for (const [id, run] of [
      [sessionId, runId],
      [unknownId, `${unknownId}.${unknownId}`],
    ]) {
      const calls: [string, string, unknown?][] = [
        ["DELETE", `/sessions/${id}`],
        ["GET", `/sessions/${id}/messages`],
        ["GET", `/sessions/${id}/run`],
        ["GET", `/messages/${id}`],
        ["POST", `/messages/${id}`, { message: "hi" }],
        ["POST", `/messages/${id}`, { message: "hi", stream: true }],
        ["POST", "/messages/abort", { sessionId: id }],
        ["GET", `/runs/${run}`],
      ];
      for (const [method, path, body] of calls) {
        const response = await edge.call(method, path, { as: user, body, headers: { "X-Request-Id": "req-42" } });
        expect([method, path, response.status]).toEqual([method, path, 404]);
        expect(await jsonOf(response)).toEqual({
          statusCode: 404,
          message: path.startsWith("/runs") ? "Run not found" : "Session not found",
          error: "Not Found",
          requestId: "req-42",
          code: "not_found",
          retryable: false,
        });
      }
    }
    expect((await edge.call("GET", `/messages/${sessionId}`, { as: other })).status).toBe(200);
  });

  test("a run of one session is not found below another [OR-39]", async () => {
    const { edge, user } = await setUp();
    const [one, two] = [await openSession(edge, user), await openSession(edge, user)];
    const turn = await edge.call("POST", `/messages/${one}`, { as: user, body: { message: "hi" } });
    const run = String(turn.headers.get("x-run-id")).split(".")[1];
    expect((await edge.call("GET", `/runs/${two}.${run}`, { as: user })).status).toBe(404);
  });
});

test("the rate limit is exact, and shared by all kinds of routes [OR-138]", async () => {
  const { edge, user } = await setUp({ ORACLE_RATE_LIMIT_PER_MINUTE: "4" });
  const sessionId = await openSession(edge, user);
  const paths = ["/sessions", `/messages/${sessionId}`, "/delegation", "/user-preferences"];
  const statuses: number[] = [];
  for (const path of paths) statuses.push((await edge.call("GET", path, { as: user })).status);
  expect(statuses).toEqual([200, 200, 200, 429]);
  const refused = await edge.call("GET", "/sessions", { as: user });
  const wait = Number(refused.headers.get("Retry-After"));
  expect([wait >= 1, wait <= 60, Number.isInteger(wait)]).toEqual([true, true, true]);
});

test("preferences belong to one caller and this oracle [OR-123, OR-124]", async () => {
  const { edge, user, other } = await setUp();
  const updatedAt = "2026-11-21T09:00:00.000Z";
  await env.DATABASE.prepare("INSERT INTO user_preferences VALUES (?1, ?2, ?3, ?4)")
    .bind((await signer(user)).did(), edge.oracleDid, JSON.stringify({ agentName: "Juno" }), updatedAt)
    .run();
  expect(await jsonOf(await edge.call("GET", "/user-preferences", { as: user }))).toEqual({
    agentName: "Juno",
    updatedAt,
  });
  expect(await jsonOf(await edge.call("GET", "/user-preferences", { as: other }))).toEqual({});
});

describe("the API reference", () => {
  test("the Worker serves its page and every asset that the page names", async () => {
    const { edge } = await setUp();
    const page = await edge.call("GET", "/docs");
    const html = await page.text();
    const assets = [...html.matchAll(/(?:src|href)="(\/docs\/[^"]+)"/g)].map((match) => match[1] ?? "");
    expect(assets.length).toBe(11);
    for (const path of assets) {
      const response = await edge.call("GET", path);
      expect([path, response.status]).toEqual([path, 200]);
      expect((await response.arrayBuffer()).byteLength).toBeGreaterThan(100);
      expect(response.headers.get("X-Request-Id")).toMatch(NEW_REQUEST_ID);
    }
    expect((await edge.call("GET", "/docs/nothing.js")).status).toBe(404);
  });
});
