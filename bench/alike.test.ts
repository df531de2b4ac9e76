import { expect, test } from "vitest";
import { assertAlike } from "./alike.ts";

const worker = (name: string, port: number, more: object = {}) => ({
  name,
  compatibilityDate: "2026-11-01",
  compatibilityFlags: ["nodejs_compat"],
  bindings: { NAME: name },
  unsafeDirectSockets: [{ host: "127.0.0.1", port }],
  assets: { directory: "dist/assets", binding: "ASSETS" },
  ...more,
});

test("Workers may differ in code, data, settings and port", () => {
  expect(() => assertAlike([])).not.toThrow();
  expect(() =>
    assertAlike([worker("ours", 1), worker("bare", 2, { d1Databases: { DATABASE: "bare" } })]),
  ).not.toThrow();
});

test.each([
  ["assets", { assets: undefined }],
  ["compatibilityFlags", { compatibilityFlags: [] }],
  ["compatibilityDate", { compatibilityDate: "2026-01-01" }],
  ["unsafeDirectSockets", { unsafeDirectSockets: [] }],
  ["limits", { limits: {} }],
])("a difference in %s is refused by name", (member, change) => {
  const refused = `the Workers ours and bare differ in ${member}: give both the same`;
  expect(() => assertAlike([worker("ours", 1), worker("too", 2), worker("bare", 3, change)])).toThrow(refused);
  expect(() => assertAlike([worker("ours", 3, change), worker("bare", 1)])).toThrow(refused);
});
