import { expect, test } from "vitest";
import { defaultUrl, exitCodes, parseArguments } from "./command-line.ts";

const id = "0b7c2c1e-5a0e-4d0c-9a55-6d1f6f6a8e10";

test("a message starts a session, or goes to the last one or a named one", () => {
  expect(parseArguments(["hello", "there"])).toEqual({
    command: { kind: "ask", message: "hello there", session: { kind: "new" } },
    json: false,
  });
  expect(parseArguments(["--", "--help"]).command).toMatchObject({ kind: "ask", message: "--help" });
  expect(parseArguments(["--continue", "hello"]).command).toMatchObject({ session: { kind: "last" } });
  expect(parseArguments(["--session", id, "hello"]).command).toMatchObject({ session: { kind: "named", id } });
  expect(parseArguments(["--model", "big", "--url", "https://oracle.example/base/", "--json", "hello"])).toEqual({
    command: { kind: "ask", message: "hello", session: { kind: "new" }, model: "big" },
    json: true,
    url: "https://oracle.example/base",
  });
});

test.each(["sessions", "models", "preferences", "resume", "history", "abort"])("--%s is a command", (kind) => {
  expect(parseArguments([`--${kind}`]).command).toEqual({ kind });
});

test.each(["resume", "history", "abort"])("--%s may name a session", (kind) => {
  expect(parseArguments([`--${kind}`, "--session", id]).command).toEqual({ kind, sessionId: id });
});

test("--help wins over everything else", () => {
  expect(parseArguments(["--help", "--sessions", "hello"]).command).toEqual({ kind: "help" });
});

test.each([
  ["no message", []],
  ["a blank message", ["  "]],
  ["an unknown option", ["--loud", "hello"]],
  ["an option without its value", ["--session"]],
  ["a session that is not an id", ["--session", "../secrets", "hello"]],
  ["two ways to name the session", ["--session", id, "--continue", "hello"]],
  ["two commands", ["--sessions", "--models"]],
  ["a command with a message", ["--sessions", "hello"]],
  ["a command with a model", ["--resume", "--model", "big"]],
  ["a command with --continue", ["--history", "--continue"]],
  ["a command without a session, with one", ["--models", "--session", id]],
  ["an address of another kind", ["--url", "ftp://oracle.example", "hello"]],
])("%s is wrong usage", (_, words) => {
  expect(() => parseArguments(words)).toThrow(expect.objectContaining({ exitCode: exitCodes.usage }));
});

test("a wrong command line is reported in one sentence that says what to do [ALL-50]", () => {
  const parsed = (words: readonly string[]) => () => parseArguments(words);
  expect(parsed(["--resume", "nope"])).toThrow("--resume takes no message. Name a certain session with --session ID.");
  expect(parsed(["--models", "nope"])).toThrow(/^--models takes no message\.$/);
  expect(parsed(["-x"])).toThrow(/^Unknown option '-x'$/);
});

test("the server is the local one, on the port in PORT", () => {
  expect(defaultUrl({})).toBe("http://localhost:3000");
  expect(defaultUrl({ PORT: "8787" })).toBe("http://localhost:8787");
  expect(() => defaultUrl({ PORT: "evil.example/" })).toThrow("PORT must be a port number");
});
