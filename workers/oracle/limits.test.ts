import { describe, expect, test } from "vitest";
import { edgeOverMemory } from "../../test/support/in-memory-objects.ts";
import { jsonOf } from "../../test/support/oracle-edge.ts";
import { DELEGATION_BODY_BYTES, SMALL_BODY_BYTES, TURN_BODY_BYTES } from "./limits.ts";

const alice = 1;
const unknownId = "0b7c2c1e-5a0e-4d0c-9a55-6d1f6f6a8e10";
/** JSON of exactly that many bytes. */

const bodyOfBytes = (members: object, bytes: number): string => {
  const empty = JSON.stringify({ ...members, pad: "" }).length;
  return JSON.stringify({ ...members, pad: "a".repeat(bytes - empty) });
};

describe("bodies", () => {
  test.each([
    ["/messages/abort", SMALL_BODY_BYTES, { sessionId: unknownId }, 404],
    ["/delegation", DELEGATION_BODY_BYTES, { raw: "x" }, 400],
    [`/messages/${unknownId}`, TURN_BODY_BYTES, { message: "hi" }, 404],
    ["/sessions", SMALL_BODY_BYTES, {}, 201],
  ])("POST %s takes %d bytes and not one more", async (path, limit, members, otherwise) => {
    const { edge } = await edgeOverMemory();
    const fits = await edge.call("POST", path, { as: alice, body: bodyOfBytes(members, limit) });
    expect(fits.status).toBe(otherwise);
    const exceeds = await edge.call("POST", path, { as: alice, body: bodyOfBytes(members, limit + 1) });
    expect([exceeds.status, (await jsonOf(exceeds))["message"]]).toEqual([413, "Request body too large"]);
  });

  test.each(["", "{", '"text"', "null"])("%j is not a JSON body", async (body) => {
    const { edge } = await edgeOverMemory();
    const response = await edge.call("POST", "/messages/abort", { as: alice, body });
    expect([response.status, (await jsonOf(response))["message"]]).toEqual([400, "Request body is not valid JSON"]);
  });

  test("a JSON content type without a body is fine where none is needed", async () => {
    const { edge } = await edgeOverMemory();
    const headers = { "Content-Type": "application/json" };
    expect((await edge.call("POST", "/sessions", { as: alice, headers })).status).toBe(201);
    expect((await edge.call("GET", "/sessions", { as: alice, headers })).status).toBe(200);
    expect((await edge.call("DELETE", "/delegation", { as: alice, headers })).status).toBe(200);
  });
});
