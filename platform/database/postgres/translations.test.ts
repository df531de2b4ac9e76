/** The memory that translations take does not grow with the texts of callers. */
import { expect, test } from "vitest";
import { createTranslations } from "./translations.ts";

const textOf = (number: number) => `SELECT ${number}`.padEnd(100);

test("a text is translated once, and the oldest texts are forgotten at the bound", () => {
  const translations = createTranslations(11_000);
  const first = translations.of(textOf(0));
  expect(translations.of(textOf(0))).toBe(first);
  for (let number = 1; number < 100; number += 1) translations.of(textOf(number));
  expect(translations.kept).toBe(11_000);
  const last = translations.of(textOf(99));
  expect(translations.of(textOf(99))).toBe(last);
  expect(translations.of(textOf(0))).not.toBe(first);
});

test("a text beyond the bound is translated and not kept", () => {
  const translations = createTranslations(1_099);
  expect(translations.of(textOf(1)).writes).toBe(false);
  expect(translations.kept).toBe(0);
});
