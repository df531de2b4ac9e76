/** A whole transcript as a stream of JSON, over a session whose pages a test writes. */
import { describe, expect, test } from "vitest";
import type { PageRequest } from "../../../durable-objects/chat-session/runs/transcript.ts";
import type { MessagePage, MessageRecord } from "../../../protocol/records.ts";
import { fail } from "../../platform/failure.ts";
import { success, type Result } from "../../platform/result.ts";
import { streamTranscript } from "./transcript.ts";

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

describe("the whole transcript [OR-93]", () => {
  test("of a new session is an empty list", async () => {
    expect(await read(page("", null, false))).toEqual({ ids: "", cursors: [undefined] });
  });

  test("is every page from the first turn on", async () => {
    expect(await read(page("a b", "c1", true), page("c d", "c2", true), page("e", "c3", false))).toEqual({
      ids: "a b c d e",
      cursors: [undefined, "c1", "c2"],
    });
  });

  test("has a turn once that had not ended when its page was read", async () => {
    expect(await read(page("a b c", "c1", true), page("c d", "c2", false))).toMatchObject({ ids: "a b c d" });
  });

  test("ends when a page leads nowhere", async () => {
    expect(await read(page("a", "c1", true), page("b", "c1", true))).toMatchObject({ ids: "a b" });
  });

  test("of an unknown session is a failure, before anything is sent", async () => {
    expect(await read()).toMatchObject({ code: "not_found", message: "Session not found" });
  });

  test("breaks when the session is deleted meanwhile, so that no client takes it for complete", async () => {
    const { session } = sessionOf(page("a", "c1", true));
    const streamed = await streamTranscript(session, "did:key:z1");
    if (!streamed.ok) throw new Error(streamed.error.message);
    await expect(streamed.value.text()).rejects.toThrow("Session not found");
  });
});
