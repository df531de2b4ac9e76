/** The transcript and its pages. */
import type { PageRequest } from "./transcript.ts";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { faultOf, turn, valueOf } from "../../test/support/oracle/chat-turns.ts";
import { createSqliteStorage } from "../../test/support/storage/sqlite-storage.ts";
import { migrate } from "../../platform/object-schema.ts";
import type { MessageRecord } from "../../protocol/records.ts";
import { createRunStore } from "./run-store.ts";
import { migrations } from "./schema.ts";
import type { Call } from "./step-store.ts";
import { aiRecord, createTranscript, humanRecord, PAGE_SIZE } from "./transcript.ts";

const SESSION = "0b7c2c1e-5a0e-4d0c-9a55-6d1f6f6a8e10";

/** A session with this many ended turns, followed by unfinished ones; turn n has the cursor `c<n>`. */
function setUp(ended: number, unfinished = 0, session = SESSION) {
  const storage = createSqliteStorage();
  migrate(storage, migrations);
  const runs = createRunStore(storage.sql);
  const damaged: number[] = [];
  const transcript = createTranscript(storage.sql, session, (turn) => damaged.push(turn));
  for (let number = 1; number <= ended + unfinished; number += 1) {
    const { ordinal } = runs.insert(`${session}.c${number}`, turn("hello"), number, []);
    transcript.addHuman(ordinal, record(`h${number}`, "human"));
    if (number > ended) continue;
    transcript.addAi(ordinal, record(`a${number}`, "ai"));
    runs.end(ordinal, {
      status: "finished",
      endedAt: number,
      usage: { inputTokens: 0, outputTokens: 0 },
      delegationRequired: false,
    });
  }
  const page = (request: PageRequest) => {
    const { messages, ...rest } = valueOf(transcript.page(request));
    return { ids: messages.map(({ id }) => id).join(" "), ...rest };
  };
  /** Lengthens the question of a turn by this much. */
  function lengthen(turn: number, more: string): void {
    const long = JSON.stringify({ ...record(`h${turn}`, "human"), content: more });
    storage.sql.exec("UPDATE messages SET record = ? WHERE turn = ? AND position = 0", long, turn);
  }
  return { runs, transcript, page, lengthen, storage, damaged };
}

function record(id: string, type: "human" | "ai"): MessageRecord {
  return { id, type, content: id, createdAt: "2026-11-21T09:00:00.000Z", isReasoning: false, isComplete: true };
}

test("both records of a turn name its run [OR-432]", () => {
  const { messages } = valueOf(setUp(2, 1).transcript.page({ limit: 20 }));
  const runs = messages.map(({ id, runId }) => [id, runId]);
  expect(runs).toEqual([
    ["h1", `${SESSION}.c1`],
    ["a1", `${SESSION}.c1`],
    ["h2", `${SESSION}.c2`],
    ["a2", `${SESSION}.c2`],
    ["h3", `${SESSION}.c3`],
  ]);
});

describe("pages [OR-90]", () => {
  test("an empty session has an empty page without cursors [OR-92]", () => {
    const nothing = { ids: "", prevCursor: null, nextCursor: null, hasOlder: false, hasNewer: false };
    expect(setUp(0).page({ limit: 20 })).toEqual(nothing);
  });

  test("the page without a cursor is the newest, oldest first, with whole turns only", () => {
    expect(setUp(3).page({ limit: 2 })).toEqual({
      ids: "h2 a2 h3 a3",
      prevCursor: "c2",
      nextCursor: "c3",
      hasOlder: true,
      hasNewer: false,
    });
    expect(setUp(2).page({ limit: 2 })).toMatchObject({ ids: "h1 a1 h2 a2", hasOlder: false });
  });

  test("before=C returns the turns just before C", () => {
    const { page } = setUp(5);
    expect(page({ limit: 2, before: "c4" })).toEqual({
      ids: "h2 a2 h3 a3",
      prevCursor: "c2",
      nextCursor: "c3",
      hasOlder: true,
      hasNewer: true,
    });
    expect(page({ limit: 2, before: "c2" })).toMatchObject({ ids: "h1 a1", hasOlder: false, hasNewer: true });
    expect(page({ limit: 2, before: "c1" })).toMatchObject({ ids: "", hasOlder: false, hasNewer: true });
  });

  test("after=C returns the turns just after C", () => {
    const { page } = setUp(5);
    expect(page({ limit: 2, after: "c2" })).toEqual({
      ids: "h3 a3 h4 a4",
      prevCursor: "c3",
      nextCursor: "c4",
      hasOlder: true,
      hasNewer: true,
    });
    expect(page({ limit: 2, after: "c3" })).toMatchObject({ ids: "h4 a4 h5 a5", hasNewer: false });
  });

  test("after with nothing new is empty, with an unchanged cursor and nothing newer [OR-92]", () => {
    const again = { ids: "", prevCursor: null, nextCursor: "c5", hasOlder: true, hasNewer: false };
    expect(setUp(5).page({ limit: 2, after: "c5" })).toEqual(again);
  });

  test("nextCursor is the newest ended turn: the next call returns a turn with an active run again [OR-91]", () => {
    const { runs, transcript, page } = setUp(2, 1);
    expect(page({ limit: 20 })).toMatchObject({ ids: "h1 a1 h2 a2 h3", prevCursor: "c1", nextCursor: "c2" });
    expect(page({ limit: 1 })).toMatchObject({ ids: "h3", prevCursor: "c3", nextCursor: null });
    transcript.addAi(3, record("a3", "ai"));
    runs.end(3, {
      status: "finished",
      endedAt: 9,
      usage: { inputTokens: 0, outputTokens: 0 },
      delegationRequired: false,
    });
    expect(page({ limit: 20, after: "c2" })).toMatchObject({ ids: "h3 a3", nextCursor: "c3" });
  });

  test("a page after C with only running turns keeps the cursor C [OR-91]", () => {
    expect(setUp(2, 1).page({ limit: 20, after: "c2" })).toMatchObject({
      ids: "h3",
      nextCursor: "c2",
      hasNewer: false,
    });
  });

  test("a cursor of another session, or an invalid one, is rejected as Unknown cursor", () => {
    const { transcript } = setUp(2);
    const other = setUp(3, 0, "5a0e2c1e-0b7c-4d0c-9a55-6d1f6f6a8e10").page({ limit: 1 }).nextCursor ?? "";
    for (const cursor of [other, "", "c", "%", `${SESSION}.c1`])
      for (const request of [{ before: cursor }, { after: cursor }])
        expect(faultOf(transcript.page({ limit: 2, ...request }))).toMatchObject({
          code: "invalid_request",
          message: "Unknown cursor",
        });
  });

  test("any page agrees with slicing the list of turns", () => {
    const sizes = { ended: fc.nat(8), unfinished: fc.nat(3), limit: fc.integer({ min: 1, max: 6 }) };
    const request = fc.record({ ...sizes, kind: fc.constantFrom("none", "before", "after"), at: fc.nat(10) });
    fc.assert(
      fc.property(request, ({ ended, unfinished, limit, kind, at }) => {
        const turns = Array.from({ length: ended + unfinished }, (_, index) => index + 1);
        const { page } = setUp(ended, unfinished);
        const cursor = turns[at % Math.max(1, turns.length)];
        fc.pre(kind === "none" || cursor !== undefined);
        const bound = kind === "none" ? undefined : cursor;
        const asked = { limit, ...(bound === undefined ? {} : { [kind]: `c${bound}` }) };
        expect(page(asked)).toEqual(sliced(turns, ended, limit, kind, bound ?? Number.POSITIVE_INFINITY));
      }),
      { numRuns: Number(process.env["PROPERTY_RUNS"] ?? 100) },
    );
  });
});

/** The rules of pages, applied to a plain list of turns. */
function sliced(turns: readonly number[], ended: number, limit: number, kind: string, bound: number) {
  const forward = kind === "after";
  const side = turns.filter((number) => (forward ? number > bound : number < bound));
  const shown = forward ? side.slice(0, limit) : side.slice(-limit);
  const last = shown.findLast((number) => number <= ended);
  return {
    ids: shown.flatMap((number) => (number <= ended ? [`h${number}`, `a${number}`] : [`h${number}`])).join(" "),
    prevCursor: shown[0] === undefined ? null : `c${shown[0]}`,
    nextCursor: last === undefined ? (forward ? `c${bound}` : null) : `c${last}`,
    hasOlder: forward ? true : side.length > limit,
    hasNewer: forward ? side.length > limit : kind === "before",
  };
}

describe("records [OR-87]", () => {
  test("an unfinished turn has only its human record", () => {
    expect(setUp(1, 2).page({ limit: 100 }).ids).toBe("h1 a1 h2 h3");
  });

  test("a human record contains the first attachment and the list of all, each with its category [OR-49, OR-89]", () => {
    const written = { id: "id", createdAt: "2026-11-21T09:00:00.000Z" };
    const attachments = [
      { mxcUri: "mxc://host/1", filename: "a.png", mimetype: "image/png", size: 3 },
      { eventId: "$2", filename: "b.pdf", mimetype: "application/pdf" },
      { eventId: "$3", filename: "c", mimetype: "weird", category: "text" },
      { eventId: "$4", filename: "d", mimetype: "font/woff" },
    ];
    const file = { url: "mxc://host/1", key: { k: "secret" }, iv: "iv", hashes: { sha256: "hash" }, v: "v2" };
    const human = humanRecord(written, {
      message: "look",
      attachments: attachments.map((each) => ({ ...each, file })),
    });
    expect(JSON.stringify(human)).not.toContain("secret");
    const [first] = attachments;
    expect(human).toMatchObject({ type: "human", content: "look", attachment: { ...first, category: "image" } });
    const categories = human.attachments?.map(({ category }) => category);
    expect(categories).toEqual(["image", "document", "text", "unknown"]);
    expect(humanRecord(written, { message: "look", attachments: [] })).toEqual({
      id: "id",
      type: "human",
      content: "look",
      createdAt: "2026-11-21T09:00:00.000Z",
      isReasoning: false,
      isComplete: true,
    });
  });
});

describe("a long transcript is read in pages that an object can return [OR-92]", () => {
  const long = "x".repeat(PAGE_SIZE / 2);

  test("a page ends before the turn that does not fit, and reports that there are more", () => {
    const { page, lengthen } = setUp(5);
    for (const turn of [1, 2, 4]) lengthen(turn, long);
    expect(page({ limit: 100 })).toMatchObject({ ids: "h3 a3 h4 a4 h5 a5", prevCursor: "c3", hasOlder: true });
    expect(page({ limit: 100, before: "c3" })).toMatchObject({ ids: "h2 a2", prevCursor: "c2", hasOlder: true });
    expect(page({ limit: 100, fromStart: true })).toMatchObject({
      ids: "h1 a1",
      nextCursor: "c1",
      hasOlder: false,
      hasNewer: true,
    });
    expect(page({ limit: 100, after: "c1" })).toMatchObject({ ids: "h2 a2 h3 a3", nextCursor: "c3", hasNewer: true });
    expect(page({ limit: 100, after: "c3" })).toMatchObject({ ids: "h4 a4 h5 a5", nextCursor: "c5", hasNewer: false });
  });

  test("a turn larger than a page gets a separate page", () => {
    const { page, lengthen } = setUp(3);
    lengthen(2, long + long);
    expect(page({ limit: 100, before: "c3" })).toMatchObject({ ids: "h2 a2", hasOlder: true });
    expect(page({ limit: 100, after: "c1" })).toMatchObject({ ids: "h2 a2", hasNewer: true });
  });

  test("unfinished turns stay together, since they have no cursors", () => {
    const { page, lengthen } = setUp(1, 3);
    for (const turn of [2, 3, 4]) lengthen(turn, long);
    expect(page({ limit: 100, after: "c1" })).toMatchObject({ ids: "h2 h3 h4", hasNewer: false });
  });
});

test("the history is read from the newest record back, up to its size limit", () => {
  const { transcript } = setUp(4, 1);
  const past = (after: number, before: number, size = 100_000) => {
    const { records, omitted } = transcript.between(after, before, size);
    return [records.map(({ id }) => id).join(" "), omitted];
  };
  expect(past(2, 5)).toEqual(["h3 a3 h4 a4", 0]);
  expect(past(0, 5)).toEqual(["h1 a1 h2 a2 h3 a3 h4 a4", 0]);
  expect(past(0, 1)).toEqual(["", 0]);
  expect(past(0, 5, 1)).toEqual(["a4", 3]);
});

test("a record stores 256 Ki units of arguments, outputs and errors; each later call leaves a note [OR-144]", () => {
  const half = "x".repeat(128 * 1024 - 2);
  const failed = (error: string): Call => ({
    eventId: "tc_1",
    step: 0,
    position: 0,
    modelCallId: "m1",
    name: "look",
    args: {},
    effect: "write",
    tries: 1,
    status: "error",
    error,
  });
  const { toolCalls } = aiRecord(
    { id: "id", createdAt: "2026-11-21T09:00:00.000Z" },
    { content: "", reasoning: "", calls: [failed(half), failed(half), failed("y")] },
  );
  expect(toolCalls?.map(({ error }) => error)).toEqual([half, half, "The error was too large to be kept"]);
});
