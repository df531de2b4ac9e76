import { expect, test } from "vitest";
import { chunksOf, linesOf } from "./stream-lines.ts";

async function linesIn(bytes: Uint8Array, size: number) {
  const chunks = async function* () {
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
  };
  const lines: unknown[] = [];
  for await (const { text, isWhole } of linesOf(chunks())) lines.push([text, isWhole]);
  return lines;
}

test("lines keep every character wherever their bytes are cut; a last line without a line feed is marked", async () => {
  const texts = ["\uFEFF{}", "水\u2028🙂\r", "", "cut"];
  const bytes = new TextEncoder().encode(texts.join("\n"));
  for (const size of [1, 2, 3, 7, bytes.length])
    expect(await linesIn(bytes, size)).toEqual(texts.map((text) => [text, text !== "cut"]));
});

test("a reader that stops early cancels the stream", async () => {
  let isCancelled = false;
  const endless = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(Uint8Array.of(1)),
    cancel: () => void (isCancelled = true),
  });
  for await (const chunk of chunksOf(endless)) if (chunk.length > 0) break;
  expect(isCancelled).toBe(true);
});
