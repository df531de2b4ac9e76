/** The limit of the bundle: which files count, and the value of the limit. */
import { randomBytes } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, expect, test } from "vitest";
import { BUNDLE_LIMIT, bundleSize, describeSize, isTooBig } from "./bundle-size.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "bundle-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test("code and modules count, the source map and the readme do not", () => {
  const code = Buffer.from("export default {};".repeat(100));
  const module = randomBytes(5000);
  writeFileSync(join(folder, "index.js"), code);
  mkdirSync(join(folder, "modules"));
  writeFileSync(join(folder, "modules/parser.wasm"), module);
  writeFileSync(join(folder, "index.js.map"), randomBytes(9000));
  writeFileSync(join(folder, "README.md"), randomBytes(9000));
  expect(bundleSize(folder)).toEqual({
    raw: code.byteLength + module.byteLength,
    gzip: gzipSync(code).byteLength + gzipSync(module).byteLength,
  });
});

test("the limit itself passes, one byte more does not, whatever the uncompressed size", () => {
  expect(isTooBig({ raw: BUNDLE_LIMIT * 10, gzip: BUNDLE_LIMIT })).toBe(false);
  expect(isTooBig({ raw: BUNDLE_LIMIT + 1, gzip: BUNDLE_LIMIT + 1 })).toBe(true);
});

test("the size is reported in kilobytes of a thousand bytes", () => {
  expect(describeSize({ raw: 812_350, gzip: 190_149 })).toBe("Bundle: 812.4 KB, gzip 190.1 KB (gzip limit 1500 KB)");
});
