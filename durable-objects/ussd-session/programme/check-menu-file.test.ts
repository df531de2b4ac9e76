/** The checks of a menu file, each at its edge. Every fault names its line, and the screen, language and count that it has. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { faultsOf, orders, ordersWith, programmeFrom } from "../../../test/support/ussd/programme/menu-files.ts";
import { checkMenuFile } from "./check-menu-file.ts";

function only(source: string): string {
  const faults = faultsOf(source);
  expect(faults).toHaveLength(1);
  return faults[0] ?? "";
}

test("a file of YAML and the same file as JSON are equal [PH-150]", () => {
  const asJson = JSON.stringify(
    {
      menu: 1,
      programme: "p",
      languages: ["en"],
      start: "a",
      texts: { hi: { en: "Hi" }, bye: { en: "Bye" } },
      screens,
    },
    null,
    "\t",
  );
  expect(faultsOf(asJson)).toEqual([]);
  const asYaml = `menu: 1
programme: p
languages: [en]
start: a
texts: { hi: { en: Hi }, bye: { en: Bye } }
screens:
  a: { menu: hi, options: [{ key: 1, text: bye, to: b }] }
  b: { end: bye }
`;
  expect(programmeFrom(asYaml)).toEqual(programmeFrom(asJson));
});

const screens = { a: { menu: "hi", options: [{ key: 1, text: "bye", to: "b" }] }, b: { end: "bye" } };

describe("ways [PH-152]", () => {
  test.each([
    [
      "an option that leads nowhere [PH-152]",
      "to: serial, when",
      "to: nowhere, when",
      'screen main: leads to "nowhere", which is not a screen',
    ],
    [
      "a start that needs a login [PH-152]",
      "start: main",
      "start: bags",
      "screen bags: must be a menu or show for every caller",
    ],
    ["an exit that does not end [PH-152]", "exit: bye", "exit: later", "is not a screen of the kind end"],
    [
      "a screen that no way reaches [PH-152]",
      "  bye: { end: bye }",
      "  bye: { end: bye }\n  lost: { end: bye }",
      "screen lost: no way leads to it",
    ],
    ["a key twice [PH-152]", "key: 2, text: fault", "key: 1, text: fault", "screen main: repeats the key 1"],
    [
      "a call without a way for failure [PH-155]",
      "to: confirm, failed: later }",
      "to: confirm }",
      "screen price: failed: is missing",
    ],
    [
      "two kinds at once [PH-150]",
      "bye: { end: bye }",
      "bye: { end: bye, menu: bye }",
      "screen bye: has menu and end; name one kind",
    ],
    [
      "no kind [PH-150]",
      "bye: { end: bye }",
      "bye: { text: bye }",
      "screen bye: name its kind: menu, ask, call, show, end, go",
    ],
    ["an unknown part [PH-150]", "go: login", "go: shell", "screen login: go takes login, create-account"],
    ["a role that the file does not have [PH-152]", "roles: [agent]", "roles: [clerk]", '"agent" is not a role'],
  ])("%s", (_, before, after, sentence) => {
    expect(faultsOf(ordersWith(before, after)).join("\n")).toContain(sentence);
  });

  test("screens that only lead to each other cannot end [PH-152]", () => {
    const trap = ordersWith(
      "placed: { show: placed, back: main }",
      "placed: { show: placed, back: trap }\n  trap: { show: placed, back: placed }",
    );
    expect(
      faultsOf(trap)
        .filter((fault) => fault.includes("cannot end"))
        .map((fault) => fault.slice(0, 24)),
    ).toEqual([expect.stringContaining("screen placed"), expect.stringContaining("screen trap")]);
  });
});

describe("texts [PH-153]", () => {
  test.each([
    ["a text that lacks a language [PH-153]", ", fr: Du bruit }", " }", 'fr: the text "noise" is missing'],
    ["a language that the file does not list [PH-153]", "languages: [en, fr]", "languages: [en]", "fr: the text"],
    [
      "a placeholder that one language lacks [PH-153]",
      "Reçu {receipt}.",
      "Merci.",
      'fr: the text "placed" lacks {receipt}',
    ],
    [
      "a text that no screen uses [PH-153]",
      "  bye: { en: Goodbye.",
      "  other: { en: A, fr: B }\n  bye: { en: Goodbye.",
      'no screen uses the text "other"',
    ],
    [
      "a value before it is set [PH-153]",
      "Order bags, fr: Commander",
      '"Order {qty}", fr: "{qty}"',
      "screen main: shows {qty}, which is not set on every way here",
    ],
    [
      "a person's name without a login [PH-153]",
      'Hello from {app}", fr: "Bonjour de {app}',
      'Hello {name}", fr: "Bonjour {name}',
      "shows {name}, which only a screen with login: true has",
    ],
    [
      "a number that may not be configured [PH-153]",
      '{support?Contact support.}", fr: "Trop d\'essais. {support?Contactez-nous.}',
      '{support}", fr: "{support}',
      "write {support?a text without it}",
    ],
    [
      "a language that the gateway does not have, without its phrases [PH-153]",
      "languages: [en, fr]",
      "languages: [en, fr, bem]",
      "bem: the gateway has no texts in it",
    ],
  ])("%s", (_, before, after, sentence) => {
    expect(faultsOf(ordersWith(before, after)).join("\n")).toContain(sentence);
  });
});

describe("widths [PH-154]", () => {
  const sized = (length: number, character = "x"): string =>
    ordersWith("How many bags (1 to 10)?", character.repeat(length)).replace(
      /see: (?:How many|Enter a number from 1 to 10\.)/g,
      "screen: bags",
    );

  test("a question has 129 septets in English, and no more: its prefix, the way back and a message need 31 [PH-154]", () => {
    expect(faultsOf(sized(129))).toEqual([]);
    expect(only(sized(130))).toMatch(
      /^line \d+: screen bags, en: 161 of 160 septets, with its prefix and room for a short message$/,
    );
    expect(checkMenuFile(sized(130))).toMatchObject({
      error: [{ screen: "bags", language: "en", count: 161 }],
    });
  });

  test("outside the alphabet of phones it has 70 characters with its prefix and the way back [PH-154]", () => {
    expect(faultsOf(sized(58, "农"))).toEqual([]);
    expect(only(sized(59, "农"))).toContain("screen bags, en: 71 of 70 UCS-2 characters, with its prefix");
  });

  test("the widest value counts, not the usual one [PH-154]", () => {
    const wide = ordersWith("receipt: { max: 12 }", "receipt: { max: 500 }");
    // A screen of the kind show takes pages.
    expect(faultsOf(wide)).toEqual([]);
    const asMenu = wide.replace(
      "placed: { show: placed, back: main }",
      "placed: { menu: placed, options: [{ key: 1, text: order, to: bags }] }",
    );
    expect(faultsOf(asMenu).join("\n")).toMatch(/screen placed, en: \d+ of 160 septets/);
    expect(faultsOf(asMenu.replace("menu: placed,", "menu: placed, pages: true,"))).toEqual([]);
  });

  test("a value that may be outside the alphabet is checked so [PH-154]", () => {
    expect(faultsOf(ordersWith("note: { max: 20,", "note: { max: 60,")).join("\n")).toMatch(
      /screen sure, en: \d+ of 70 UCS-2 characters/,
    );
  });

  test("an end is one page [PH-154]", () => {
    expect(
      faultsOf(ordersWith("Goodbye.", "x".repeat(156)).replace("exact: END Goodbye.", "ends: true")),
    ).not.toContain("septets");
    expect(faultsOf(ordersWith("Goodbye.", "x".repeat(157))).join("\n")).toContain(
      "screen bye, en: 161 of 160 septets",
    );
  });

  test("a text may take ten pages [PH-154]", () => {
    expect(only(ordersWith("Ordered. Receipt {receipt}.", `${"word ".repeat(390)}{receipt}`))).toMatch(
      /screen placed, en: takes \d+ pages; at most 10 may be/,
    );
  });

  test("an option is never cut, even where pages are allowed [PH-154]", () => {
    const long = ordersWith(
      "placed: { show: placed, back: main }",
      "placed: { show: placed, back: main, options: [{ key: 1, text: describe, to: main }] }",
    );
    expect(faultsOf(long)).toEqual([]);
    expect(faultsOf(long.replace("Describe it, or skip:", "x".repeat(200))).join("\n")).toContain(
      "the option 1 is too long",
    );
  });
});

describe("calls and PINs", () => {
  test.each([
    [
      "a service that the file does not have [PH-155]",
      "place:\n    call: order.create",
      "place:\n    call: order.delete",
      'calls "order.delete"',
    ],
    [
      "a member that the service does not take [PH-155]",
      'with: { qty: "{qty}" }',
      'with: { qty: "{qty}", x: y }',
      'sends "x", which the service does not take',
    ],
    ["a member that is missing [PH-155]", 'with: { quote: "{quote}" }', "with: {}", 'must send "quote"'],
    [
      "an answer that the service does not give [PH-155]",
      "save: { receipt: receipt }",
      "save: { receipt: number }",
      'reads "number", which the answer does not have',
    ],
    [
      "a value that is too narrow for its question [PH-155]",
      "qty: { max: 2 }",
      "qty: { max: 1 }",
      'saves up to 2 septets in "qty", which has 1',
    ],
    [
      "a number that begins at 0, which means back [PH-161]",
      "min: 1, max: 10, save: qty",
      "min: 0, max: 10, save: qty",
      "0 means back on every phone",
    ],
    [
      "a shortened value that is sent [PH-155]",
      "quote: { max: 36 }",
      "quote: { max: 36, cut: true }",
      "which may be shortened",
    ],
  ])("%s is refused", (_, before, after, sentence) => {
    expect(faultsOf(ordersWith(before, after)).join("\n")).toContain(sentence);
  });

  test("a PIN is asked for only after a login, whose customer it belongs to [PH-155]", () => {
    expect(faultsOf(ordersWith("confirm: { ask: pin, login: true,", "confirm: { ask: pin,")).join("\n")).toContain(
      "screen confirm: asks for the PIN of a customer: write login: true",
    );
  });

  test("a write needs a PIN on every way, and the fault names the way without one [PH-155]", () => {
    const around = ordersWith(
      "{ key: 2, text: noise, value: noise }",
      "{ key: 2, text: noise, value: noise, to: report }",
    );
    expect(faultsOf(around).join("\n")).toContain('screen report: writes without a PIN: "whatKind" leads here');
  });

  test("a screen between PIN and write ends the confirmation; a read does not [PH-155]", () => {
    const read = ordersWith("text: confirm, to: place,", "text: confirm, to: check,").replace(
      "  placed: { show",
      "  check: { call: agent.find, save: { agentName: name }, to: place, failed: later }\n  placed: { show",
    );
    expect(faultsOf(read).filter((fault) => fault.includes("without a PIN"))).toEqual([]);
    const shown = ordersWith("text: confirm, to: place,", "text: confirm, to: check,").replace(
      "  placed: { show",
      "  check: { menu: placed, options: [{ key: 1, text: order, to: place }] }\n  placed: { show",
    );
    expect(faultsOf(shown).join("\n")).toContain('writes without a PIN: "check" leads here');
  });

  test("only ask: pin asks for a PIN, whatever the language [PH-156]", () => {
    expect(only(ordersWith("Numéro pour vous rappeler :", "Votre code PIN :"))).toContain(
      "screen callBack, fr: asks for a PIN as data: use ask: pin",
    );
    expect(faultsOf(ordersWith("Number for a call back:", "Pinned number:"))).toEqual([]);
  });
});

describe("tests of the file [PH-157]", () => {
  test.each([
    [
      "a reply that differs [PH-157]",
      "see: How many",
      "see: How much",
      'test "order two bags", step 2: the reply does not contain "How much"',
    ],
    [
      "a call that is not made [PH-157]",
      "calls: [order.create]",
      "calls: [order.quote]",
      "step 6: it calls order.create, not order.quote",
    ],
    ["another screen [PH-157]", "screen: expired }", "screen: later }", "the screen is expired, not later"],
    [
      "a call without an answer in the test [PH-157]",
      "order.create: { error: quoteHasExpired }",
      "agent.find: { error: x }",
      "the test has no answer of order.create",
    ],
    [
      "a call that does not end [PH-157]",
      'type: "*", ends: true, exact: END Goodbye.',
      "type: 0, ends: true",
      "the call does not end",
    ],
  ])("%s is a fault of the file", (_, before, after, sentence) => {
    expect(faultsOf(ordersWith(before, after)).join("\n")).toContain(sentence);
  });

  test("a right file reports how many passed [PH-157]", () => {
    expect(checkMenuFile(orders)).toMatchObject({ ok: true, value: { tests: 2 } });
  });
});

test("the sample of docs/menu-files.md has no fault, and passes its test [PH-157]", () => {
  const page = readFileSync(join(import.meta.dirname, "../../../docs/menu-files.md"), "utf8");
  const [, sample = ""] = /^```yaml\n([^]*?)^```$/m.exec(page) ?? [];
  expect(faultsOf(sample)).toEqual([]);
  expect(checkMenuFile(sample)).toMatchObject({ ok: true, value: { tests: 1 } });
});
