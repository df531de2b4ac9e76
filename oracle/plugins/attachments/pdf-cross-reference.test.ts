/** PDFs by their cross-reference: valid, damaged, or with too many objects. */
import { PDFDocument } from "pdf-lib";
import { describe, expect, test } from "vitest";
import { makePdf, makePdfOf, makeRawPdf } from "../../../test/support/peers/media-files.ts";
import { CROSS_REFERENCE_ENTRIES, CROSS_REFERENCE_PARTS } from "./limits.ts";
import { checkCrossReference } from "./pdf-cross-reference.ts";
import { measureObjects } from "./pdf-objects.ts";
import { hideFromSearch } from "./pdf-search.ts";
import { readContent } from "./read-content.ts";
import type { SlicedWork } from "./work-slices.ts";

const never = new AbortController().signal;
const utf8 = (text: string): Uint8Array<ArrayBuffer> => Uint8Array.from(new TextEncoder().encode(text));

function all<T>(work: SlicedWork<T>): T {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
  }
}

function slicesOf(pdf: Uint8Array): number {
  let slices = 1;
  for (const work = measureObjects(pdf, pdf.length * 2); work.next().done !== true;) slices += 1;
  return slices;
}

describe("a PDF and its cross-reference", () => {
  const time = { now: () => 0, rest: () => Promise.resolve(), timeout: () => never };
  const read = (pdf: Uint8Array) => readContent({ mimetype: "application/pdf" }, Uint8Array.from(pdf), time);
  const whole = { kind: "text", text: "## Page 1\nhello" };
  const page = Buffer.from(makeRawPdf(Buffer.from("BT /F1 12 Tf (hello) Tj ET")));
  const damaged = { kind: "failed", reason: "the PDF is damaged: its cross-reference is not where it should be" };
  const tooMany = { kind: "failed", reason: "PDFs are read up to 20000 objects, saved at most 200 times" };

  test.each([
    ["none", Buffer.from(`%PDF-1.4\n${"1 0 obj\n".repeat(1_000)}`)],
    ["one elsewhere", Buffer.from(page.toString("latin1").replace(/startxref\n\d+/, "startxref\n20"), "latin1")],
    ["no number", Buffer.from("%PDF-1.4\n1 0 obj\nstartxref\n\n%%EOF")],
    ["a size that another object says", streamOf("/Size 9 0 R")],
  ])("with %s is not read [OR-440]", async (_, pdf) => {
    expect(await read(pdf)).toEqual(damaged);
  });

  test("is read when a library wrote it, with and without packed objects [OR-440]", async () => {
    const document = await PDFDocument.load(await makePdf(["rain"]));
    for (const useObjectStreams of [true, false])
      expect(await read(await document.save({ useObjectStreams }))).toMatchObject({ text: "## Page 1\nrain" });
  });

  test("is found after other bytes [OR-440]", () => {
    expect(all(checkCrossReference(Uint8Array.from(Buffer.concat([Buffer.from("junk\n"), page]))))).toBe("fine");
  });

  test("is read after an incremental save [OR-440]", async () => {
    const start = /startxref\n(\d+)/.exec(page.toString("latin1"))?.[1];
    const added = `\nxref\n0 0\ntrailer << /Size 6 /Root 1 0 R /Prev ${start} >>\nstartxref\n${page.length + 1}\n%%EOF`;
    expect(await read(Buffer.concat([page, Buffer.from(added)]))).toMatchObject(whole);
  });

  test.each(["(", "[", "<<", "<", "<< /A [ ("])(
    "whose objects open %s without end is not read [OR-442]",
    async (open) => {
      const endless = (count: number) => makePdfOf(Array.from({ length: count }, () => `${open} ${"x ".repeat(500)}`));
      expect(await read(endless(300))).toEqual({
        kind: "failed",
        reason: "the PDF is damaged: its objects do not end",
      });
      const [small, large] = [slicesOf(endless(1_000)), slicesOf(endless(2_000))];
      expect(large).toBeLessThanOrEqual(2.2 * small + 1);
    },
  );

  test("may nest strings, lists and dictionaries, with meaningless brackets [OR-442]", () => {
    const texts = [
      "<< /A [ (a \\) ( b ) ] >>) <6162> << /B <</C [1]>> >> ] >>",
      "% a comment ( [ <<\n<< /A 1 >>",
      "[<</A<</B<6A>>>>>]",
      "(a)",
      "17",
    ];
    const pdf = makePdfOf(Array.from({ length: 500 }, (_, index) => texts[index % texts.length] ?? ""));
    expect(all(measureObjects(pdf, pdf.length * 2)).bytes).toBeLessThan(pdf.length);
  });

  test("is read with up to 20,000 objects [OR-441]", () => {
    expect(CROSS_REFERENCE_ENTRIES).toBe(20_000);
    const checked = (objects: number) =>
      all(checkCrossReference(makePdfOf(Array.from({ length: objects }, () => "0"))));
    expect(checked(CROSS_REFERENCE_ENTRIES - 1)).toBe("fine");
    expect(checked(CROSS_REFERENCE_ENTRIES)).toBe("too long");
    expect(checked(60_000)).toBe("too long");
  });

  test.each([
    ["a size", "/Size 20000", "/Size 20001"],
    ["ranges", "/Index [0 1 5 19999]", "/Index [0 1 5 20000]"],
    ["a name in disguise", "/S#69ze 20000", "/S#69ze 1000000000"],
  ])("is not read when it declares more by %s [OR-441]", async (_, few, many) => {
    expect(all(checkCrossReference(streamOf(few)))).toBe("fine");
    expect(await read(streamOf(many))).toEqual(tooMany);
  });

  test("is read with up to 200 parts [OR-441]", () => {
    expect(CROSS_REFERENCE_PARTS).toBe(200);
    const checked = (parts: number) => {
      let pdf = "%PDF-1.4\n";
      let last = "";
      for (let part = 0; part < parts; part += 1) {
        const at = pdf.length;
        pdf += `xref\n0 0\ntrailer << /Size 1 ${last} >>\n`;
        last = `/Prev ${at}`;
        if (part === parts - 1) pdf += `startxref\n${at}\n%%EOF`;
      }
      return all(checkCrossReference(utf8(pdf)));
    };
    expect([checked(CROSS_REFERENCE_PARTS), checked(CROSS_REFERENCE_PARTS + 1)]).toEqual(["fine", "too long"]);
  });

  test("is not searched for its objects when they are elsewhere [OR-442]", async () => {
    const moved = Buffer.from(page.toString("latin1").replaceAll(/\d{10} 00000 n/g, "0000000010 00000 n"), "latin1");
    expect(await read(moved)).toEqual({ kind: "failed", reason: "the PDF is damaged" });
    const hidden = utf8("a\n1 0 obj\n(an obj)\nxref\ntrailer\nstartxref\n");
    all(hideFromSearch(hidden));
    expect(new TextDecoder().decode(hidden)).toBe("a\n1 0\0obj\n(an obj)\0xref\0trailer\nstartxref\n");
  });

  /** A file whose cross-reference is an object with these keys. */
  function streamOf(keys: string): Uint8Array<ArrayBuffer> {
    return utf8(
      `%PDF-1.5\n1 0 obj\n<< /Type /XRef /W [0 0 0] ${keys} >>\nstream\n\nendstream\nendobj\nstartxref\n9\n%%EOF`,
    );
  }
});
