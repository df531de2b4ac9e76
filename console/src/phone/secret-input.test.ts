/** PINs are recognised at the real screens, in each language of the service. */
import { expect, test } from "vitest";
import { dictionaryOf, LANGUAGES } from "../../../durable-objects/ussd-session/texts/dictionary.ts";
import { asksForPin, rememberSecrets, MASK, withoutSecrets } from "./secret-input.ts";

const prompts = [
  "pinPrompt",
  "createPinPrompt",
  "confirmPinPrompt",
  "currentPinPrompt",
  "newPinPrompt",
  "confirmNewPinPrompt",
] as const;

const masked = (input: string, screen: string): string => withoutSecrets(input, screen, () => MASK);

test.each(LANGUAGES)("every prompt for a PIN in %s asks for a secret [CN-113]", (language) => {
  const { texts } = dictionaryOf(language);
  for (const name of prompts) {
    const screen = `${texts[name]}\n0. ${texts.back}`;
    expect([name, asksForPin(screen), masked(" my pin", screen)]).toEqual([name, true, MASK]);
    expect(masked("0", screen)).toBe("0");
  }
  expect(asksForPin(`${texts.services}\n4. ${texts.changePin}\n0. ${texts.back}`)).toBe(false);
});

test.each([
  ["1234", MASK],
  ["123456", MASK],
  [" 43219 ", ` ${MASK} `],
  ["2*1*C1A2B3C4DX*43219", `2*1*C1A2B3C4DX*${MASK}`],
  ["my PIN is 43219, why?", `my PIN is ${MASK}, why?`],
  ["123", "123"],
  ["1234567", "1234567"],
  ["John Doe", "John Doe"],
  ["C1A2B3C4D5", "C1A2B3C4D5"],
  ["é1234", "é1234"],
  ["+260971230001", "+260971230001"],
])("typed anywhere, %j is stored as %j [CN-113]", (input, kept) => {
  expect(masked(input, "Enter your full name:\n0. Back")).toBe(kept);
});

test("a typed PIN is masked in replies, and nothing else is [CN-113]", () => {
  const { typed, shown } = rememberSecrets((index) => `{${index}}`);
  expect(typed("43219*86420*43219", "")).toBe("{0}*{1}*{0}");
  expect(shown("43219 is wrong, 2026 and C43219A are not 86420")).toBe("{0} is wrong, 2026 and C43219A are not {1}");
});

test("text typed at a PIN prompt is masked in replies, even if it does not look like a PIN [CN-184]", () => {
  const { typed, shown } = rememberSecrets((index) => `{${index}}`);
  for (const secret of ["1234567", "my pin", "1"]) typed(secret, "Enter your PIN:");
  expect(shown("1234567 is no PIN, my pin is none, 1. Back")).toBe("{0} is no PIN, {1} is none, 1. Back");
});
