import { writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../../test/support/server/temporary-directory.ts";
import { projectRoot } from "../run-command.ts";
import { readDocstring } from "./docstring.ts";
import { publicNames } from "./public-api.ts";

function namesOf(files: Readonly<Record<string, string>>) {
  const folder = temporaryDirectory();
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return publicNames(relative(projectRoot, join(folder, "index.ts")));
}

test("a name is described at its declaration, under its exported name", () => {
  const names = namesOf({
    "index.ts": 'export { inner as outer } from "./a.ts";\nexport type * from "./b.ts";\n',
    "a.ts": "/** Does it. */\nexport function inner({ a, b }: Options, c = 1): Promise<void> { return go(a, b, c); }\n",
    "b.ts": "/** One of two. */\nexport type Choice = 'a' | 'b';\n",
  });
  expect(names.map(({ name, kind, signature, doc }) => [name, kind, signature, doc?.text])).toEqual([
    ["outer", "function", "function inner(options: Options, c = 1): Promise<void>", "Does it."],
    ["Choice", "type", "type Choice = 'a' | 'b';", "One of two."],
  ]);
});

test("members of interfaces and classes have their types and docstrings; private ones are omitted", () => {
  const [box, shape] = namesOf({
    "index.ts": `/** A box. */
export class Box extends Error {
  /** Its size. */
  readonly size: number;
  readonly #secret = 1;
  constructor(size: number) { super(); this.size = size; }
  private hidden(): void {}
}
export interface Shape {
  /** In pixels. */
  readonly width?: number | null;
  draw(on: Canvas): void;
}
`,
  });
  expect(box?.members.map(({ name, type, doc }) => [name, type, doc?.text])).toEqual([
    ["size", "number", "Its size."],
    ["constructor", "(size: number)", undefined],
  ]);
  expect(shape?.members.map(({ name, type, doc }) => [name, type, doc?.text])).toEqual([
    ["width?", "number | null", "In pixels."],
    ["draw", "(on: Canvas): void", undefined],
  ]);
  expect([box?.doc?.text, shape?.doc]).toEqual(["A box.", undefined]);
});

test("a file's header comment is not the docstring of its first export", () => {
  const [first] = namesOf({ "index.ts": '/** The file. */\nimport "./x.ts";\n\nexport const A: Limit = 3;\n' });
  expect([first?.doc, first?.signature]).toEqual([undefined, "const A: Limit"]);
});

test("a docstring's tags are separated from its text", () => {
  const comment = `*
 * Sends it.
 *
 * @param text What to say,
 * in Markdown.
 * @returns When the turn has ended.
 * @throws RequestError when it is refused.
 * @example
 * await send("hello");
 `;
  expect(readDocstring(comment)).toEqual({
    text: "Sends it.",
    params: [{ name: "text", text: "What to say,\nin Markdown." }],
    returns: "When the turn has ended.",
    throws: "RequestError when it is refused.",
    examples: ['```tsx\nawait send("hello");\n```'],
  });
});
