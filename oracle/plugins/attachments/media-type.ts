/**
 * What a file is: the type that its sender declared, as far as the oracle reads it, and whether the bytes agree. The table
 * has exactly what is read; a file of any other type is not downloaded at all.
 */

import { FILE_BYTES, HTML_BYTES, IMAGE_BYTES, PDF_BYTES } from "./limits.ts";

/** How a file is read. */
export type Reading = "image" | "text" | "html" | "pdf";

/** How large a file may be, bytes, and why a larger one is not read, as the end of "could not be read: ...". */
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

/** Images that models of every service take. */
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

/** For the attribute `accept` of a file input. */
export const UPLOAD_TYPES: readonly string[] = [...IMAGES.keys(), "application/pdf", "text/*", ...HTML, ...TEXTS];

/** Type and subtype in lower case, without parameters. */
function essenceOf(mimetype: string): string {
  return (mimetype.split(";")[0] ?? "").trim().toLowerCase();
}

/** The parameter `charset`, UTF-8 without it. */
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

/** The type of an image as models know it. */
export function imageTypeOf(mimetype: string): string {
  const essence = essenceOf(mimetype);
  return IMAGES.get(essence) ?? essence;
}

const latin = (text: string): readonly number[] => Array.from(text, (sign) => sign.charCodeAt(0));

/** The bytes that a file of the type begins with; undefined: any byte. */
const SIGNATURES: readonly (readonly [type: string, bytes: readonly (number | undefined)[]])[] = [
  ["image/png", [0x89, ...latin("PNG\r\n"), 0x1a, 0x0a]],
  ["image/jpeg", [0xff, 0xd8, 0xff]],
  ["image/gif", latin("GIF87a")],
  ["image/gif", latin("GIF89a")],
  ["image/webp", [...latin("RIFF"), undefined, undefined, undefined, undefined, ...latin("WEBP")]],
  ["application/pdf", latin("%PDF-")],
];

/** The type that the first bytes show, of those in the table. */
function typeOfBytes(bytes: Uint8Array): string | undefined {
  return SIGNATURES.find(([, signature]) =>
    signature.every((byte, index) => byte === undefined || bytes[index] === byte),
  )?.[0];
}

/**
 * Whether the bytes can be what was declared. An image or a PDF begins with its signature; a text begins with none of the
 * table and holds no NUL, which its decoder could not tell from text. UTF-16 has NULs and says so at its beginning.
 */
export function agrees(mimetype: string, bytes: Uint8Array): boolean {
  const shown = typeOfBytes(bytes);
  const reading = readingOf(mimetype);
  if (reading === "image") return shown === imageTypeOf(mimetype);
  if (reading === "pdf") return shown === "application/pdf";
  return reading !== undefined && shown === undefined && (isUtf16(bytes) || !bytes.includes(0));
}

/** By its byte order mark. */
export function isUtf16(bytes: Uint8Array): boolean {
  const [first, second] = bytes;
  return (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
}
