import { describe, expect, test, vi } from "vitest";
import { edgeOverObjects } from "../../test/support/oracle/oracle-objects-in-node.ts";
import { jsonOf } from "../../test/support/oracle/oracle-edge.ts";
import { readBody } from "../../platform/http/body.ts";
import { BODY_TIME_MS } from "../../protocol/limits.ts";

const alice = 1;
const unknownId = "0b7c2c1e-5a0e-4d0c-9a55-6d1f6f6a8e10";
/** JSON of exactly that many bytes. */
const bodyOfBytes = (members: object, bytes: number): string => {
  const empty = JSON.stringify({ ...members, pad: "" }).length;
  return JSON.stringify({ ...members, pad: "a".repeat(bytes - empty) });
};

describe("bodies", () => {
  test.each([
    ["/messages/abort", 16_384, { sessionId: unknownId }, 404],
    ["/delegation", 65_536, { raw: "x" }, 400],
    [`/messages/${unknownId}`, 262_144, { message: "hi" }, 404],
    ["/sessions", 16_384, {}, 201],
  ])("POST %s accepts %d bytes and no more [OR-137, ALL-15]", async (path, limit, members, otherwise) => {
    const { edge } = await edgeOverObjects();
    const fits = await edge.call("POST", path, { as: alice, body: bodyOfBytes(members, limit) });
    expect(fits.status).toBe(otherwise);
    const exceeds = await edge.call("POST", path, { as: alice, body: bodyOfBytes(members, limit + 1) });
    expect([exceeds.status, (await jsonOf(exceeds))["message"]]).toEqual([413, "Request body too large"]);
  });

  test("a body that arrives too slowly is a 408 [OR-137]", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    try {
      const silent = new ReadableStream<Uint8Array>();
      const request = new Request("https://oracle.test", {
        method: "POST",
        body: silent,
        duplex: "half",
      } as RequestInit);
      const read = readBody(request, 10, { timeMs: BODY_TIME_MS });
      await vi.advanceTimersByTimeAsync(60_000);
      expect(await read).toMatchObject({ error: { code: "request_timeout" } });
    } finally {
      vi.useRealTimers();
    }
  });

  test("a list is not a JSON object [OR-145]", async () => {
    const { edge } = await edgeOverObjects();
    for (const path of ["/messages/abort", "/delegation", `/messages/${unknownId}`]) {
      const response = await edge.call("POST", path, { as: alice, body: [] });
      expect([response.status, (await jsonOf(response))["message"]]).toEqual([
        400,
        "Request body must be a JSON object",
      ]);
    }
  });

  test.each(["", "{", '"text"', "null"])("%j is not a JSON body [OR-145, ALL-16]", async (body) => {
    const { edge } = await edgeOverObjects();
    const response = await edge.call("POST", "/messages/abort", { as: alice, body });
    const { message } = await jsonOf(response);
    expect([response.status, message]).toEqual([
      400,
      expect.stringMatching(/^Request body is (?:empty|not valid JSON)/),
    ]);
  });

  test("a JSON content type without a body is accepted if none is required [OR-3]", async () => {
    const { edge } = await edgeOverObjects();
    const headers = { "Content-Type": "application/json" };
    expect((await edge.call("POST", "/sessions", { as: alice, headers })).status).toBe(201);
    expect((await edge.call("GET", "/sessions", { as: alice, headers })).status).toBe(200);
    expect((await edge.call("DELETE", "/delegation", { as: alice, headers })).status).toBe(200);
  });
});
