/** Foreign grammar is refused in documents, comments, interface texts and test names; code, quotations and questions pass. */
import { expect, test } from "vitest";
import { proseFaults } from "./prose.ts";

test.each([
  "What is due is stored first.",
  "Who has the key can do all.",
  "Whoever has the key can do all.",
  "Of a call that was denied the model reads why.",
  "To a second tab the draft is not shown.",
  "The time of a run and that of a turn.",
  "A longer input is none.",
  "The turn goes on.",
  "The page says so.",
  "The rule stands in the reference.",
  "The key lies in storage.",
  "The reader starts behind the cursor.",
  "No browser shall read it.",
  "Nobody answers.",
  "Mend the file.",
  "Refused, also after a restart.",
  "It is sent all the same.",
  "The call is not open any more.",
  "A list of its own.",
  "The page loads by itself.",
])("refused: %s", (sentence) => {
  expect(proseFaults("docs/page.md", `# Page\n\n${sentence}\n`)).toEqual([
    expect.stringMatching(/^docs\/page\.md:3: "/),
  ]);
});

test.each([
  "What is a domain?",
  "The server stands in for a provider, and USSD stands for a protocol.",
  "There are none yet.",
  "A server behind a proxy.",
  "The record of each of them.",
  "The page also lists the keys.",
  "To end a call, press the red key.",
  'Never write "nobody" or `any more`.',
  "```\nNobody answers.\n```",
  "> Nobody answers.",
  "See [the page](docs/nobody-else.md).",
])("allowed: %s", (sentence) => {
  expect(proseFaults("docs/page.md", `${sentence}\n`)).toEqual([]);
});

test("a sentence that continues on the next line is reported at its first word", () => {
  expect(proseFaults("docs/page.md", "First.\n\nIt is\nWhat is due\nis stored. Nobody\nanswers.\n")).toEqual([
    'docs/page.md:5: "Nobody": say it positively, or name who',
  ]);
});

test("table cells and list items are checked one by one", () => {
  expect(proseFaults("docs/page.md", "| a | b |\n| - | - |\n| it goes on | fine |\n\n- one\n- nobody\n")).toEqual([
    'docs/page.md:3: "goes on": continue, or keep',
    'docs/page.md:6: "nobody": say it positively, or name who',
  ]);
});

test.each([
  ["a comment", "/** Fine.\n * Nobody answers. */\nexport const nobody = 1;\n", 2],
  ["a line comment", "const a = 1;\n// It goes\n// on here.\n", 2],
  ["a text of the interface", '/** A. */\nconst text = "There is a page and nobody reads it.";\n', 2],
  ["a template", "/** A. */\nconst text = `The page of ${name} loads by itself.`;\n", 2],
  ["words between tags", "/** A. */\nreturn (\n  <p>\n    The page loads by itself.\n  </p>\n);\n", 4],
])("%s is read", (_, source, line) => {
  expect(proseFaults("console/src/page.tsx", source)).toEqual([
    expect.stringMatching(`^console/src/page.tsx:${line}: `),
  ]);
});

test("a test's name is checked, and its other texts are data", () => {
  const source = 'test("nobody answers the call in time", () => {\n  ask("nobody answers the call in time");\n});\n';
  expect(proseFaults("workers/a.test.ts", source)).toEqual([
    expect.stringMatching(/^workers\/a\.test\.ts:1: "nobody"/),
  ]);
});

test("names and codes of few words are not prose", () => {
  expect(proseFaults("workers/a.ts", '/** A. */\nconst code = "nobody_answers";\nconst name = "by itself";\n')).toEqual(
    [],
  );
});
