/** Files in parts: numbers, limits, and omitted lines. */
import { expect, test } from "vitest";
import { doneIn } from "../../../shared/import-lines.ts";
import { LONGEST_ITEM, type FileItem } from "./file-item.ts";
import { fileItems } from "./file-items.ts";
import { fileParts, firstItem, outermostDone, PART_LENGTH, PART_LINES, type FilePart } from "./file-parts.ts";
import { freeImportId, importIdOf, isImportId } from "./import-id.ts";

const itemsOf = (text: string): AsyncGenerator<FileItem> => fileItems(new Blob([text]).stream(), { kind: "ndjson" });

async function partsOf(text: string, isDone = (_line: number) => false): Promise<readonly FilePart[]> {
  const parts: FilePart[] = [];
  for await (const part of fileParts(itemsOf(text), isDone)) parts.push(part);
  return parts;
}

test("lines keep their numbers: blank and done ones are empty, and a final line feed does not begin another line", async () => {
  const parts = await partsOf("a\r\n\nb\nc\n", (line) => line === 3);
  expect(parts).toEqual([{ firstLine: 1, lines: ["a", "", "", "c"], faults: [], skipped: 1, bytesRead: 8 }]);
});

test("a part has at most 500 lines and the next begins after its last line [CN-74]", async () => {
  expect(PART_LINES).toBe(500);
  const parts = await partsOf("x\n".repeat(PART_LINES + 1));
  expect(parts.map(({ firstLine, lines }) => [firstLine, lines.length])).toEqual([
    [1, 500],
    [501, 1],
  ]);
});

test("a part has at most 3.9 MB in any script, below the 4 MiB of a request [CN-74]", async () => {
  expect(PART_LENGTH * 3).toBeLessThan(4 * 1024 * 1024);
  const line = "水".repeat(200_000);
  const parts = await partsOf(`${line}\n`.repeat(8));
  expect(parts.map(({ lines }) => lines.length)).toEqual([6, 2]);
});

test("a character that spans two slices stays whole", async () => {
  const text = `${"a".repeat(65_535)}水\n`.repeat(3);
  expect((await partsOf(text)).flatMap(({ lines }) => lines)).toEqual(text.trimEnd().split("\n"));
});

test("a long line is kept only as far as the registry needs to refuse it [CN-74]", async () => {
  expect(LONGEST_ITEM).toBe(256 * 1024 + 1);
  const parts = await partsOf(`${"x".repeat(3_000_000)}\nb\n`);
  expect(parts.flatMap(({ lines }) => lines.map(({ length }) => length))).toEqual([LONGEST_ITEM, 1]);
});

test("the first and the last done line of a file distinguish it from another", async () => {
  const isDone = doneIn([
    { from: 2, to: 3 },
    { from: 5, to: 9 },
  ]);
  const of = (text: string): Promise<unknown> => outermostDone(itemsOf(text), isDone);
  expect(await of("a\nb\nc\nd\ne\nf\n")).toEqual([
    { number: 2, text: "b" },
    { number: 6, text: "f" },
  ]);
  expect(await of("a")).toEqual([]);
});

test("a file's name becomes a valid import name", () => {
  expect(importIdOf("Öfen & Herde 2026.ndjson")).toBe("fen-Herde-2026.ndjson");
  expect(importIdOf("日本")).toBe("import");
  expect(isImportId(importIdOf("x".repeat(100)))).toBe(true);
  expect([isImportId(""), isImportId("a/b"), isImportId("x".repeat(65))]).toEqual([false, false, false]);
});

test("another import of a file has the next free number", () => {
  expect(freeImportId("a.ndjson", new Set(["a.ndjson", "a.ndjson-2"]))).toBe("a.ndjson-3");
  expect(freeImportId("a-2", new Set(["a-2"]))).toBe("a-3");
});

test("the first item that can be sent keeps its number", async () => {
  expect(await firstItem(itemsOf("\n\n{}\n[]\n"))).toEqual({ number: 3, text: "{}" });
  expect(await firstItem(itemsOf("\n"))).toBeUndefined();
});
