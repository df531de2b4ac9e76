/** The pages of docs/decisions/ have a uniform head: number, date, status, and the alternatives that were not chosen. */
import { globSync, readFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { expect, test } from "vitest";

const project = resolve(import.meta.dirname, "../..");
const paths = globSync("docs/decisions/*.md", { cwd: project }).toSorted();

test.each(paths)("%s begins with number, date and status, and names alternatives", (path) => {
  const number = basename(path).slice(0, 3);
  const text = readFileSync(join(project, path), "utf8");
  const date = String.raw`\d{4}-\d{2}-\d{2}`;
  const status = String.raw`accepted|superseded by \[\d{3}\]\(\d{3}-[\w-]+\.md\)`;
  const head = `^# ${number}: [A-Z].+\n\n- \\*\\*Date\\*\\*: ${date}(?:, last changed ${date})?\n- \\*\\*Status\\*\\*: (?:${status})\n\n`;
  expect(text).toMatch(new RegExp(head));
  expect(text).toMatch(/\n## Alternatives\n\n- \*\*/);
});

test("decisions are numbered without gaps", () => {
  const numbers = paths.map((path) => Number(basename(path).slice(0, 3)));
  expect(numbers).toEqual(numbers.map((_, index) => index + 1));
});
