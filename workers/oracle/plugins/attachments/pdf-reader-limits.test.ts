/** PDFs with more pages, objects or contents than the PDF library may read without a pause. */
import { deflateSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { makePdfOf } from "../../../../test/support/peers/media-files.ts";
import { LISTED_KIDS, OBJECT_BYTES_SHARE, OBJECT_TEXT_BYTES } from "./limits.ts";
import { measureObjects } from "./pdf-objects.ts";
import { omitLargeParts } from "./pdf-size.ts";
import { readContent } from "./read-content.ts";
import type { SlicedWork } from "./work-slices.ts";

const never = new AbortController().signal;

function all<T>(work: SlicedWork<T>): T {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
  }
}

describe("what the reader of a PDF goes through without a pause", () => {
  const time = { now: () => 0, rest: () => Promise.resolve(), timeout: () => never };
  const read = (pdf: Uint8Array) => readContent({ mimetype: "application/pdf" }, Uint8Array.from(pdf), time);
  const repetitive = { kind: "failed", reason: "the PDF repeats its contents too often" };
  const tooMuch = { kind: "failed", reason: "the PDF unpacks to more than can be read" };
  const page = "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] >>";

  /** A tree of so many references, all in one list or each in one of its own. */
  function treeOf(entries: number, shape: "wide" | "deep", kids = "Kids"): Uint8Array {
    const catalog = "<< /Type /Catalog /Pages 2 0 R >>";
    if (shape === "deep") {
      const node = (_: unknown, index: number) => `<< /Type /Pages /${kids} [${index + 3} 0 R] /Count 2 >>`;
      return makePdfOf([catalog, ...Array.from({ length: entries }, node), page]);
    }
    const list = Array.from({ length: entries }, (_, index) => `${index + 3} 0 R`).join(" ");
    const pages = Array.from({ length: entries }, () => page);
    return makePdfOf([catalog, `<< /Type /Pages /${kids} [${list}] /Count ${entries} >>`, ...pages]);
  }

  test.each(["wide", "deep"] as const)("are at most 5,000 pages, names and fields: %s [OR-560]", async (shape) => {
    expect(LISTED_KIDS).toBe(5_000);
    expect(await read(treeOf(LISTED_KIDS, shape))).toMatchObject({ kind: "text" });
    expect(await read(treeOf(LISTED_KIDS + 1, shape))).toEqual(repetitive);
    expect(await read(treeOf(LISTED_KIDS + 1, shape, "K#69d#73"))).toEqual(repetitive);
  });

  test.each(["7 0 R", "[7 0 R %\n 8 0 R]", "[<< >>]", "%\n[7 0 R]"])(
    "is not hidden by another form of a list: %j [OR-560]",
    async (list) => {
      const root = ["<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [3 0 R] /Count 1 >>", page];
      expect(await read(makePdfOf([...root, `<< /Kids ${list} >>`]))).toEqual(repetitive);
    },
  );

  test("are at most 4 MB of objects, packed or not [OR-560]", () => {
    expect(OBJECT_TEXT_BYTES).toBe(4_000_000);
    const packedObjects = (dictionary: string, parts: number): boolean => {
      const data = deflateSync(Buffer.alloc(999_000, " ")).toString("latin1");
      const stream = `<< ${dictionary} /Filter /FlateDecode /Length ${data.length} >>\nstream\n${data}\nendstream`;
      const pdf = makePdfOf(Array.from({ length: parts }, () => stream));
      const objects = all(measureObjects(pdf, pdf.length * OBJECT_BYTES_SHARE));
      return all(omitLargeParts(pdf, objects)) !== undefined;
    };
    for (const key of ["/N 1 /First 5", "/N 1 /F#69rst 9 0 R"])
      expect([packedObjects(key, 4), packedObjects(key, 5)]).toEqual([true, false]);
    expect(packedObjects("/Other 5", 20)).toBe(true);
    expect(packedObjects("/X (obj << >> stream) /First 5 % stream\n", 5)).toBe(false);
  });

  test("are at most 4 MB of objects that are not packed [OR-560]", async () => {
    const catalog = ["<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [3 0 R] /Count 1 >>", page];
    const large = (bytes: number) => makePdfOf([...catalog, `(${"x".repeat(bytes)})`]);
    expect(await read(large(OBJECT_TEXT_BYTES - 1_000))).toMatchObject({ kind: "text" });
    expect(await read(large(OBJECT_TEXT_BYTES))).toEqual(tooMuch);
  });

  test.each(["\0", "%\n", " null", " (a)", " << >>", " []"])(
    "are contents that are repeated with something between, such as %j [OR-561]",
    async (between) => {
      const list = (times: number) => `[${`4 0 R${between} `.repeat(times)}]`;
      const contents = (written: string) =>
        makePdfOf([
          "<< /Type /Catalog /Pages 2 0 R >>",
          "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
          `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] ${written} >>`,
          "<< /Length 1 >>\nstream\nq\nendstream",
        ]);
      expect(await read(contents(`/Contents ${list(1_000)}`))).toEqual(repetitive);
      expect(await read(contents(`/C#6fntents ${list(1_000)}`))).toEqual(repetitive);
      expect(await read(contents("/Contents [4 0 R 4 0 R]"))).toMatchObject({ kind: "text" });
    },
  );
});
