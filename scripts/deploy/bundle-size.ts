/** The size of the bundle to upload, and whether it is small enough to start fast everywhere. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

export interface BundleSize {
  readonly raw: number;
  /** Compressed, as the platform counts it. */
  readonly gzip: number;
}

/** 1.5 MB: half of the platform's smallest limit (3 MB compressed), so that growth is noticed early. Bytes. */
export const BUNDLE_LIMIT = 1_500_000;

/** Everything in the folder that is uploaded as code: without the source map and the readme that wrangler adds. */
export function bundleSize(folder: string): BundleSize {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/\.(map|md)$/.test(entry.name))
    .map((entry) => readFileSync(join(entry.parentPath, entry.name)));
  return {
    raw: files.reduce((sum, file) => sum + file.byteLength, 0),
    gzip: files.reduce((sum, file) => sum + gzipSync(file).byteLength, 0),
  };
}

export function isTooBig({ gzip }: BundleSize): boolean {
  return gzip > BUNDLE_LIMIT;
}

/** `Bundle: 812.4 KB, gzip 190.1 KB (gzip limit 1500 KB)`, in units of 1,000 bytes. */
export function describeSize({ raw, gzip }: BundleSize): string {
  return `Bundle: ${kilobytes(raw)}, gzip ${kilobytes(gzip)} (gzip limit ${BUNDLE_LIMIT / 1000} KB)`;
}

function kilobytes(bytes: number): string {
  return `${(bytes / 1000).toFixed(1)} KB`;
}
