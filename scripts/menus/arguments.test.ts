/** The command line of `npm run menus`. */
import { expect, test } from "vitest";
import { menusCommand } from "./arguments.ts";

const parse = (words: readonly string[]) => menusCommand.parse(words, {});

test.each([
  [["check", "a.yaml"], { kind: "check", file: "a.yaml" }],
  [["test", "a.json"], { kind: "test", file: "a.json" }],
  [["export", "a.yaml", "--po", "--language", "sw"], { kind: "export", file: "a.yaml", language: "sw" }],
  [["import", "a.yaml", "--po", "sw.po"], { kind: "import", file: "a.yaml", po: "sw.po" }],
])("%j is a command [PH-163]", (words, task) => {
  expect(parse(words)).toEqual(task);
});

test.each([
  [[], "name a command: check, test, export or import"],
  [["check"], "check takes a menu file"],
  [["check", "a", "b"], "name one file"],
  [["check", "a", "--po"], "--po goes with export and import"],
  [["test", "a", "--language", "sw"], "--language goes with export"],
  [["export", "a"], "export takes --po"],
  [["export", "a", "--po"], "export takes --language"],
  [["import", "a", "b"], "import takes a menu file, --po and a PO file"],
])("%j is refused with a sentence [PH-163]", (words, sentence) => {
  expect(parse(words)).toMatchObject({ message: expect.stringContaining(sentence) });
});
