import { expect, test } from "vitest";
import { serverAddress } from "../server-address.ts";
import { wrongUsage } from "../wrong-usage.ts";
import { chatCommand, type Arguments } from "./command-line.ts";

const id = "0b7c2c1e-5a0e-4d0c-9a55-6d1f6f6a8e10";

function parse(words: readonly string[]): Arguments {
  const parsed = chatCommand.parse(words, {});
  if (parsed === "help" || parsed instanceof Error) throw new Error(String(parsed));
  return parsed;
}

test("a message starts a session, or goes to the last one or a named one", () => {
  expect(parse(["hello", "there"])).toEqual({
    command: { kind: "ask", message: "hello there", session: { kind: "new" } },
    json: false,
  });
  expect(parse(["--", "--help"]).command).toMatchObject({ kind: "ask", message: "--help" });
  expect(parse(["--continue", "hello"]).command).toMatchObject({ session: { kind: "last" } });
  expect(parse(["--session", id, "hello"]).command).toMatchObject({ session: { kind: "named", id } });
  expect(parse(["--model", "big", "--url", "https://oracle.example/base/", "--json", "hello"])).toEqual({
    command: { kind: "ask", message: "hello", session: { kind: "new" }, model: "big" },
    json: true,
    url: "https://oracle.example/base",
  });
});

test.each(["sessions", "models", "preferences", "resume", "history", "abort"])("--%s is a command", (kind) => {
  expect(parse([`--${kind}`]).command).toEqual({ kind });
});

test.each(["resume", "history", "abort"])("--%s may name a session", (kind) => {
  expect(parse([`--${kind}`, "--session", id]).command).toEqual({ kind, sessionId: id });
});

test("--help overrides everything else", () => {
  expect(chatCommand.parse(["--help", "--sessions", "hello"], {})).toBe("help");
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
  expect(chatCommand.parse(words, {})).toBeInstanceOf(Error);
});

test("a wrong command line is reported in one sentence that says what to do [ALL-50]", () => {
  const answer = (words: readonly string[]): string => {
    const parsed = chatCommand.parse(words, {});
    return parsed instanceof Error ? (wrongUsage("chat", parsed).split("\n")[0] ?? "") : "";
  };
  expect(answer(["--resume", "nope"])).toBe(
    "chat: --resume takes no message. Name a specific session with --session ID.",
  );
  expect(answer(["--models", "nope"])).toBe("chat: --models takes no message.");
  expect(answer(["-x"])).toBe("chat: Unknown option '-x'");
});

test("the server is the local one, on the port in PORT", () => {
  expect(serverAddress(undefined, {})).toBe("http://localhost:3000");
  expect(serverAddress(undefined, { PORT: "8787" })).toBe("http://localhost:8787");
  expect(() => serverAddress(undefined, { PORT: "evil.example/" })).toThrow("PORT must be a port number");
});
