import { describe, expect, test } from "vitest";
import { edgeOverObjects } from "../../../test/support/oracle/oracle-objects-in-node.ts";
import { jsonOf, openSession } from "../../../test/support/oracle/oracle-edge.ts";
import { signer } from "../../../test/support/auth/ucan.ts";

const alice = 1;
const bob = 2;
describe("sessions", () => {
  test("a new one is created in its object, then listed; a body is ignored [OR-40]", async () => {
    const { edge, objects } = await edgeOverObjects({ ORACLE_ENTITY_DID: "did:ixo:entity:0a" });
    const response = await edge.call("POST", "/sessions", { as: alice, body: '{"not json' });
    expect(response.status).toBe(201);
    expect(await jsonOf(response)).toEqual({
      sessionId: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
      title: "Untitled",
      createdAt: expect.stringMatching(/Z$/),
      lastUpdatedAt: expect.stringMatching(/Z$/),
      oracleName: "Test oracle",
      oracleDid: edge.oracleDid,
      oracleEntityDid: "did:ixo:entity:0a",
    });
    expect(objects.calls).toEqual(["vault.countRequest", "session.create", "vault.putSession"]);
  });

  test("deleting removes it from the list first [OR-40]", async () => {
    const { edge, objects } = await edgeOverObjects();
    const sessionId = await openSession(edge, alice);
    objects.calls.length = 0;
    const response = await edge.call("DELETE", `/sessions/${sessionId}`, { as: alice });
    expect(await jsonOf(response)).toEqual({ message: "Session deleted successfully" });
    expect(objects.calls).toEqual(["vault.countRequest", "session.describe", "vault.removeSession", "session.destroy"]);
  });

  test.each([
    ["", { limit: 20, offset: 0 }],
    ["?limit=1", { limit: 1, offset: 0 }],
    ["?limit=100&offset=7", { limit: 100, offset: 7 }],
    ["?limit=101", { limit: 100, offset: 0 }],
  ])("GET /sessions%s requests %j [OR-41]", async (query, page) => {
    const { edge, objects } = await edgeOverObjects();
    expect((await edge.call("GET", `/sessions${query}`, { as: alice })).status).toBe(200);
    expect(objects.pages).toEqual([page]);
  });

  test("belong to the issuer of the token, whatever x-did and userDid contain [OR-22]", async () => {
    const { edge } = await edgeOverObjects();
    const sessionId = await openSession(edge, bob);
    const did = (await signer(bob)).did();
    const call = { as: alice, headers: { "x-did": did } };
    const listed = await edge.call("GET", `/sessions?userDid=${encodeURIComponent(did)}`, call);
    expect(await jsonOf(listed)).toEqual({ sessions: [], total: 0 });
    expect((await edge.call("GET", `/messages/${sessionId}?userDid=${did}`, call)).status).toBe(404);
  });

  test.each([
    ["limit=0", "limit must be a whole number of at least 1"],
    ["limit=x", "limit must be a whole number of at least 1"],
    ["offset=-1", "offset must be a whole number of at least 0"],
  ])("?%s is a 400 [OR-41, ALL-18]", async (query, message) => {
    const { edge } = await edgeOverObjects();
    const response = await edge.call("GET", `/sessions?${query}`, { as: alice });
    expect([response.status, (await jsonOf(response))["message"]]).toEqual([400, message]);
  });
});
