/**
 * The text of a PDF, page by page under `## Page N`. The library is loaded with the first PDF, not with the Worker. A file can be
 * made to cost much more than its size: pages, text and time are bounded, and nothing is painted.
 */
import { failure, success, type Result } from "../../../platform/result.ts";
import { PDF_MS, PDF_PAGES } from "./limits.ts";
import { isPackedUnmeasurably } from "./pdf-filters.ts";
import { unpacksTooMuch } from "./pdf-size.ts";

export interface PdfBounds {
  /** UTF-16 units after which no more is read. */
  readonly length: number;
  /** Unix milliseconds. */
  readonly now: () => number;
}

type PdfDocument = Awaited<ReturnType<typeof import("unpdf").getDocumentProxy>>;

/** The error says why, as the end of "could not be read: ...". */
export async function textOfPdf(bytes: Uint8Array, bounds: PdfBounds): Promise<Result<string, string>> {
  if (isPackedUnmeasurably(bytes)) return failure("the PDF is packed in a way whose size cannot be known");
  if (unpacksTooMuch(bytes)) return failure("the PDF unpacks to more than can be read");
  const { getDocumentProxy } = await import("unpdf");
  let document: PdfDocument;
  try {
    document = await getDocumentProxy(bytes, { verbosity: 0, disableFontFace: true });
  } catch {
    return failure("the PDF is damaged");
  }
  try {
    return success(await readPages(document, bounds));
  } catch {
    return failure("the PDF is damaged");
  } finally {
    await document.loadingTask.destroy().catch(() => undefined);
  }
}

async function readPages(document: PdfDocument, { length, now }: PdfBounds): Promise<string> {
  const end = now() + PDF_MS;
  const pages: string[] = [];
  let room = length;
  for (let number = 1; number <= document.numPages && room > 0; number += 1) {
    if (number > PDF_PAGES || now() > end) {
      pages.push(`[Pages ${number} to ${document.numPages} were not read]`);
      break;
    }
    const text = await readPage(document, number, { room, isOver: () => now() > end });
    pages.push(`## Page ${number}\n${text}`);
    room -= text.length;
  }
  return pages.join("\n\n");
}

async function readPage(
  document: PdfDocument,
  number: number,
  { room, isOver }: { readonly room: number; readonly isOver: () => boolean },
): Promise<string> {
  const page = await document.getPage(number);
  const reader = (page.streamTextContent() as ReadableStream<{ readonly items: readonly object[] }>).getReader();
  let text = "";
  try {
    while (text.length <= room && !isOver()) {
      const { done, value } = await reader.read();
      if (done) break;
      for (const item of value.items)
        if ("str" in item && typeof item.str === "string")
          text += item.str + ("hasEOL" in item && item.hasEOL === true ? "\n" : "");
    }
  } finally {
    await reader.cancel(new Error("enough was read")).catch(() => undefined);
    page.cleanup();
  }
  return text.trim();
}
