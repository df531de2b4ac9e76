import { describe, expect, test } from "vitest";
import { edgeOverMemory } from "../../../test/support/in-memory-objects.ts";
import { jsonOf, openSession, type Call } from "../../../test/support/oracle-edge.ts";
import { success } from "../../platform/result.ts";

const alice = 1;
const unknownId = "0b7c2c1e-5a0e-4d0c-9a55-6d1f6f6a8e10";
describe("turns", () => {
  test("a streamed one answers with the stream's headers", async () => {
    const { edge } = await edgeOverMemory();
    const sessionId = await openSession(edge, alice);
    const call: Call = { as: alice, headers: { "x-request-id": "req-42" }, body: { message: "hi", stream: true } };
    const response = await edge.call("POST", `/messages/${sessionId}`, call);
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "content-type": "text/event-stream",
      "cache-control": "no-cache, no-transform",
      "x-accel-buffering": "no",
      "x-request-id": "req-42",
      "x-run-id": `${sessionId}.00000000-0000-4000-8000-000000000000`,
      "x-ratelimit-limit": "120",
      "x-ratelimit-remaining": "118",
      "access-control-expose-headers": "X-Request-Id, x-run-id",
    });
    expect(await response.text()).toBe("event: run\nid: 1\ndata: {}\n\n");
  });

  test("a joined one carries the turn's request id, not the caller's", async () => {
    const { edge } = await edgeOverMemory();
    const sessionId = await openSession(edge, alice);
    const runId = `${sessionId}.${unknownId}`;
    const response = await edge.call("GET", `/runs/${runId}?after=4294967297`, {
      as: alice,
      headers: { "x-request-id": "mine" },
    });
    expect([response.headers.get("X-Request-Id"), response.headers.get("x-run-id")]).toEqual(["turn-1", runId]);
    const bad = await edge.call("GET", `/runs/${runId}?after=-1`, { as: alice });
    expect([bad.status, (await jsonOf(bad))["message"]]).toEqual([400, "after must be a whole number of at least 0"]);
  });

  test("a HEAD gets the headers of a stream and leaves none open", async () => {
    const { edge, objects } = await edgeOverMemory();
    const sessionId = await openSession(edge, alice);
    const response = await edge.call("HEAD", `/runs/${sessionId}.${unknownId}`, { as: alice });
    expect([response.status, response.headers.get("Content-Type")]).toEqual([200, "text/event-stream"]);
    expect([response.body, objects.openStreams]).toEqual([null, 0]);
  });

  test("a waited-for one answers the whole text", async () => {
    const { edge, objects } = await edgeOverMemory();
    const sessionId = await openSession(edge, alice);
    objects.reply = success({ status: "finished", content: "Hello", messageId: "m-1", delegationRequired: true });
    const response = await edge.call("POST", `/messages/${sessionId}`, { as: alice, body: { message: "hi" } });
    expect(await jsonOf(response)).toEqual({
      message: { type: "ai", content: "Hello", id: "m-1" },
      sessionId,
      delegationRequired: true,
    });
    expect(response.headers.get("x-run-id")).toContain(sessionId);
    objects.reply = success({ status: "aborted", content: "Hel", messageId: "m-2" });
    const aborted = await edge.call("POST", `/messages/${sessionId}`, { as: alice, body: { message: "hi" } });
    expect(await jsonOf(aborted)).toMatchObject({ aborted: true, message: { content: "Hel" } });
  });

  test("a failed one is a 502 with its kind", async () => {
    const { edge, objects } = await edgeOverMemory();
    const sessionId = await openSession(edge, alice);
    const failed = { kind: "rate_limit", message: "The model is busy" };
    objects.reply = success({ status: "failed", content: "", failure: failed });
    const response = await edge.call("POST", `/messages/${sessionId}`, { as: alice, body: { message: "hi" } });
    expect(response.status).toBe(502);
    expect(await jsonOf(response)).toMatchObject({ statusCode: 502, error: "Bad Gateway", ...failed });
    expect(response.headers.get("x-run-id")).toContain(sessionId);
  });

  test("one that was given up after restarts is a 502; an aborted one without text has its run's id", async () => {
    const { edge, objects } = await edgeOverMemory();
    const sessionId = await openSession(edge, alice);
    const send = () => edge.call("POST", `/messages/${sessionId}`, { as: alice, body: { message: "hi" } });
    objects.reply = success({ status: "interrupted", content: "Hel" });
    const interrupted = await send();
    expect([interrupted.status, (await jsonOf(interrupted))["kind"]]).toEqual([502, "unknown"]);
    objects.reply = success({ status: "aborted", content: "" });
    const aborted = await send();
    const id = aborted.headers.get("x-run-id");
    expect(await jsonOf(aborted)).toEqual({ message: { type: "ai", content: "", id }, sessionId, aborted: true });
  });

  test.each([true, false])(
    "stream %j: without a request id of the caller's one is minted and is the turn's",
    async (stream) => {
      const { edge, objects } = await edgeOverMemory();
      const sessionId = await openSession(edge, alice);
      const response = await edge.call("POST", `/messages/${sessionId}`, {
        as: alice,
        body: { message: "hi", stream },
      });
      const requestId = response.headers.get("X-Request-Id");
      expect(requestId).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
      expect(objects.turns).toMatchObject([{ requestId }]);
      await response.body?.cancel();
    },
  );

  test.each([
    [{}, "sessionId must be a string"],
    [{ sessionId: 7 }, "sessionId must be a string"],
    [[], "Request body must be a JSON object"],
  ])("aborting with %j is a 400", async (body, message) => {
    const { edge, objects } = await edgeOverMemory();
    const response = await edge.call("POST", "/messages/abort", { as: alice, body });
    expect(response.status).toBe(400);
    expect((await jsonOf(response))["message"]).toContain(message);
    expect(objects.calls).not.toContain("session.abort");
  });

  test("both cursors at once are a 400", async () => {
    const { edge } = await edgeOverMemory();
    const sessionId = await openSession(edge, alice);
    const response = await edge.call("GET", `/sessions/${sessionId}/messages?before=a&after=b`, { as: alice });
    expect([response.status, (await jsonOf(response))["message"]]).toEqual([
      400,
      "before and after cannot be used together",
    ]);
  });
});
