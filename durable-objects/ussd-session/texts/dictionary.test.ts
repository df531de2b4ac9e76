import { expect, test } from "vitest";
import { SHORT_MESSAGE_SEPTETS } from "../screen/render.ts";
import { septetsOf } from "../../../shared/gsm7.ts";
import { isGsm7 } from "./characters.ts";
import { dictionaryOf, fill, LANGUAGES, LANGUAGE_NAMES, languageOf, type Dictionary } from "./dictionary.ts";

/** Every text of a dictionary under its path. */
function entries({ texts, messages, verification, info, notices }: Dictionary): ReadonlyMap<string, string> {
  const long = Object.entries(messages).map(([key, message]) => [`messages.${key}.long`, message.long] as const);
  const short = Object.entries(messages).map(([key, message]) => [`messages.${key}.short`, message.short] as const);
  const plain = Object.entries({ texts, verification, info, notices }).flatMap(([group, values]) =>
    Object.entries(values).map(([key, value]) => [`${group}.${key}`, value] as const),
  );
  return new Map([...plain, ...long, ...short]);
}

function placeholders(text: string): readonly string[] {
  return Array.from(text.matchAll(/\{(\w+)\}/g), ([, name]) => name ?? "").toSorted();
}

const english = entries(dictionaryOf("en"));

test.each(LANGUAGES)("%s has the keys and placeholders of English, in the GSM alphabet [PH-65]", (language) => {
  const own = entries(dictionaryOf(language));
  expect([...own.keys()].toSorted()).toEqual([...english.keys()].toSorted());
  for (const [key, text] of own) {
    expect(text.trim(), key).toBe(text);
    expect(text, key).not.toBe("");
    expect(isGsm7(text), `${key}: ${text}`).toBe(true);
    expect(placeholders(text), key).toEqual(placeholders(english.get(key) ?? ""));
    // Screens add the keys.
    expect(text, key).not.toMatch(/(?:^|\n)(?:\d+|\*)\./);
  }
});

test.each(LANGUAGES.filter((language) => language !== "en"))("%s differs from English", (language) => {
  const own = entries(dictionaryOf(language));
  const same = [...own].filter(([key, text]) => english.get(key) === text).map(([key]) => key);
  expect(same).toEqual(language === "fr" ? ["texts.services"] : []);
});

test.each(LANGUAGES)("every short message of %s fits its space, with the widest values [PH-72]", (language) => {
  const widest = { left: 10, minutes: 1440, used: 10, limit: 10, choices: "1, 2, 3 or 9", room: 39 };
  for (const [key, { short, long }] of Object.entries(dictionaryOf(language).messages)) {
    expect(septetsOf(fill(short, widest)), `${key}: ${short}`).toBeLessThanOrEqual(SHORT_MESSAGE_SEPTETS);
    expect(fill(long, widest), key).not.toMatch(/[{}]/);
  }
});

test("languages are found by the codes that other data uses [PH-65]", () => {
  expect(["eng", "swa", "fra", "por"].map(languageOf)).toEqual(["en", "sw", "fr", "pt"]);
  expect(["EN", "sw-TZ", "fr_CD", "pt-MZ"].map(languageOf)).toEqual(["en", "sw", "fr", "pt"]);
  expect(["", "de", "english", "constructor"].map(languageOf)).toEqual([undefined, undefined, undefined, undefined]);
  expect(Object.values(LANGUAGE_NAMES).every(isGsm7)).toBe(true);
});

test("every verification status of the registry has a wording, including Revoked [PH-45]", () => {
  expect(Object.keys(dictionaryOf("en").verification)).toEqual([
    "AwaitingVerification",
    "UnderVote",
    "Verified",
    "Rejected",
    "Revoked",
  ]);
  for (const language of LANGUAGES) expect(new Set(Object.values(dictionaryOf(language).verification)).size).toBe(5);
});

test.each([
  ["en", 1, "1 of 2 attempts used, 1 left.", "Locked for 1 minute."],
  ["en", 2, "1 of 3 attempts used, 2 left.", "Locked for 2 minutes."],
  ["sw", 1, "Umejaribu mara 1 kati ya 2; imebaki mara 1.", "kwa dakika 1."],
  ["sw", 2, "Umejaribu mara 1 kati ya 3; zimebaki mara 2.", "kwa dakika 2."],
  ["fr", 1, "Essai 1 sur 2, il en reste 1.", "pendant 1 minute."],
  ["fr", 2, "Essai 1 sur 3, il en reste 2.", "pendant 2 minutes."],
  ["pt", 1, "Tentativa 1 de 2, resta 1.", "por 1 minuto."],
  ["pt", 2, "Tentativa 1 de 3, restam 2.", "por 2 minutos."],
] as const)("words of %s agree with the number %i", (language, left, attempts, lock) => {
  const { messages } = dictionaryOf(language);
  const values = { used: 1, limit: left + 1, left, minutes: left };
  expect(fill(messages.wrongLogin.long, values)).toContain(attempts);
  expect(fill(messages.locked.long, values)).toContain(lock);
});
