import { describe, expect, test } from "vitest";
import { chatModels, chatSettings } from "../../../test/support/oracle/chat-settings.ts";
import { plugin, tool } from "../../../test/support/plugins/small-plugins.ts";
import { createGate, createScriptedModel, type Beat } from "../testing/scripted-model.ts";
import { edgeOverObjects } from "../../../test/support/oracle/oracle-objects-in-node.ts";
import { jsonOf, openSession, type Call, type Edge } from "../../../test/support/oracle/oracle-edge.ts";

const alice = 1;
describe("runs", () => {
  test("a streamed one has the stream's headers [OR-50, OR-61]", async () => {
    const { edge } = await edgeOverObjects();
    const sessionId = await openSession(edge, alice);
    const call: Call = { as: alice, headers: { "x-request-id": "req-42" }, body: { message: "hi", stream: true } };
    const response = await edge.call("POST", `/messages/${sessionId}`, call);
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "content-type": "text/event-stream",
      "cache-control": "no-cache, no-transform",
      "x-accel-buffering": "no",
      "x-request-id": "req-42",
      "x-run-id": expect.stringMatching(new RegExp(`^${sessionId}\\.[0-9a-f-]{36}$`)),
      "x-ratelimit-limit": "120",
      "x-ratelimit-remaining": "118",
      "access-control-expose-headers": "X-Request-Id, x-run-id",
    });
    expect(await response.text()).toMatch(/^event: run\nid: 1\ndata: \{"runId":/);
  });

  /** A run that has ended, and its request id. */
  async function endedRun(edge: Edge) {
    const sessionId = await openSession(edge, alice);
    const headers = { "x-request-id": "request-1" };
    const streamed = await edge.call("POST", `/messages/${sessionId}`, {
      as: alice,
      headers,
      body: { message: "hi", stream: true },
    });
    await streamed.text();
    return streamed.headers.get("x-run-id") ?? "";
  }

  test("a resumed one has the run's request id, not the caller's [OR-77]", async () => {
    const { edge } = await edgeOverObjects();
    const runId = await endedRun(edge);
    const response = await edge.call("GET", `/runs/${runId}?after=4294967297`, {
      as: alice,
      headers: { "x-request-id": "mine" },
    });
    expect([response.headers.get("X-Request-Id"), response.headers.get("x-run-id")]).toEqual(["request-1", runId]);
    const bad = await edge.call("GET", `/runs/${runId}?after=-1`, { as: alice });
    expect([bad.status, (await jsonOf(bad))["message"]]).toEqual([400, "after must be a whole number of at least 0"]);
  });

  test("a HEAD gets the headers of a stream and leaves no stream open [OR-61]", async () => {
    const { edge, objects } = await edgeOverObjects();
    const response = await edge.call("HEAD", `/runs/${await endedRun(edge)}`, { as: alice });
    expect([response.status, response.headers.get("Content-Type")]).toEqual([200, "text/event-stream"]);
    expect([response.body, objects.openStreams]).toEqual([null, 0]);
  });

  /**
   * An edge whose model plays these steps; tools of the plugin `needs` require rights that the user has not delegated.
   */
  async function scripted(...steps: readonly (readonly Beat[])[]) {
    const model = createScriptedModel();
    model.plays(...steps);
    const needs = plugin("needs", {
      getTools: ({ ucan }) => [
        tool("need", async () => ((await ucan.requireCapability("a/b", "c")).ok ? "permitted" : "denied")),
      ],
    });
    const { edge, objects } = await edgeOverObjects();
    objects.settings = chatSettings({ models: chatModels(model), plugins: [needs] });
    const sessionId = await openSession(edge, alice);
    const send = () => edge.call("POST", `/messages/${sessionId}`, { as: alice, body: { message: "hi" } });
    const abort = () => edge.call("POST", "/messages/abort", { as: alice, body: { sessionId } });
    return { model, sessionId, send, abort };
  }

  test("one without a stream returns the whole text, and that a delegation was missing [OR-53, OR-36]", async () => {
    const { sessionId, send } = await scripted([{ call: "need", input: {} }], ["Hello"]);
    const response = await send();
    expect(await jsonOf(response)).toEqual({
      message: { type: "ai", content: "Hello", id: expect.any(String) },
      sessionId,
      finishReason: "stop",
      delegationRequired: true,
    });
    expect(response.headers.get("x-run-id")).toContain(sessionId);
  });

  test("an aborted one returns the text so far, or the run's id if there is none [OR-54]", async () => {
    const { model, sessionId, send, abort } = await scripted([{ wait: createGate() }], ["Hel", { wait: createGate() }]);
    const silent = send();
    await model.whenAsked(1);
    await abort();
    const id = (await silent).headers.get("x-run-id");
    expect(await jsonOf(await silent)).toEqual({ message: { type: "ai", content: "", id }, sessionId, aborted: true });
    const begun = send();
    await model.whenAsked(2);
    await new Promise((resolve) => void setImmediate(resolve));
    await abort();
    expect(await jsonOf(await begun)).toMatchObject({ aborted: true, message: { content: "Hel" } });
  });

  test("a failed one is a 502 with its kind [OR-54]", async () => {
    const { edge } = await edgeOverObjects();
    const sessionId = await openSession(edge, alice);
    const body = { message: "/fail rate_limit" };
    const response = await edge.call("POST", `/messages/${sessionId}`, { as: alice, body });
    expect(response.status).toBe(502);
    expect(await jsonOf(response)).toMatchObject({
      statusCode: 502,
      error: "Bad Gateway",
      kind: "rate_limit",
      message: "The model is receiving too many requests. Please try again in a moment.",
    });
    expect(response.headers.get("x-run-id")).toContain(sessionId);
  });

  test.each([true, false])("stream %j: a request without an id gets one, which is the run's", async (stream) => {
    const { edge, objects } = await edgeOverObjects();
    const sessionId = await openSession(edge, alice);
    const response = await edge.call("POST", `/messages/${sessionId}`, {
      as: alice,
      body: { message: "hi", stream },
    });
    const requestId = response.headers.get("X-Request-Id");
    expect(requestId).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    expect(objects.turns).toMatchObject([{ requestId }]);
    await response.body?.cancel();
  });

  test.each([
    [{}, "sessionId must be a string"],
    [{ sessionId: 7 }, "sessionId must be a string"],
    [[], "Request body must be a JSON object"],
  ])("aborting with %j is a 400 [OR-145]", async (body, message) => {
    const { edge, objects } = await edgeOverObjects();
    const response = await edge.call("POST", "/messages/abort", { as: alice, body });
    expect(response.status).toBe(400);
    expect((await jsonOf(response))["message"]).toContain(message);
    expect(objects.calls).not.toContain("session.abort");
  });

  test("both cursors at once are a 400", async () => {
    const { edge } = await edgeOverObjects();
    const sessionId = await openSession(edge, alice);
    const response = await edge.call("GET", `/sessions/${sessionId}/messages?before=a&after=b`, { as: alice });
    expect([response.status, (await jsonOf(response))["message"]]).toEqual([
      400,
      "before and after cannot be used together",
    ]);
  });
});
