import { expect, test } from "vitest";
import { defineCommand, pairOf, portOf } from "./command.ts";

const command = defineCommand({
  name: "npm run greet",
  usage: "Usage: npm run greet\n",
  options: { name: { type: "string", default: "you" }, loud: { type: "boolean", default: false } },
  read({ values, given, environment }) {
    if (values.name === "") throw new Error("--name takes a name");
    return { text: `hello ${values.name}${values.loud ? "!" : ""}`, given, home: environment["HOME"] };
  },
});
const worded = defineCommand({ name: "n", usage: "", options: {}, takesWords: true, read: ({ words }) => words });

test("a line becomes a task: its values, its given options, its words", () => {
  expect(command.parse([], {})).toEqual({ text: "hello you", given: [], home: undefined });
  expect(command.parse(["--name", "Ada", "--loud"], { HOME: "/ada" })).toEqual({
    text: "hello Ada!",
    given: ["name", "loud"],
    home: "/ada",
  });
  expect(worded.parse(["a", "b"], {})).toEqual(["a", "b"]);
});

test.each([["--help"], ["-h"], ["--help", "--name", ""]])("%s asks for help, whatever else is there", (...words) => {
  expect(command.parse(words, {})).toBe("help");
});

test.each([
  [["--name", ""], "--name takes a name"],
  [["--names"], "Unknown option '--names'"],
  [["word"], "Unexpected argument 'word'. This command does not take positional arguments"],
])("%j is refused with a sentence [ALL-50]", (words, sentence) => {
  expect(command.parse(words, {})).toBeInstanceOf(Error);
  expect(command.parse(words, {})).toHaveProperty("message", sentence);
});

test("a port is a whole number from 1 to 65535, and a pair has a name", () => {
  expect([portOf("--port", "1"), portOf("--port", "65535")]).toEqual([1, 65_535]);
  for (const text of ["0", "65536", "80.5", "http", ""])
    expect(() => portOf("--port", text)).toThrow(`--port takes a whole number from 1 to 65535, not "${text}"`);
  expect([pairOf("--var", "A=b=c"), pairOf("--var", "A=")]).toEqual([
    ["A", "b=c"],
    ["A", ""],
  ]);
  expect(() => pairOf("--var", "=b")).toThrow('--var takes NAME=VALUE, not "=b"');
});
