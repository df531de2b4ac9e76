/** Paging arguments and cursors. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cursorOf } from "../lists/cursor.ts";
import { orderingOf } from "../lists/order.ts";
import { RefusedQuery } from "../store/refused-query.ts";
import { LAST_POSITION, pageNote, pageRequest, type PageArguments } from "./paging.ts";

const numRuns = Number(process.env["PROPERTY_RUNS"] ?? 100);
const ordering = orderingOf(["NAME_ASC"]);
const cursor = cursorOf(["entities", "NAME_ASC"]);
const request = (asked: PageArguments) => pageRequest(asked, { ordering, cursor }, { usual: 10, greatest: 100 });
const codeOf = (work: () => unknown): unknown => {
  try {
    work();
    return "none";
  } catch (error) {
    return error instanceof RefusedQuery ? error.failure.reason : error;
  }
};
const position = (text: string) => btoa(`arrayconnection:${text}`);

describe("a page [RG-121]", () => {
  test.each<[PageArguments, number]>([
    [{}, 10],
    [{ first: null, last: null }, 10],
    [{ first: 0 }, 0],
    [{ first: 100 }, 100],
    [{ last: 100 }, 100],
  ])("%j selects %i rows", (asked, size) => {
    expect(request(asked).size).toBe(size);
  });

  test.each([
    [{ first: 101 }, "entities: first may be at most 100; pageInfo says whether there is more"],
    [{ last: 1_000 }, "entities: last may be at most 100; pageInfo says whether there is more"],
    [{ first: 100 }, undefined],
    [{}, undefined],
  ])("%j is limited to 100 rows, which a note reports", (asked, note) => {
    expect(request(asked).size).toBeLessThanOrEqual(100);
    expect(pageNote("entities", asked, { usual: 10, greatest: 100 })).toBe(note);
  });

  test.each<[PageArguments, string]>([
    [{ first: -1 }, "invalid_page_size"],
    [{ first: 1, last: 1 }, "validation_failed"],
    [{ offset: 1, last: 1 }, "validation_failed"],
    [{ offset: 1, after: position("1") }, "validation_failed"],
    [{ offset: 0, before: position("1") }, "validation_failed"],
    [{ offset: -1 }, "validation_failed"],
    [{ after: cursor.print(["a", "b"]), before: position("1") }, "invalid_cursor"],
  ])("refuses %j with %s", (asked, code) => {
    expect(codeOf(() => request(asked))).toBe(code);
  });
});

describe("a cursor [RG-122]", () => {
  test("leads back to the position that it was made from", () => {
    const key = fc.oneof(fc.string({ unit: "grapheme" }), fc.integer(), fc.constant(null));
    fc.assert(
      fc.property(key, fc.string({ minLength: 1 }), (name, id) => {
        expect(request({ after: cursor.print([name, id]) }).after).toEqual([name, id]);
      }),
      { numRuns },
    );
  });

  test("can be a position up to 10,000, in base64 of either alphabet", () => {
    expect(request({ after: position(String(LAST_POSITION)) }).from).toBe(LAST_POSITION + 1);
    expect(request({ before: position("10").replace(/=+$/, "") }).to).toBe(10);
    expect(codeOf(() => request({ after: position(String(LAST_POSITION + 1)) }))).toBe("invalid_cursor");
  });

  test.each([
    ["of another list, filter or order", cursorOf(["entities", "NAME_DESC"]).print(["a", "b"])],
    ["of an older release", btoa(JSON.stringify(["entities NAME_ASC", "a", "b"]))],
    ["too short", cursor.print(["a"])],
    ["too long", cursor.print(["a", "b", "c"])],
    ["without an id", cursor.print(["a", null])],
    ["that is empty", ""],
    ["that is a number", "12"],
    ["that is not base64", "YXJyYXlj*b25"],
    ["that is not UTF-8", btoa("\xff\xfe")],
    ["of a negative position", position("-1")],
    ["of a fraction", position("1.5")],
    ["with SQL in it", btoa("' OR 1=1 --")],
    ["with a list in it", btoa(JSON.stringify(["x", ["a"], "b"]))],
  ])("refuses %s", (_, after) => {
    expect(codeOf(() => request({ after }))).toBe("invalid_cursor");
  });

  test("accepts or refuses any text, and never throws anything else", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.base64String(),
          fc.json().map((text) => btoa(encodeURIComponent(text))),
        ),
        (text) => {
          expect(["none", "invalid_cursor"]).toContain(codeOf(() => request({ after: text })));
        },
      ),
      { numRuns },
    );
  });
});
