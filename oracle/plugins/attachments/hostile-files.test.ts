/** Files crafted to be slow: the work on them is linear in their size, and pauses often. */
import { deflateSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { makePackedPdf, makePdfOf, makeRawPdf } from "../../../test/support/peers/media-files.ts";
import { textOfHtml } from "./html-text.ts";
import { HTML_BYTES, OBJECT_BYTES_SHARE, PDF_BYTES, READING_MS, TEXT_LENGTH } from "./limits.ts";
import { Contents } from "./pdf-contents.ts";
import { isPackedUnmeasurably } from "./pdf-filters.ts";
import { measureObjects, type ObjectTexts } from "./pdf-objects.ts";
import { omitLargeParts } from "./pdf-size.ts";
import { MAPPED_CHARACTERS } from "./pdf-structure.ts";
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

test("a page of nested forms is given up at the time limit, and the PDF library stops [OR-433, OR-565]", async () => {
  const [levels, width] = [20, 8];
  // A slice for the cross-reference and one for the file, one for each unpacked part, and the one before the page.
  const restsBeforePage = 2 + (1 + levels * width) + 1;
  const controller = new AbortController();
  let rests = 0;
  let ticks = 0;
  // The forms are packed, so other work runs between them; 8 to the power of 20 forms would never finish.
  const tick = (): void => {
    ticks += 1;
    if (ticks < 1_000) setImmediate(tick);
    else controller.abort();
  };
  const time = {
    now: () => 0,
    rest() {
      rests += 1;
      if (rests === restsBeforePage) tick();
      return new Promise<void>((resolve) => setImmediate(resolve));
    },
    timeout(milliseconds: number) {
      expect(milliseconds).toBe(READING_MS);
      return controller.signal;
    },
  };
  let unpackings = 0;
  class CountedStream extends DecompressionStream {
    constructor(format: ConstructorParameters<typeof DecompressionStream>[0]) {
      super(format);
      unpackings += 1;
    }
  }
  vi.stubGlobal("DecompressionStream", CountedStream);
  try {
    const bytes = Uint8Array.from(formsInForms(levels, width));
    expect(await readContent({ mimetype: "application/pdf" }, bytes, time)).toMatchObject({
      kind: "text",
      text: "## Page 1\n",
    });
    const atEnd = unpackings;
    expect(atEnd).toBeGreaterThan(levels * width);
    for (let tick = 0; tick < 1_000; tick += 1) await new Promise((resolve) => setImmediate(resolve));
    expect(unpackings).toBe(atEnd);
  } finally {
    vi.unstubAllGlobals();
  }
});

/** A page that calls a form; each form of a level calls all forms of the next one. */
function formsInForms(levels: number, width: number): Uint8Array {
  const stream = (dictionary: string, data: string): string => {
    const packed = deflateSync(Buffer.from(data));
    return `<< ${dictionary} /Filter /FlateDecode /Length ${packed.length} >>\nstream\n${packed.toString("latin1")}\nendstream`;
  };
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Contents 4 0 R /Resources << /XObject << /A 5 0 R >> >> >>",
    stream("", "/A Do"),
  ];
  for (let form = 0; form < levels * width; form += 1) {
    const next = (Math.floor(form / width) + 1) * width;
    const names = Array.from({ length: width }, (_, index) => `/N${index} ${5 + next + index} 0 R`).join(" ");
    const calls = Array.from({ length: width }, (_, index) => `/N${index} Do`).join(" ");
    objects.push(stream(`/Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << ${names} >> >>`, calls));
  }
  return makePdfOf(objects);
}

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

describe("a PDF that repeats itself is not read [OR-439]", () => {
  const time = { now: () => 0, rest: () => Promise.resolve(), timeout: () => never };
  const words = "BT /F1 12 Tf (hello) Tj ET";
  const readWith = (object: string | Uint8Array, page: Uint8Array = makeRawPdf(Buffer.from(words))) =>
    readContent(
      { mimetype: "application/pdf" },
      Uint8Array.from(
        Buffer.concat([
          page,
          Buffer.from("\n7 0 obj\n"),
          Buffer.from(object as Uint8Array),
          Buffer.from("\nendobj\n"),
          page,
        ]),
      ),
      time,
    );
  const packed = (text: string): Uint8Array => {
    const data = deflateSync(Buffer.from(text));
    return Buffer.concat([
      Buffer.from(`<< /Filter /FlateDecode /Length ${data.length} >>\nstream\n`),
      data,
      Buffer.from("\nendstream"),
    ]);
  };
  const refused = { kind: "failed", reason: "the PDF repeats its contents too often" };
  const read = { kind: "text", text: "## Page 1\nhello" };
  const range = (last: string) => `1 beginbfrange <0000> <${last}> <0041> endbfrange`;

  test.each([
    ["a table", packed(range((MAPPED_CHARACTERS - 1).toString(16))), packed(range(MAPPED_CHARACTERS.toString(16)))],
    ["tables", packed(range("ffff").repeat(15)), packed(range("ffff").repeat(16))],
    [
      "a table in another form",
      packed("1 beginbfchar (a) <0041> endbfchar"),
      packed("1 beginbfrange (a) (b) <0041> endbfrange"),
    ],
  ])("by %s", async (_, few, many) => {
    expect(await readWith(few)).toMatchObject(read);
    expect(await readWith(many)).toEqual(refused);
  });

  test("but a PDF with many pages and lists of different objects is read", async () => {
    expect(await readWith(`[${Array.from({ length: 5_000 }, (_, index) => `${index} 0 R`).join(" ")}]`)).toMatchObject(
      read,
    );
  });
});

test("an oversized part of a PDF is omitted, and the rest is read [OR-325]", async () => {
  const words = Buffer.from("BT /F1 12 Tf (hello) Tj ET");
  const large = deflateSync(Buffer.alloc(2_000_000));
  const part = `7 0 obj\n<< /Filter /FlateDecode /Length ${large.length} >>\nstream\n`;
  const pdf = Buffer.concat([
    makeRawPdf(words),
    Buffer.from(part),
    large,
    Buffer.from("\nendstream\nendobj\n"),
    makeRawPdf(words),
  ]);
  const time = { now: () => 0, rest: () => Promise.resolve(), timeout: () => never };
  expect(await readContent({ mimetype: "application/pdf" }, Uint8Array.from(pdf), time)).toMatchObject({
    text: "[The PDF has parts that are too large to read: 1]\n## Page 1\nhello",
  });
});

describe("images in a PDF [OR-434]", () => {
  const text = "BT /F1 12 Tf (hello) Tj ET";
  const time = { now: () => 0, rest: () => Promise.resolve(), timeout: () => never };
  const read = (pdf: Uint8Array) => readContent({ mimetype: "application/pdf" }, Uint8Array.from(pdf), time);

  test.each([
    ["photos", "/Filter /DCTDecode", Buffer.of(0xff, 0xd8, 0xff)],
    ["large", "/Filter /FlateDecode", deflateSync(Buffer.alloc(30_000_000))],
    ["packed twice", "/Filter [/FlateDecode /DCTDecode]", deflateSync(Buffer.of(0xff, 0xd8))],
  ])("are not unpacked: %s", async (_, filter, packed) => {
    const image = `7 0 obj\n<< /Subtype /Image ${filter} /Length ${packed.length} >>\nstream\n`;
    const pdf = Buffer.concat([
      makeRawPdf(Buffer.from(text)),
      Buffer.from(image),
      packed,
      Buffer.from("\nendstream\nendobj\n"),
      makeRawPdf(Buffer.from(text)),
    ]);
    expect(await read(pdf)).toMatchObject({ kind: "text", text: "## Page 1\nhello" });
  });

  test("that are the contents of a page have no text", async () => {
    expect(await read(makePackedPdf("/Subtype /Image /Filter /FlateDecode", deflateSync(Buffer.from(text))))).toEqual({
      kind: "text",
      text: "## Page 1\n",
      omitted: 0,
    });
  });
});
