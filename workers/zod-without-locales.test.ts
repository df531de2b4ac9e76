import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { z } from "./zod-without-locales.ts";

test("has each member of z that @ai-sdk/openai-compatible uses", () => {
  const path = fileURLToPath(import.meta.resolve("@ai-sdk/openai-compatible"));
  const used = [...readFileSync(path, "utf8").matchAll(/\bz\.(\w+)/g)].map(([, name = ""]) => name);
  expect([...new Set(used)].toSorted()).toEqual(Object.keys(z).toSorted());
  expect(z.enum(["a"]).safeParse("b").error?.issues[0]?.message).toBe('Invalid input: expected "a"');
});
