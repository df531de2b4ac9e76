/** PDFs with more pages, objects or contents than the PDF library may read without a pause. */
import { deflateSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { makePdfOf } from "../../../test/support/peers/media-files.ts";
import { FONT_BYTES, LISTED_KIDS, OBJECT_TEXT_BYTES } from "./limits.ts";
import { readContent } from "./read-content.ts";

const never = new AbortController().signal;

describe("work of the PDF reader without a pause", () => {
  const time = { now: () => 0, rest: () => Promise.resolve(), timeout: () => never };
  const read = (pdf: Uint8Array) => readContent({ mimetype: "application/pdf" }, Uint8Array.from(pdf), time);
  const repetitive = { kind: "failed", reason: "the PDF repeats its contents too often" };
  const tooMuch = { kind: "failed", reason: "the PDF unpacks to more than can be read" };
  const page = "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] >>";

  /** A tree with this many references, in one list or each in a separate list. */
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

  test.each(["wide", "deep"] as const)("at most 5,000 pages, names and fields: %s [OR-560]", async (shape) => {
    expect(LISTED_KIDS).toBe(5_000);
    expect(await read(treeOf(LISTED_KIDS, shape))).toMatchObject({ kind: "text" });
    expect(await read(treeOf(LISTED_KIDS + 1, shape))).toEqual(repetitive);
    expect(await read(treeOf(LISTED_KIDS + 1, shape, "K#69d#73"))).toEqual(repetitive);
  });

  test.each([
    ["[<< >>]", repetitive],
    ["[4 0 R 7]", repetitive],
    ["[4 0R]", repetitive],
    ["4 0 R", { kind: "text" }],
    ["%\n[7 0 R %\n 8 0 R]", { kind: "text" }],
    ["5 0 R", repetitive],
  ])("a list of references, direct or named: %s [OR-560]", async (list, result) => {
    const root = ["<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [3 0 R] /Count 1 >>", page];
    expect(await read(makePdfOf([...root, "[3 0 R]", "[<< >>]", `<< /Kids ${list} >>`]))).toMatchObject(result);
  });

  test("counts a list each time that it is named [OR-560]", async () => {
    const list = `[${"4 0 R ".repeat(100)}]`;
    const nodes = (count: number) => Array.from({ length: count }, () => "<< /Kids 4 0 R >>");
    const root = ["<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [3 0 R] /Count 1 >>", page, list];
    expect(await read(makePdfOf([...root, ...nodes(49)]))).toMatchObject({ kind: "text" });
    expect(await read(makePdfOf([...root, ...nodes(50)]))).toEqual(repetitive);
  });

  test("reads a tree of pages whose list is a separate object [OR-560]", async () => {
    const pages = Array.from(
      { length: 800 },
      () =>
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 200] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>",
    );
    const kids = pages.map((_, index) => `${index + 6} 0 R`).join(" ");
    const pdf = makePdfOf([
      "<< /Type /Catalog /Pages 2 0 R >>",
      "<< /Type /Pages /Kids 3 0 R /Count 800 >>",
      `[${kids}]`,
      streamOf("BT /F1 12 Tf 20 150 Td (rain) Tj ET"),
      "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
      ...pages,
    ]);
    const content = await read(pdf);
    expect(content.kind === "text" ? content.text.match(/rain/g)?.length : content).toBe(500);
  });

  test("at most 4 MB of objects, packed or not [OR-560]", async () => {
    expect(OBJECT_TEXT_BYTES).toBe(4_000_000);
    const packedObjects = (keys: string, parts: number) => {
      const holder = packedOf(`0 0 ${" ".repeat(999_000)}`, keys);
      return read(makePdfOf([...pageOf("4 0 R"), ...Array.from({ length: parts }, () => holder)]));
    };
    for (const key of ["/N 1 /First 5", "/N 1 /F#69rst 5"]) {
      expect(await packedObjects(key, 4)).toMatchObject({ kind: "text" });
      expect(await packedObjects(key, 5)).toEqual(tooMuch);
    }
    expect(await packedObjects("/Other 5", 20)).toMatchObject({ kind: "text" });
  });

  test.each(["/N 1 /First 9 0 R", "/N 1 /First 5 /First 6", "/N 2 /First 4", "/N 1 /First 4 /DecodeParms << >>"])(
    "objects in a stream with plain numbers as places: %s [OR-560]",
    async (keys) => {
      expect(await read(makePdfOf([...pageOf("4 0 R"), packedOf("6 0 << >>", "/N 1 /First 4")]))).toMatchObject({
        kind: "text",
      });
      expect(await read(makePdfOf([...pageOf("4 0 R"), packedOf("6 0 << >>", keys)]))).toEqual(repetitive);
    },
  );

  test("objects in a stream that does not give the first place [OR-560]", async () => {
    expect(await read(makePdfOf([...pageOf("4 0 R"), packedOf("6 0 << >>", "/N 1")]))).toMatchObject({ kind: "text" });
  });

  test("at most 4 MB of objects that are not packed [OR-560]", async () => {
    const catalog = ["<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [3 0 R] /Count 1 >>", page];
    const large = (bytes: number) => makePdfOf([...catalog, `(${"x".repeat(bytes)})`]);
    expect(await read(large(OBJECT_TEXT_BYTES - 1_000))).toMatchObject({ kind: "text" });
    expect(await read(large(OBJECT_TEXT_BYTES))).toEqual(tooMuch);
  });

  const overLimit = "[The PDF has parts that are too large to read: 1]\n## Page 1\nhello";
  const large = (bytes: number) => packedOf("q Q ".repeat(bytes / 4));

  test.each(["", "\0", "%\n", " null", " (a)", " << >>", " []", " 4", "(\\(["])(
    "the contents of a page, 1 MB with repeats, with separators such as %j [OR-561]",
    async (between) => {
      const separator = between === "(\\([" ? "(\\([)" : between;
      const list = (times: number) => `[5 0 R ${`4 0 R ${separator} `.repeat(times)}]`;
      const contents = (times: number) => makePdfOf(pageOf(list(times)).toSpliced(3, 2, large(100_000), words));
      expect(await read(contents(9))).toMatchObject({ text: "## Page 1\nhello" });
      expect(await read(contents(10))).toMatchObject({ text: overLimit });
    },
  );

  test.each(["4 0R", "4. 0 R", "4 00 R", "+4 0 R", "4 0 %\n R", "4%5 0\n 0 R"])(
    "counts a reference that is written as %j [OR-561]",
    async (written) => {
      const pdf = makePdfOf(pageOf(`[5 0 R ${`${written} `.repeat(20)}]`).toSpliced(3, 2, large(100_000), words));
      const content = await read(pdf);
      expect([overLimit, undefined]).toContain("text" in content ? content.text : undefined);
    },
  );

  test("counts a list that is a separate object, in a stream of objects or in a trailer [OR-561]", async () => {
    const list = `[5 0 R ${"4 0 R ".repeat(20)}]`;
    const objects = pageOf("9 0 R").toSpliced(3, 2, large(100_000), words);
    expect(await read(makePdfOf([...objects, "null", "null", list]))).toMatchObject({ text: overLimit });
    const holder = packedOf(`9 0 ${list}`, "/N 1 /First 4");
    const named = objects.map((object) => object.replace("/Contents 9 0 R", "/Contents 5 0 R"));
    expect(await read(makePdfOf([...named, holder]))).toMatchObject({ text: overLimit });
    const inTrailer = Buffer.concat([makePdfOf(named), Buffer.from(`\ntrailer << /A ${list} >>`)]);
    expect(await read(inTrailer)).toMatchObject({ text: expect.stringContaining("too large to read: 1") });
  });

  test("at most 1,000 references to streams in a list, however small the streams [OR-561]", async () => {
    const contents = (times: number) => makePdfOf(pageOf(`[${"4 0 R ".repeat(times)}]`).toSpliced(3, 1, packedOf("q")));
    expect(await read(contents(1_000))).toMatchObject({ kind: "text" });
    expect(await read(contents(1_002))).toEqual(repetitive);
  });

  test("a shared beginning and end of each page [OR-561]", async () => {
    const shared = [streamOf("q "), words, streamOf(" Q")];
    const pages = Array.from({ length: 50 }, () => pageOf("[4 0 R 5 0 R 6 0 R]")[2] ?? "");
    const kids = pages.map((_, index) => `${8 + index} 0 R`).join(" ");
    const root = ["<< /Type /Catalog /Pages 2 0 R >>", `<< /Type /Pages /Kids [${kids}] /Count 50 >>`, "null"];
    const content = await read(
      makePdfOf([...root, ...shared, font, ...pages].map((object) => object.replace("/F1 6 0 R", "/F1 7 0 R"))),
    );
    expect(content.kind === "text" ? content.text.match(/hello/g)?.length : content).toBe(50);
  });

  test("at most 1 MB of an unpacked stream [OR-562]", async () => {
    const plain = (bytes: number) =>
      makePdfOf(pageOf("[5 0 R 4 0 R]").toSpliced(3, 2, streamOf("q Q ".repeat(bytes / 4)), words));
    expect(await read(plain(900_000))).toMatchObject({ text: "## Page 1\nhello" });
    expect(await read(plain(1_100_000))).toMatchObject({ text: overLimit });
    const image = streamOf(`q Q ${"x".repeat(1_100_000)}`, "/Subtype /Image");
    expect(await read(makePdfOf(pageOf("[5 0 R 4 0 R]").toSpliced(3, 2, image, words)))).toMatchObject({
      text: "## Page 1\nhello",
    });
  });

  test.each([
    ["is not packed", (text: string) => streamOf(text, "/Subtype /Form /BBox [0 0 9 9]")],
    ["is predicted", (text: string) => packedOf(text, "/Subtype /Form /DecodeParms << /Predictor 1 >>")],
    ["only says that it is packed", (text: string) => streamOf(text, "/Subtype /Form /A << /Filter /FlateDecode >>")],
  ])("a form that %s, times its calls [OR-563]", async (kind, form) => {
    const called = (calls: number, text: string) =>
      makePdfOf(
        [...pageOf("[4 0 R]"), "null", form(text)].map((object, index) =>
          index === 3 ? packedOf(`BT /F1 12 Tf 20 150 Td (hello) Tj ET ${"/A Do ".repeat(calls)}`) : object,
        ),
      );
    const omitted = { text: expect.stringContaining("too large to read: 1") };
    expect(await read(called(10, "q Q ".repeat(1_000)))).toMatchObject(
      kind === "is predicted" ? omitted : { text: "## Page 1\nhello" },
    );
    expect(await read(called(1_000, "q Q ".repeat(1_000)))).toMatchObject(omitted);
    expect(await read(called(1, "/B Do"))).toMatchObject(omitted);
  });

  test("fonts of 20 MB, each as often as it is named [OR-564]", async () => {
    expect(FONT_BYTES).toBe(20_000_000);
    const fonts = (count: number) =>
      makePdfOf([
        ...pageOf("4 0 R"),
        large(1_000_000),
        ...Array.from({ length: count }, () => "<< /FontFile2 7 0 R >>"),
      ]);
    expect(await read(fonts(20))).toMatchObject({ kind: "text" });
    expect(await read(fonts(21))).toEqual(repetitive);
  });
});

const words = streamOf("BT /F1 12 Tf 20 150 Td (hello) Tj ET");
const font = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>";

function streamOf(data: string, keys = ""): string {
  return `<< ${keys} /Length ${data.length} >>\nstream\n${data}\nendstream`;
}

function packedOf(data: string, keys = ""): string {
  return streamOf(deflateSync(Buffer.from(data)).toString("latin1"), `/Filter /FlateDecode ${keys}`);
}

/** A page with these contents: object 4 has words, 5 is empty, 6 is the font. */
function pageOf(contents: string): string[] {
  return [
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 200] /Contents ${contents} /Resources << /Font << /F1 6 0 R >> /XObject << /A 8 0 R >> >> >>`,
    words,
    "null",
    font,
  ];
}
