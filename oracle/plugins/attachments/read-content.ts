/** Checks a file's bytes against the declared type, then reads them as that type. */
import { failure, success, type Result } from "../../../platform/result.ts";
import type { Content, NamedFile } from "./content.ts";
import { textOfHtml } from "./html-text.ts";
import { TEXT_LENGTH } from "./limits.ts";
import { agrees, imageTypeOf, readingOf, SIZE_LIMITS, type Reading } from "./media-type.ts";
import { textOfPdf } from "./pdf-text.ts";
import { textOfFile, withoutControls } from "./read-text.ts";
import { inSlices, startDeadline, TOO_LONG, type WorkTime } from "./work-slices.ts";

/** The error says why, as the end of "could not be read: ...". */
export async function readContent(
  { mimetype }: Pick<NamedFile, "mimetype">,
  bytes: Uint8Array<ArrayBuffer>,
  time: WorkTime,
): Promise<Content> {
  if (!agrees(mimetype, bytes)) return failed("its content does not match its type");
  const reading = readingOf(mimetype);
  if (reading === "image") {
    if (bytes.byteLength > SIZE_LIMITS.image.bytes) return failed(SIZE_LIMITS.image.reason);
    const size = bytes.byteLength;
    return { kind: "image", mediaType: imageTypeOf(mimetype), size, isHeld: true, bytes: () => Promise.resolve(bytes) };
  }
  const read = await textOf(reading, mimetype, bytes, time);
  if (!read.ok) return failed(read.error);
  const text = read.value.slice(0, TEXT_LENGTH).toWellFormed();
  return text.trim() === ""
    ? failed("it contains no text")
    : { kind: "text", text, omitted: read.value.length - text.length };
}

async function textOf(
  reading: Exclude<Reading, "image"> | undefined,
  mimetype: string,
  bytes: Uint8Array<ArrayBuffer>,
  time: WorkTime,
): Promise<Result<string, string>> {
  if (reading === undefined) return failure("files of its type are not read");
  const deadline = startDeadline(time);
  if (reading === "pdf") {
    const read = await textOfPdf(bytes, TEXT_LENGTH, deadline);
    return read.ok ? success(withoutControls(read.value)) : read;
  }
  const work = reading === "html" ? textOfHtml : textOfFile;
  return (await inSlices(work(mimetype, bytes, TEXT_LENGTH), deadline)) ?? failure(TOO_LONG);
}

function failed(reason: string): Content {
  return { kind: "failed", reason };
}
