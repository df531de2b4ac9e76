/** Resuming a run: valid values of `after`, and the request id of the response. */
import { expect, test } from "vitest";
import { edgeOverObjects } from "../../../test/support/oracle/oracle-objects-in-node.ts";
import { jsonOf, openSession } from "../../../test/support/oracle/oracle-edge.ts";

const alice = 1;
const run = "7d9e0000-0000-4000-8000-000000000000";

async function setUp() {
  const { edge, objects } = await edgeOverObjects();
  const sessionId = await openSession(edge, alice);
  const body = { message: "hi", stream: true };
  const message = { as: alice, headers: { "X-Request-Id": "request-1" }, body };
  const streamed = await edge.call("POST", `/messages/${sessionId}`, message);
  await streamed.text();
  const join = (query: string, runId = streamed.headers.get("x-run-id") ?? "", more: Record<string, string> = {}) =>
    edge.call("GET", `/runs/${runId}${query}`, { as: alice, headers: { "X-Request-Id": "mine", ...more } });
  return { objects, join };
}

test.each([
  ["", 0],
  ["?after=0", 0],
  ["?after=7", 7],
  ["?after=4294967297", 4_294_967_297],
  ["?after=9007199254740991", Number.MAX_SAFE_INTEGER],
  ["?before=7", 0],
])("GET /runs/:runId%s resumes after frame %d [OR-75, OR-76]", async (query, after) => {
  const { objects, join } = await setUp();
  const response = await join(query);
  expect([response.status, objects.follows]).toEqual([200, [after]]);
  await response.body?.cancel();
});

test.each(["-1", "1.5", "1e3", "0x1", "", "%20", "seven", "1&after=2", "9007199254740992", "9".repeat(40)])(
  "?after=%s is a 400",
  async (after) => {
    const { objects, join } = await setUp();
    const response = await join(`?after=${after}`);
    expect([response.status, (await jsonOf(response))["message"]]).toEqual([
      400,
      "after must be a whole number of at least 0",
    ]);
    expect(objects.follows).toEqual([]);
  },
);

test("only a resumed run has the request id of its run; an error has the caller's [OR-77]", async () => {
  const { join } = await setUp();
  const joined = await join("");
  expect([joined.status, joined.headers.get("X-Request-Id")]).toEqual([200, "request-1"]);
  await joined.body?.cancel();
  for (const [refused, status] of [
    [await join("?after=x"), 400],
    [await join("", `0b7c2c1e-5a0e-4d0c-9a55-6d1f6f6a8e10.${run}`), 404],
  ] as const) {
    expect([refused.status, refused.headers.get("X-Request-Id")]).toEqual([status, "mine"]);
    expect(await jsonOf(refused)).toMatchObject({ requestId: "mine" });
  }
});

test.each([
  ["", "7", 7],
  ["?after=9", "7", 9],
  ["?after=5", "7", 7],
  ["?after=5", "seven", 5],
  ["", "-1", 0],
])("GET /runs/:runId%s with Last-Event-ID %j resumes after frame %d [OR-76]", async (query, lastEventId, after) => {
  const { objects, join } = await setUp();
  const response = await join(query, undefined, { "Last-Event-ID": lastEventId });
  expect([response.status, objects.follows]).toEqual([200, [after]]);
  await response.body?.cancel();
});

test.each<[unknown, number, string, string]>([
  [{ approved: true }, 404, "Approval not found", ""],
  [
    { approved: true },
    404,
    "Run not found",
    "7d9e0000-0000-4000-8000-000000000000.7d9e0000-0000-4000-8000-000000000000",
  ],
  [{ approved: true }, 404, "Run not found", "nothing"],
  [{ approved: "yes" }, 400, "approved must be true or false", ""],
  [{}, 400, "approved must be true or false", ""],
])("POST /runs/:runId/approvals/:toolCallId with %j is a %d %s [OR-174]", async (body, status, message, unknownRun) => {
  const { edge } = await edgeOverObjects();
  const sessionId = await openSession(edge, alice);
  const sent = await edge.call("POST", `/messages/${sessionId}`, { as: alice, body: { message: "hi" } });
  const runId = unknownRun === "" ? (sent.headers.get("x-run-id") ?? "") : unknownRun;
  const response = await edge.call("POST", `/runs/${runId}/approvals/ap_none`, { as: alice, body });
  expect([response.status, (await jsonOf(response))["message"]]).toEqual([status, message]);
});
