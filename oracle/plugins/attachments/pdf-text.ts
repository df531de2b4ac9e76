/**
 * The text of a PDF, page by page under `## Page N`. The library is loaded with the first PDF, not with the Worker. A file can be
 * crafted to cost far more than its size: unpacked size, pages, text and time are limited, and nothing is rendered.
 */
import { failure, success, type Result } from "../../../platform/result.ts";
import {
  CROSS_REFERENCE_ENTRIES,
  CROSS_REFERENCE_PARTS,
  OBJECT_BYTES_SHARE,
  OBJECT_TEXT_BYTES,
  PDF_PAGES,
} from "./limits.ts";
import { SIZE_LIMITS } from "./media-type.ts";
import { Contents } from "./pdf-contents.ts";
import { checkCrossReference } from "./pdf-cross-reference.ts";
import { measureObjects } from "./pdf-objects.ts";
import { isPackedUnmeasurably } from "./pdf-filters.ts";
import { hideFromSearch } from "./pdf-search.ts";
import { omitLargeParts, type MeasuredParts } from "./pdf-size.ts";
import { repeatsItself } from "./pdf-structure.ts";
import { inSlices, TOO_LONG, type Deadline, type SlicedWork } from "./work-slices.ts";

const TOO_REPETITIVE = "the PDF repeats its contents too often";
const DAMAGED = "the PDF is damaged";
const NO_CROSS_REFERENCE = "the PDF is damaged: its cross-reference is not where it should be";
const TOO_MANY_OBJECTS = `PDFs are read up to ${CROSS_REFERENCE_ENTRIES} objects, saved at most ${CROSS_REFERENCE_PARTS} times`;
const ENDLESS = "the PDF is damaged: its objects do not end";
const TOO_MUCH = "the PDF unpacks to more than can be read";

type PdfDocument = Awaited<ReturnType<typeof import("unpdf").getDocumentProxy>>;

/**
 * `bytes` must belong to the reader, which marks parts in them that need not be unpacked. `length`: UTF-16 units after which
 * reading stops. The error says why, as the end of "could not be read: ...".
 */
export async function textOfPdf(
  bytes: Uint8Array<ArrayBuffer>,
  length: number,
  deadline: Deadline,
): Promise<Result<string, string>> {
  if (bytes.byteLength > SIZE_LIMITS.pdf.bytes) return failure(SIZE_LIMITS.pdf.reason);
  const measured = (await inSlices(measure(bytes), deadline)) ?? failure(TOO_LONG);
  if (!measured.ok) return measured;
  const { parts, contents } = measured.value;
  const isRepeated = await repeatsItself(bytes, parts, contents, deadline);
  if (isRepeated !== false) return failure(isRepeated ? TOO_REPETITIVE : TOO_LONG);
  const { getDocumentProxy } = await import("unpdf");
  let document: PdfDocument;
  try {
    document = await getDocumentProxy(bytes, { verbosity: 0, disableFontFace: true });
  } catch {
    return failure(DAMAGED);
  }
  try {
    const { text, hasWords } = await readPages(document, length, deadline);
    const omitted = measured.value.omitted + contents.omitted;
    if (omitted === 0) return success(text);
    return hasWords
      ? success(`[The PDF has parts that are too large to read: ${omitted}]\n${text}`)
      : failure(TOO_MUCH);
  } catch {
    return failure(DAMAGED);
  } finally {
    await document.loadingTask.destroy().catch(() => undefined);
  }
}

interface MeasuredContents extends MeasuredParts {
  readonly contents: Contents;
}

function* measure(pdf: Uint8Array): SlicedWork<Result<MeasuredContents, string>> {
  const crossReference = yield* checkCrossReference(pdf);
  if (crossReference !== "fine") return failure(crossReference === "damaged" ? NO_CROSS_REFERENCE : TOO_MANY_OBJECTS);
  const most = pdf.length * OBJECT_BYTES_SHARE;
  const objects = yield* measureObjects(pdf, most);
  if (objects.bytes > most) return failure(ENDLESS);
  if (objects.bytes > OBJECT_TEXT_BYTES) return failure(TOO_MUCH);
  yield* hideFromSearch(pdf);
  if (yield* isPackedUnmeasurably(pdf)) return failure("the PDF is compressed in a way whose size cannot be known");
  const measured = yield* omitLargeParts(pdf);
  if (measured === undefined) return failure(TOO_MUCH);
  const contents = new Contents(pdf, measured.parts);
  yield* contents.addFile(objects.objects);
  if (contents.objectBytes > OBJECT_TEXT_BYTES) return failure(TOO_MUCH);
  return contents.isTooMuch ? failure(TOO_REPETITIVE) : success({ ...measured, contents });
}

async function readPages(document: PdfDocument, length: number, deadline: Deadline) {
  const pages: string[] = [];
  let room = length;
  let hasWords = false;
  for (let number = 1; number <= document.numPages && room > 0; number += 1) {
    await deadline.rest();
    if (number > PDF_PAGES || deadline.isOver()) {
      pages.push(`[Pages ${number} to ${document.numPages} were not read]`);
      break;
    }
    const text = await readPage(document, number, room, deadline);
    pages.push(`## Page ${number}\n${text}`);
    room -= text.length;
    hasWords ||= text !== "";
  }
  return { text: pages.join("\n\n"), hasWords };
}

async function readPage(
  document: PdfDocument,
  number: number,
  room: number,
  { rest, isOver, first }: Deadline,
): Promise<string> {
  const page = await document.getPage(number);
  const reader = (page.streamTextContent() as ReadableStream<{ readonly items: readonly object[] }>).getReader();
  let text = "";
  try {
    while (text.length <= room && !isOver()) {
      // A page without text may never end: destroying the document ends it.
      const next = await first(reader.read());
      if (next === undefined || next.done) break;
      await rest();
      for (const item of next.value.items)
        if ("str" in item && typeof item.str === "string")
          text += item.str + ("hasEOL" in item && item.hasEOL === true ? "\n" : "");
    }
  } finally {
    await reader.cancel(new Error("enough was read")).catch(() => undefined);
    page.cleanup();
  }
  return text.trim();
}
