/**
 * The type of a file: the declared type, if the oracle reads it, and whether the bytes match. The table lists the types that are
 * read; a file of any other type is not downloaded.
 */

import { FILE_BYTES, HTML_BYTES, IMAGE_BYTES, PDF_BYTES } from "./limits.ts";

/** How a file is read. */
export type Reading = "image" | "text" | "html" | "pdf";

/** Maximum file size, bytes, and the reason for a larger file, as the end of "could not be read: ...". */
export interface SizeLimit {
  readonly bytes: number;
  readonly reason: string;
}

const MEGABYTE = 1_000_000;

export const SIZE_LIMITS: Readonly<Record<Reading, SizeLimit>> = {
  image: { bytes: IMAGE_BYTES, reason: `images are read up to ${IMAGE_BYTES / MEGABYTE} MB` },
  html: { bytes: HTML_BYTES, reason: `pages of HTML are read up to ${HTML_BYTES / MEGABYTE} MB` },
  pdf: { bytes: PDF_BYTES, reason: `PDFs are read up to ${PDF_BYTES / MEGABYTE} MB` },
  text: { bytes: FILE_BYTES, reason: `it is larger than ${FILE_BYTES / MEGABYTE} MB` },
};

/** Image types that the models of every service accept. */
const IMAGES: ReadonlyMap<string, string> = new Map([
  ["image/png", "image/png"],
  ["image/jpeg", "image/jpeg"],
  ["image/jpg", "image/jpeg"],
  ["image/gif", "image/gif"],
  ["image/webp", "image/webp"],
]);

const TEXTS: ReadonlySet<string> = new Set([
  "application/json",
  "application/ld+json",
  "application/geo+json",
  "application/x-ndjson",
  "application/csv",
  "application/xml",
  "application/yaml",
  "application/x-yaml",
  "application/toml",
]);

const HTML: ReadonlySet<string> = new Set(["text/html", "application/xhtml+xml"]);

/** Value of the attribute `accept` of a file input. */
export const UPLOAD_TYPES: readonly string[] = [...IMAGES.keys(), "application/pdf", "text/*", ...HTML, ...TEXTS];

/** Type and subtype in lower case, without parameters. */
function essenceOf(mimetype: string): string {
  return (mimetype.split(";")[0] ?? "").trim().toLowerCase();
}

/** The parameter `charset`; UTF-8 by default. */
export function charsetOf(mimetype: string): string {
  return /;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(mimetype)?.[1] ?? "utf-8";
}

/** Undefined for a type that is not read. */
export function readingOf(mimetype: string): Reading | undefined {
  const essence = essenceOf(mimetype);
  if (IMAGES.has(essence)) return "image";
  if (essence === "application/pdf") return "pdf";
  if (HTML.has(essence)) return "html";
  return essence.startsWith("text/") || TEXTS.has(essence) ? "text" : undefined;
}

/** The image type in models' spelling. */
export function imageTypeOf(mimetype: string): string {
  const essence = essenceOf(mimetype);
  return IMAGES.get(essence) ?? essence;
}

const latin = (text: string): readonly number[] => Array.from(text, (sign) => sign.charCodeAt(0));

/** The first bytes of a file of the type; undefined matches any byte. */
const SIGNATURES: readonly (readonly [type: string, bytes: readonly (number | undefined)[]])[] = [
  ["image/png", [0x89, ...latin("PNG\r\n"), 0x1a, 0x0a]],
  ["image/jpeg", [0xff, 0xd8, 0xff]],
  ["image/gif", latin("GIF87a")],
  ["image/gif", latin("GIF89a")],
  ["image/webp", [...latin("RIFF"), undefined, undefined, undefined, undefined, ...latin("WEBP")]],
  ["application/pdf", latin("%PDF-")],
];

/** The type in the table that matches the first bytes. */
function typeOfBytes(bytes: Uint8Array): string | undefined {
  return SIGNATURES.find(([, signature]) =>
    signature.every((byte, index) => byte === undefined || bytes[index] === byte),
  )?.[0];
}

/**
 * Whether the bytes can have the declared type. An image or a PDF begins with its signature. A text begins with no signature of the
 * table and contains no NUL, which its decoder would keep as text. UTF-16 contains NULs and begins with a byte order mark.
 */
export function agrees(mimetype: string, bytes: Uint8Array): boolean {
  const shown = typeOfBytes(bytes);
  const reading = readingOf(mimetype);
  if (reading === "image") return shown === imageTypeOf(mimetype);
  if (reading === "pdf") return shown === "application/pdf";
  return reading !== undefined && shown === undefined && (isUtf16(bytes) || !bytes.includes(0));
}

/** Recognised by its byte order mark. */
export function isUtf16(bytes: Uint8Array): boolean {
  const [first, second] = bytes;
  return (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
}
