/** Menu files that someone wrote to harm the gateway or its callers: each is refused in bounded time with a sentence and a line. */
import { expect, test } from "vitest";
import { faultsOf, orders, ordersWith } from "../../../test/support/ussd/programme/menu-files.ts";
import { FILE_BYTES } from "./read-menu-file.ts";

/** Milliseconds in which any file is refused, with room for a slow machine. */
const IN_TIME = 5_000;

const bomb = [
  "a: &a [x, x, x, x, x, x, x, x, x]",
  ..."bcdefghi".split("").map((name) => {
    const before = String.fromCharCode(name.charCodeAt(0) - 1);
    return `${name}: &${name} [${Array.from({ length: 9 }, () => `*${before}`).join(", ")}]`;
  }),
].join("\n");

const chain = (count: number): string =>
  ordersWith(
    "to: price }",
    `to: c0 }\n${Array.from(
      { length: count },
      (_, index) =>
        `  c${index}: { call: agent.find, save: { agentName: name }, to: ${index + 1 < count ? `c${index + 1}` : "price"}, failed: later }`,
    ).join("\n")}`,
  );

const many = (count: number, line: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => line(index)).join("\n");

const hostile: readonly (readonly [name: string, source: string, sentence: string | RegExp])[] = [
  ["250 KB of commas", `x: [${",".repeat(250_000)}`, "may have at most 20000 values"],
  ["125,000 comments", "#\n".repeat(125_000), "may have at most 20000 values"],
  ["a file of 1 MB", `${orders}# ${"x".repeat(1024 * 1024)}`, `the file may have ${FILE_BYTES} bytes`],
  ["a text of 200 KB", ordersWith("Order bags", "x".repeat(200_000)), "write at most 2000 characters"],
  ["many bytes in few characters", `# ${"\u{1f525}".repeat(70_000)}`, "bytes, and has 280002"],
  ["10,000 open brackets", `menu: ${"[".repeat(10_000)}`, "nested too deep"],
  ["10,000 nested lists", `menu: ${"- ".repeat(10_000)}x`, "nested too deep"],
  ["400 levels of indentation", many(400, (index) => `${" ".repeat(index)}a:`), "nested too deep"],
  ["JSON of 5,000 levels", `${'{"a":'.repeat(5_000)}1${"}".repeat(5_000)}`, "nested too deep"],
  ["a bomb of aliases", bomb, /must have no (?:aliases|anchors)/],
  ["an anchor", ordersWith("menu: 1", "menu: &one 1"), "line 2: the file must have no anchors"],
  ["an alias to itself", "menu: &a [*a]", /must have no (?:aliases|anchors)/],
  ["a tag that runs code elsewhere", ordersWith("menu: 1", "menu: !!js/function 'x'"), "the file must have no tags"],
  ["a tag of a set", "menu: !!set {a, b}", "the file must have no tags"],
  ["a merge key", ordersWith("menu: 1", "<<: { menu: 1 }\nmenu: 1"), '"<<" means nothing here'],
  ["a name twice", ordersWith("start: main", "start: main\nstart: bags"), "line 6: the file must not repeat a name"],
  [
    "a screen twice",
    ordersWith("  bye: { end: bye }", "  bye: { end: bye }\n  bye: { end: main }"),
    "not repeat a name",
  ],
  ["a name twice in JSON", '{"menu": 1, "menu": 2}', "line 1: the file must not repeat a name"],
  ["a list as a name", "? [a, b]\n: c", "must have names that are texts"],
  ["a second document", `${orders}\n---\nmenu: 1`, "is not YAML"],
  ["half a file", orders.slice(0, 700), /line \d+: /],
  ["no file", "", "must be a map of names to values"],
  ["a list", "- menu\n- file", "must be a map of names to values"],
  ["binary data", "\u0000\u0001\u0002PK\u0003\u0004", /^line 1: /],
  ["100,000 values", `x: [${"a,".repeat(60_000)}a]`, "may have at most 20000 values"],
  [
    "500 screens",
    ordersWith("screens:", `screens:\n${many(500, (index) => `  s${index}: { end: bye }`)}`),
    "at most 300",
  ],
  [
    "a screen named __proto__",
    ordersWith("  bye: { end", "  __proto__: { end: bye }\n  bye: { end"),
    "screens.__proto__",
  ],
  ["a way to constructor", ordersWith("to: placed\n", "to: constructor\n"), '"constructor", which is not a screen'],
  ["a text named toString", ordersWith("end: locked", "end: toString"), 'the text "toString", which does not exist'],
  ["a template that reads the PIN", ordersWith("Receipt {receipt}", "PIN {pin}"), "{pin}, which is not a value"],
  ["a PIN as a value", ordersWith("  qty: {", "  pin: { max: 6 }\n  qty: {"), "a PIN is never a value"],
  [
    "a PIN that is saved",
    ordersWith("to: place, locked", "to: place, save: note, locked"),
    '"save" means nothing here',
  ],
  ["a PIN asked for as text", ordersWith("Number for a call back:", "Enter your PIN:"), "asks for a PIN as data"],
  ["a template in a template", ordersWith("Receipt {receipt}", "Receipt {{receipt}}"), "has a brace"],
  [
    "a template that reads the prototype",
    ordersWith('{receipt}.", fr', '{constructor}.", fr'),
    "{constructor}, which is not a value",
  ],
  ["a write without a PIN", ordersWith("to: price }", "to: place }"), "writes without a PIN"],
  [
    "a write after another write's PIN",
    ordersWith("expired: { show: expired, back: main }", "expired: { show: expired, back: place }"),
    "writes without a PIN",
  ],
  ["calls in a circle", ordersWith("to: confirm, failed: later }", "to: confirm, failed: price }"), "runs in circles"],
  ["a chain of 40 calls", chain(40), "follow each other without a screen"],
  ["a secret in a service", ordersWith("order.quote: {", "order.quote: { secret: abc,"), '"secret" means nothing here'],
  [
    "an address of a service",
    ordersWith("order.quote: {", 'order.quote: { url: "http://10.0.0.1",'),
    '"url" means nothing',
  ],
  ["a script", ordersWith("back: none", "script: exec"), '"script" means nothing here'],
  ["control characters in a text", ordersWith("Order bags", '"Order\\u001b[2Jbags"'), "leave out control characters"],
  ["a key of the gateway", ordersWith("key: 4", "key: 98"), "write a key from 1 to 97"],
  ["a newer format", ordersWith("menu: 1", "menu: 2"), "this gateway reads format 1"],
];

test("there are at least 30 of them, and the file that they change is right", () => {
  expect(hostile.length).toBeGreaterThanOrEqual(30);
  expect(faultsOf(orders)).toEqual([]);
});

test.each(hostile)("%s is refused in time, with a line [PH-150, PH-158]", (_, source, sentence) => {
  const begin = performance.now();
  const faults = faultsOf(source);
  expect(performance.now() - begin).toBeLessThan(IN_TIME);
  expect(faults.length).toBeGreaterThan(0);
  expect(faults.length).toBeLessThanOrEqual(50);
  for (const fault of faults) expect(fault).toMatch(/^line \d+: /);
  for (const fault of faults) expect(fault.length).toBeLessThan(500);
  expect(faults.join("\n")).toMatch(sentence);
});
