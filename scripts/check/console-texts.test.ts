/** Where words of the console are looked for, and that none stands outside of its texts. */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { projectRoot } from "../run-command.ts";
import { textFaults } from "./console-texts.ts";

const wordsFound = (jsx: string): readonly string[] =>
  textFaults("a.tsx", `export const a = ${jsx};`).map((fault) => /"(.*)"/.exec(fault)?.[1] ?? fault);

test("every text of the console's own stands in console/src/texts [CN-20]", () => {
  const paths = globSync("console/src/**/*.tsx", { cwd: projectRoot, exclude: ["**/*.test.tsx"] });
  expect(paths.length).toBeGreaterThan(0);
  expect(paths.flatMap((path) => textFaults(path, readFileSync(join(projectRoot, path), "utf8")))).toEqual([]);
});

test.each([
  ["<p>Open votes</p>", ["Open votes"]],
  ["<p>{count} days</p>", ["days"]],
  ['<p>{"Saved"}</p>', ["Saved"]],
  ['<><b>{isOpen ? "Open" : "Closed"}</b></>', ["Open", "Closed"]],
  ["<p>{`${count} days`}</p>", ["days"]],
  ['<p>{name ?? "Unknown"}</p>', ["Unknown"]],
  ['<p>{"Age: " + age}</p>', ["Age:"]],
  ['<button aria-label="Close" />', ["Close"]],
  ['<input placeholder={"Search"} title={`Find ${what}`} />', ["Search", "Find"]],
  ['<img alt="A house" />', ["A house"]],
  ['<Field label="Name" />', ["Name"]],
])("%s holds words", (jsx, words) => {
  expect(wordsFound(jsx)).toEqual(words);
});

test.each([
  "<p>{texts.open}</p>",
  "<p>{texts.days(count)} · {age}</p>",
  '<p>{status === "open" ? texts.open : texts.closed}</p>',
  '<p className="lead" id="a">{items.map((item) => item.name).join(", ")}</p>',
  '<button aria-label={kind === "verify" ? texts.verify : texts.revoke} type="button" />',
  '<img alt="" />',
  "<p>1 / 2</p>",
])("%s holds none", (jsx) => {
  expect(wordsFound(jsx)).toEqual([]);
});

test("a fault says where it is, and what cannot be read is one", () => {
  expect(textFaults("a.tsx", "export const a = (\n  <p>Hello</p>\n);")).toEqual([
    'a.tsx:2: "Hello" belongs into console/src/texts/',
  ]);
  expect(textFaults("a.tsx", "export const a = <p>")).toHaveLength(1);
});
