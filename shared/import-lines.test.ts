import { expect, test } from "vitest";
import { doneIn, doneRanges, isServerFailure, lineReports, linesRequest, type LineRange } from "./import-lines.ts";

test("lines are sent with their numbers in the file, and not at all if none is left [CN-74]", () => {
  const sent = { importId: "a/b", isDryRun: true, firstLine: 501, lines: ["", "{}"] };
  expect(linesRequest(sent)).toEqual({
    path: "/v1/imports/a%2Fb/lines?firstLine=501&dryRun=true",
    body: "\n{}\n",
  });
  expect(linesRequest({ ...sent, isDryRun: false })?.path).toBe("/v1/imports/a%2Fb/lines?firstLine=501");
  expect(linesRequest({ ...sent, lines: ["", ""] })).toBeUndefined();
});

test("a response without a summary breaks off after its reports", async () => {
  const seen: unknown[] = [];
  const read = async (texts: readonly string[]) => {
    const answer = async function* () {
      yield* texts;
    };
    for await (const { report, text } of lineReports(answer(), () => new Error("cut off"))) seen.push(report, text);
  };
  const [first, summary] = ['{"line":1,"status":"created"}', '{"summary":{}}'];
  await read([first, summary]);
  expect(seen).toEqual([{ line: 1, status: "created" }, first]);
  await expect(read([first])).rejects.toThrow("cut off");
  expect(seen).toHaveLength(4);
  await expect(read([])).rejects.toThrow("cut off");
});

test("imported lines are read page by page; an unknown import has none", async () => {
  const pages = new Map<number, { done: readonly LineRange[]; nextAfter: number | null }>([
    [0, { done: [{ from: 1, to: 3 }], nextAfter: 3 }],
    [3, { done: [{ from: 5, to: 5 }], nextAfter: null }],
  ]);
  expect(await doneRanges((after) => Promise.resolve(pages.get(after)))).toEqual([
    { from: 1, to: 3 },
    { from: 5, to: 5 },
  ]);
  expect(await doneRanges(() => Promise.resolve(undefined))).toEqual([]);
});

test("ranges of imported lines are looked up in order", () => {
  const isDone = doneIn([
    { from: 2, to: 3 },
    { from: 5, to: 5 },
  ]);
  expect([1, 2, 3, 4, 5, 6].map(isDone)).toEqual([false, true, true, false, true, false]);
});

test("a line that failed because of the server ends the import", () => {
  expect(
    ["storage_full", "unavailable", "internal", "invalid_request"].map((code) => isServerFailure({ code })),
  ).toEqual([true, true, true, false]);
  expect(isServerFailure({})).toBe(false);
});
