/** A language that the gateway does not have: its phrases come from the file. */
import { expect, test } from "vitest";
import { factsOf, faultsOf, programmeFrom } from "../../../test/support/ussd/programme/menu-files.ts";
import { enterInput, startProgramme } from "./interpreter.ts";
import { replyOf } from "./reply.ts";

const messages = [
  "invalidSelection",
  "empty",
  "tooLong",
  "questionTooShort",
  "nameFormat",
  "emailFormat",
  "notNumber",
  "notDate",
  "notPhone",
  "notDigits",
  "loginPinFormat",
  "wrongPin",
  "locked",
  "loginAgain",
  "menuUpdated",
  "unavailable",
];

function fileWith(changes: Readonly<Record<string, unknown>> = {}): string {
  const phrases = {
    name: "Icibemba",
    back: "Ukubwelela",
    exit: "Ukufuma",
    more: "Na fimbi",
    skip: "Cilukeni",
    or: "nangu",
    cutMark: "(..)",
    wait: "Loleleni panono.",
    checkAgain: "Moneni na kabili",
    goodbye: "Shalenipo.",
    messages: Object.fromEntries(messages.map((key) => [key, { long: `Long ${key}`, short: "Short" }])),
    ...changes,
  };
  return JSON.stringify({
    menu: 1,
    programme: "p",
    languages: ["en", "bem"],
    start: "main",
    texts: {
      main: { en: "Welcome", bem: "Mwaiseni" },
      next: { en: "Next", bem: "Ifikonkelepo" },
      page: { en: "a word ".repeat(40), bem: "ishiwi ".repeat(40) },
    },
    phrases: { bem: phrases },
    screens: {
      main: { menu: "main", back: "none", exit: "always", options: [{ key: 1, text: "next", to: "page" }] },
      page: { show: "page" },
    },
  });
}

test("its screens, keys and reasons are in that language [PH-153, PH-160]", () => {
  const programme = programmeFrom(fileWith());
  const facts = factsOf();
  const limit = { septets: 160, countPrefix: true };
  const start = startProgramme(programme, "bem", facts);
  const reply = (step: typeof start): string => replyOf(programme, step.state, facts, limit).body;
  expect(reply(start)).toBe("Mwaiseni\n1. Ifikonkelepo\n*. Ukufuma");
  expect(reply(enterInput(programme, start.state, "7", facts, limit))).toContain("Long invalidSelection\n\nMwaiseni");
  expect(reply(enterInput(programme, start.state, "1", facts, limit))).toContain("\n98. Na fimbi\n0. Ukubwelela");
  expect(reply(enterInput(programme, start.state, "*", facts, limit))).toBe("Shalenipo.");
});

test("a language that the file does not have gets its first one [PH-160]", () => {
  expect(startProgramme(programmeFrom(fileWith()), "sw", factsOf()).state.language).toBe("en");
});

test.each([
  [{ back: undefined }, "phrases.bem.back: is missing"],
  [{ messages: {} }, "phrases.bem.messages.invalidSelection: is missing"],
  [
    { messages: Object.fromEntries(messages.map((key) => [key, { long: "Long", short: "[[[[[[[[[[" }])) },
    "bem: has 20 of 18 septets",
  ],
])("phrases %j are refused [PH-153]", (changes, sentence) => {
  expect(faultsOf(fileWith(changes)).join("\n")).toContain(sentence);
});
