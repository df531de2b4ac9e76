/** A folder keeps at most its listed faults, and a corrected one cannot return. */
import { expect, test } from "vitest";
import { folderOf, lowered, overRatchet } from "./prose-ratchet.ts";

const file = (path: string, count: number, isInterface = false) => ({
  path,
  faults: Array.from({ length: count }, (_, index) => ({ text: `${path}:${index + 1}: fault`, isInterface })),
});

test("a folder is the first two segments of a path", () => {
  expect(["README.md", "docs/a.md", "docs/reference/a.md", "console/src/chat/a.tsx"].map(folderOf)).toEqual([
    ".",
    "docs",
    "docs/reference",
    "console/src",
  ]);
});

test("as many faults as a folder lists pass, one more does not", () => {
  const files = [file("docs/a.md", 1), file("docs/b.md", 1)];
  expect(overRatchet(files, { docs: 2 })).toEqual([]);
  expect(overRatchet(files, { docs: 1 })).toEqual([
    "docs: 2 faults of grammar, 1 are allowed (scripts/check/prose-ratchet.json)",
    "docs/a.md:1: fault",
    "docs/b.md:1: fault",
  ]);
});

test("an unlisted folder, and the interface of every folder, must have no fault", () => {
  expect(overRatchet([file("shared/a.ts", 1)], { docs: 9 })).toHaveLength(2);
  expect(overRatchet([file("console/src/a.tsx", 1, true)], { "console/src": 9 })).toEqual([
    "console/src/a.tsx:1: fault",
  ]);
});

test("the numbers only fall, and a clean folder leaves the list", () => {
  const files = [file("docs/a.md", 3), file("sdk/src/a.ts", 9), file("sdk/src/b.ts", 1, true)];
  expect(lowered(files, { docs: 5, "sdk/src": 4, shared: 2 })).toEqual({ docs: 3, "sdk/src": 4 });
});
