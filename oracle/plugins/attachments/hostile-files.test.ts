/** Files crafted to be slow: the work on them is linear in their size, and pauses often. */
import { deflateSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { makeRawPdf } from "../../../test/support/peers/media-files.ts";
import { textOfHtml } from "./html-text.ts";
import { HTML_BYTES, OBJECT_BYTES_SHARE, PDF_BYTES, READING_MS, TEXT_LENGTH } from "./limits.ts";
import { Contents } from "./pdf-contents.ts";
import { isPackedUnmeasurably } from "./pdf-filters.ts";
import { measureObjects, type ObjectTexts } from "./pdf-objects.ts";
import { omitLargeParts } from "./pdf-size.ts";
import { readContent } from "./read-content.ts";
import { textOfFile } from "./read-text.ts";
import { inSlices, startDeadline, type SlicedWork } from "./work-slices.ts";

const runs = { numRuns: Number(process.env["PROPERTY_RUNS"] ?? 100) };
const never = new AbortController().signal;
const utf8 = (text: string): Uint8Array<ArrayBuffer> => Uint8Array.from(new TextEncoder().encode(text));

const measured = function* (pdf: Uint8Array): SlicedWork<boolean> {
  const objects = yield* measureObjects(pdf, pdf.length * OBJECT_BYTES_SHARE);
  return (yield* isPackedUnmeasurably(pdf)) || (yield* omitted(pdf, objects));
};

const omitted = function* (pdf: Uint8Array, { objects }: ObjectTexts): SlicedWork<boolean> {
  const measuredParts = yield* omitLargeParts(pdf);
  if (measuredParts === undefined) return true;
  const contents = new Contents(pdf, measuredParts.parts);
  yield* contents.addFile(objects);
  yield* contents.finish();
  return contents.isTooMuch;
};

const readers = {
  "text/html": (bytes: Uint8Array) => textOfHtml("text/html", bytes, TEXT_LENGTH),
  "text/plain": (bytes: Uint8Array) => textOfFile("text/plain", bytes, TEXT_LENGTH),
  "application/pdf": (bytes: Uint8Array) => measured(Uint8Array.from(bytes)),
} as const;

type Type = keyof typeof readers;

/** How many slices of work a file takes. */
function slicesOf(type: Type, bytes: Uint8Array): number {
  const work = readers[type](bytes);
  for (let slices = 1; ; slices += 1) if (work.next().done === true) return slices;
}

const repeated =
  (part: string, before = "", after = "") =>
  (size: number): Uint8Array =>
    utf8(before + part.repeat(Math.ceil(size / part.length)) + after);

/** A final empty block, preceded by as many empty blocks as fit. */
function emptyBlocks(size: number): Uint8Array {
  const starts = "stream\nx\u0001".repeat(200);
  const packed = Buffer.alloc(size);
  for (let at = 0; at + 5 <= size; at += 5) packed.set([0, 0, 0, 0xff, 0xff], at);
  return Buffer.concat([Buffer.from(`%PDF-1.7 ${starts}`, "latin1"), packed]);
}

/** Blocks that contain only their own code tables, whose headers cost more than their bytes. */
function emptyCodes(size: number): Uint8Array {
  const block = deflateSync(Buffer.alloc(0), { level: 9 }).subarray(2, 4);
  const parts = Buffer.alloc(size);
  for (let at = 0; at + block.length <= size; at += block.length) parts.set(block, at);
  return Buffer.concat([Buffer.from("%PDF-1.7 stream\nx\u0001", "latin1"), parts]);
}

const hostile: readonly (readonly [name: string, type: Type, make: (size: number) => Uint8Array])[] = [
  ["open div", "text/html", repeated("<div>")],
  ["open b", "text/html", repeated("<b>")],
  ["open p", "text/html", repeated("<p>")],
  ["open cells", "text/html", repeated("<td>")],
  ["open form", "text/html", repeated("<form>")],
  ["open svg", "text/html", repeated("<svg>")],
  ["nested and closed the wrong way", "text/html", repeated("<div><b></div><i></b>")],
  ["closing tags", "text/html", repeated("</div>", "<div>".repeat(1_000))],
  ["an attribute without an end", "text/html", repeated("a", '<div class="')],
  ["attributes", "text/html", repeated(" a=b", "<div")],
  [
    "other attributes",
    "text/html",
    (size) => utf8(`<div ${Array.from({ length: size / 8 }, (_, index) => `a${index}=1`).join(" ")}>`),
  ],
  ["a comment without an end", "text/html", repeated("- ", "<!--")],
  ["comments", "text/html", repeated("<!---->")],
  ["openings of comments", "text/html", repeated("<!--")],
  ["CDATA without an end", "text/html", repeated("]", "<svg><![CDATA[")],
  ["a script without an end", "text/html", repeated("</scrip", "<script>")],
  ["scripts", "text/html", repeated("<script></script>")],
  ["a title without an end", "text/html", repeated("</titl", "<title>")],
  ["a name without an end", "text/html", repeated("a", "<")],
  ["brackets", "text/html", repeated("<")],
  ["tabs", "text/html", repeated("\t", "a")],
  ["tabs and lines", "text/html", repeated("\t\n \t")],
  ["spaces", "text/html", repeated(" \u00a0")],
  ["lines", "text/html", repeated("\r\n")],
  ["entities", "text/html", repeated("&nbsp;")],
  ["entities without an end", "text/html", repeated("&am")],
  ["a number without an end", "text/html", repeated("0", "&#")],
  ["ampersands", "text/html", repeated("&")],
  ["processing instructions", "text/html", repeated("<?a ")],
  ["spaces", "text/plain", repeated(" ")],
  ["control characters", "text/plain", repeated("\u0007")],
  ["half ends of lines", "text/plain", repeated("\r")],
  ["keywords in one line", "application/pdf", repeated("stream", "%PDF-1.7 ")],
  ["keywords in lines", "application/pdf", repeated("stream\n", "%PDF-1.7 ")],
  ["starts of parts", "application/pdf", repeated("stream\nx\u0001", "%PDF-1.7 ")],
  ["starts of parts with a space", "application/pdf", repeated("stream \r\nx\u0001", "%PDF-1.7 ")],
  ["first letters of the keyword", "application/pdf", repeated("s", "%PDF-1.7 ")],
  ["slashes", "application/pdf", repeated("/", "%PDF-1.7 ")],
  ["filters", "application/pdf", repeated("/Filter/FlateDecode ", "%PDF-1.7 ")],
  ["filters of images", "application/pdf", repeated("/Subtype/Image/Filter/DCTDecode ", "%PDF-1.7 ")],
  ["a filter without an end", "application/pdf", repeated("[", "%PDF-1.7 /Filter")],
  ["objects", "application/pdf", repeated("1 0 obj\n<<>>\n", "%PDF-1.7 ")],
  ["streams without an end", "application/pdf", repeated("1 0 obj<</Subtype/Form>>stream\n", "%PDF-1.7 ")],
  ["references", "application/pdf", repeated("4 0 R ", "%PDF-1.7 1 0 obj[")],
  ["lists in lists", "application/pdf", repeated("[", "%PDF-1.7 1 0 obj")],
  ["comments in objects", "application/pdf", repeated("%\n", "%PDF-1.7 1 0 obj[")],
  ["empty stored blocks", "application/pdf", emptyBlocks],
  ["empty coded blocks", "application/pdf", emptyCodes],
];

describe("the work on a hostile file is linear in its size [OR-433]", () => {
  test.each(hostile)("%s in %s", (_, type, make) => {
    // Large enough that quadratic work would exceed the time limit of a test.
    const size = 512 * 1024;
    const [one, two] = [slicesOf(type, make(size)), slicesOf(type, make(2 * size))];
    expect(two).toBeLessThanOrEqual(2.2 * one + 1);
  });

  test("a file of any bytes is read or refused", () => {
    const words = fc.constantFrom(
      ..."< > </ <!-- --> <![CDATA[ ]]> <script </script <svg/> <title &#x41; & \" ' = a \t \n \r \u00a0".split(" "),
    );
    const pieces = fc.oneof(
      fc.array(words, { maxLength: 200 }).map((parts) => utf8(parts.join(""))),
      fc.uint8Array({ maxLength: 500 }).map((bytes) => Uint8Array.from(bytes)),
    );
    fc.assert(
      fc.property(pieces, fc.constantFrom<Type>("text/html", "text/plain", "application/pdf"), (bytes, type) => {
        expect(slicesOf(type, bytes)).toBeLessThanOrEqual(2);
      }),
      runs,
    );
  });

  test("a page has one text, however it is split into pieces", () => {
    const rest = "<p>one &amp; two<td>three</td><script>no</script><title>four</title> &lt;five&gt;\r\nsix";
    const whole = all(readers["text/html"](utf8(rest)));
    for (let shift = 0; shift < rest.length; shift += 1) {
      const padding = `<!--${"-".repeat(32 * 1024 - shift - 7)}-->`;
      expect(all(readers["text/html"](utf8(padding + rest)))).toEqual(whole);
    }
  });
});

function all<T>(work: SlicedWork<T>): T {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
  }
}

describe("the time of a file [OR-433]", () => {
  test("is limited to 20 seconds, and other work runs between its slices", async () => {
    expect(READING_MS).toBe(20_000);
    const clock = { ms: 0, rests: 0 };
    const time = {
      now: () => clock.ms,
      rest() {
        clock.rests += 1;
        clock.ms += 1_000;
        return Promise.resolve();
      },
      timeout: () => never,
    };
    const page = utf8("<div>".repeat(180_000));
    expect(await readContent({ mimetype: "text/html" }, page, time)).toEqual({
      kind: "failed",
      reason: "reading it took longer than 20 seconds",
    });
    expect(clock.rests).toBe(21);
    const still = { ...time, now: () => 0 };
    const work = textOfFile("text/plain", utf8(" ".repeat(40_000)), TEXT_LENGTH);
    expect(await inSlices(work, startDeadline(still))).toEqual({ ok: true, value: " ".repeat(40_000) });
  });
});

describe("the size of a file [OR-434]", () => {
  const time = { now: () => 0, rest: () => Promise.resolve(), timeout: () => never };
  const read = (mimetype: string, bytes: Uint8Array<ArrayBuffer>) => readContent({ mimetype }, bytes, time);

  test("of HTML is limited to 5 MB", async () => {
    expect(HTML_BYTES).toBe(5_000_000);
    const page = (size: number) => utf8(`<p>rain${" ".repeat(size - 7)}`);
    expect(await read("text/html", page(HTML_BYTES))).toMatchObject({ text: "rain" });
    expect(await read("text/html", page(HTML_BYTES + 1))).toEqual({
      kind: "failed",
      reason: "pages of HTML are read up to 5 MB",
    });
  });

  test("of a PDF is limited to 10 MB", async () => {
    expect(PDF_BYTES).toBe(10_000_000);
    const pdf = makeRawPdf(Buffer.from("BT /F1 12 Tf (hello) Tj ET"));
    const padded = (size: number) => Uint8Array.from(Buffer.concat([pdf, Buffer.alloc(size - pdf.length, "\n")]));
    expect(await read("application/pdf", padded(PDF_BYTES + 1))).toEqual({
      kind: "failed",
      reason: "PDFs are read up to 10 MB",
    });
    expect(await read("application/pdf", padded(PDF_BYTES))).toMatchObject({ text: "## Page 1\nhello" });
  });
});
