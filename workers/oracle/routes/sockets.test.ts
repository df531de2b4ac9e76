/** The parts of a connection that are passed to the session's object. */
import { expect, test } from "vitest";
import { edgeOverObjects } from "../../../test/support/oracle/oracle-objects-in-node.ts";
import { jsonOf } from "../../../test/support/oracle/oracle-edge.ts";

const sessionId = "0b7c2c1e-5a0e-4d0c-9a55-6d1f6f6a8e10";
const path = (query: string): string => `/socket.io/?EIO=4&transport=polling${query}`;

test.each(["GET", "POST"])("%s is passed to the session's object, which writes the response", async (method) => {
  const { edge, objects } = await edgeOverObjects();
  const headers = { "X-Request-Id": "req-1", Origin: "https://page.test" };
  const body = method === "POST" ? { body: "40" } : {};
  const response = await edge.call(method, path(`&sid=s1&sessionId=${sessionId}`), { headers, ...body });
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ code: 1, message: "Session ID unknown", requestId: "req-1" });
  expect(response.headers.get("Access-Control-Allow-Origin")).toBe("*");
  const [{ object, request } = expect.fail("nothing was passed on")] = objects.connections;
  expect([object, request.method, await request.text()]).toEqual([sessionId, method, method === "POST" ? "40" : ""]);
  expect(Object.fromEntries(request.headers)).toMatchObject({ "x-request-id": "req-1", origin: "https://page.test" });
  expect(objects.calls).toEqual([]);
});

test("only the parameters of Engine.IO and the session are passed on; an address in the query is overwritten [OR-107]", async () => {
  const { edge, objects } = await edgeOverObjects();
  const query = `&t=1&userDid=did:key:other&address=192.0.2.9&sessionId=${sessionId}`;
  await edge.call("GET", path(query), { headers: { "CF-Connecting-IP": "192.0.2.1" } });
  const url = new URL(objects.connections[0]?.request.url ?? "");
  expect(url.pathname).toBe("/socket.io/");
  expect(Object.fromEntries(url.searchParams)).toEqual({
    EIO: "4",
    transport: "polling",
    sessionId,
    address: "192.0.2.1",
  });
});

test.each(["", "&sessionId=", "&sessionId=x", `&sessionId=${sessionId.toUpperCase()}`, `&sessionId=${sessionId}%00`])(
  "an invalid session id reaches no session's object: %s",
  async (query) => {
    const { edge, objects } = await edgeOverObjects();
    await edge.call("GET", path(query));
    expect(objects.connections.map(({ object }) => object)).toEqual(["no-session"]);
  },
);

test("a preflight is answered at the edge; other methods and paths do not exist [OR-5, ALL-10]", async () => {
  const { edge, objects } = await edgeOverObjects();
  expect((await edge.call("OPTIONS", path(""))).status).toBe(204);
  for (const [method, below] of [
    ["DELETE", "/socket.io/"],
    ["GET", "/socket.io/more"],
  ] as const) {
    const response = await edge.call(method, below);
    expect([response.status, (await jsonOf(response))["message"]]).toEqual([404, `Cannot ${method} ${below}`]);
  }
  expect(objects.connections).toEqual([]);
});
