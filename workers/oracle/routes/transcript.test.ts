/** The parameters of a transcript's pages. */
import { expect, test } from "vitest";
import { edgeOverObjects } from "../../../test/support/oracle-objects-in-node.ts";
import { jsonOf, openSession } from "../../../test/support/oracle-edge.ts";

const alice = 1;

async function setUp() {
  const { edge, objects } = await edgeOverObjects();
  const sessionId = await openSession(edge, alice);
  const page = (query: string) => edge.call("GET", `/sessions/${sessionId}/messages${query}`, { as: alice });
  return { objects, page };
}

test.each([
  ["", { limit: 20 }],
  ["?limit=1", { limit: 1 }],
  ["?limit=100", { limit: 100 }],
  ["?limit=101", { limit: 100 }],
])("a page of turns %s [OR-90]", async (query, asked) => {
  const { objects, page } = await setUp();
  const response = await page(query);
  expect([response.status, objects.pages]).toEqual([200, [asked]]);
});

test.each([
  ["?before=c1", { limit: 20, before: "c1" }],
  ["?limit=5&after=c1", { limit: 5, after: "c1" }],
])("a cursor is passed to the session as it is: %s [OR-90]", async (query, asked) => {
  const { objects, page } = await setUp();
  const response = await page(query);
  expect([response.status, (await jsonOf(response))["message"]]).toEqual([400, "Unknown cursor"]);
  expect(objects.pages).toEqual([asked]);
});

test.each([
  ["?limit=0", "limit must be a whole number of at least 1"],
  ["?limit=-1", "limit must be a whole number of at least 1"],
  ["?limit=2.5", "limit must be a whole number of at least 1"],
  ["?before=", "before must be a cursor"],
  ["?after=", "after must be a cursor"],
  ["?after=a&after=b", "after must be one cursor"],
  ["?before=a&after=b", "before and after cannot be used together"],
])("%s is a 400 [OR-90]", async (query, message) => {
  const { objects, page } = await setUp();
  const response = await page(query);
  expect([response.status, (await jsonOf(response))["message"]]).toEqual([400, message]);
  expect(objects.pages).toEqual([]);
});

test("a session without messages has an empty page, not a 404 [OR-92]", async () => {
  const { page } = await setUp();
  expect(await jsonOf(await page(""))).toEqual({
    messages: [],
    prevCursor: null,
    nextCursor: null,
    hasOlder: false,
    hasNewer: false,
  });
});
