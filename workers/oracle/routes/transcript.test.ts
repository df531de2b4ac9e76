/**
 * A session's transcript: the parameters of its pages, and the complete transcript as a stream over pages that a test
 * writes.
 */
import { expect, test, describe } from "vitest";
import { edgeOverObjects } from "../../../test/support/oracle/oracle-objects-in-node.ts";
import { jsonOf, openSession } from "../../../test/support/oracle/oracle-edge.ts";
import type { PageRequest } from "../../../oracle/runs/transcript.ts";
import type { MessagePage, MessageRecord } from "../../../protocol/records.ts";
import { fail } from "../../../platform/failure.ts";
import { success, type Result } from "../../../platform/result.ts";
import { streamTranscript } from "./transcript.ts";

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
])("a cursor is passed to the session unchanged: %s [OR-90]", async (query, asked) => {
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

const record = (id: string): MessageRecord => ({
  id,
  type: "human",
  content: `said "${id}"`,
  createdAt: "2026-11-21T09:00:00.000Z",
  isReasoning: false,
  isComplete: true,
});

const page = (ids: string, nextCursor: string | null, hasNewer: boolean): Result<MessagePage> =>
  success({
    messages: ids.split(" ").filter(Boolean).map(record),
    prevCursor: null,
    nextCursor,
    hasOlder: false,
    hasNewer,
  });

function sessionOf(...pages: readonly Result<MessagePage>[]) {
  const asked: PageRequest[] = [];
  const messagePage = async (_caller: string, request: PageRequest) => {
    asked.push(request);
    return pages[asked.length - 1] ?? fail("not_found", "Session not found");
  };
  return { asked, session: { messagePage } };
}

async function read(...pages: readonly Result<MessagePage>[]) {
  const { asked, session } = sessionOf(...pages);
  const streamed = await streamTranscript(session, "did:key:z1", { sessionId: "s" });
  if (!streamed.ok) return streamed.error;
  const whole = await streamed.value.json<{ sessionId: string; messages: MessageRecord[] }>();
  expect(whole).toEqual({ sessionId: "s", messages: whole.messages.map(({ id }) => record(id)) });
  return { ids: whole.messages.map(({ id }) => id).join(" "), cursors: asked.map(({ after }) => after) };
}

describe("the complete transcript [OR-93]", () => {
  test("of a new session is an empty list", async () => {
    expect(await read(page("", null, false))).toEqual({ ids: "", cursors: [undefined] });
  });

  test("is every page from the first turn on", async () => {
    expect(await read(page("a b", "c1", true), page("c d", "c2", true), page("e", "c3", false))).toEqual({
      ids: "a b c d e",
      cursors: [undefined, "c1", "c2"],
    });
  });

  test("contains a turn once that had not ended when its page was read", async () => {
    expect(await read(page("a b c", "c1", true), page("c d", "c2", false))).toMatchObject({ ids: "a b c d" });
  });

  test("ends when a page has no next one", async () => {
    expect(await read(page("a", "c1", true), page("b", "c1", true))).toMatchObject({ ids: "a b" });
  });

  test("of an unknown session is a failure, before anything is sent", async () => {
    expect(await read()).toMatchObject({ code: "not_found", message: "Session not found" });
  });

  test("breaks off if the session is deleted meanwhile, so that no client takes it for complete", async () => {
    const { session } = sessionOf(page("a", "c1", true));
    const streamed = await streamTranscript(session, "did:key:z1");
    if (!streamed.ok) throw new Error(streamed.error.message);
    await expect(streamed.value.text()).rejects.toThrow("Session not found");
  });
});
