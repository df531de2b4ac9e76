/** The command line of `npm run token`. */
import { expect, test } from "vitest";
import { tokenCommand } from "./arguments.ts";

const parse = (line: string, environment: Record<string, string> = {}) =>
  tokenCommand.parse(
    line.split(" ").filter((word) => word !== ""),
    environment,
  );
const usual = {
  url: "http://localhost:3000",
  audience: undefined,
  invocationTtl: 600,
  delegationTtl: 86_400,
  keyFile: undefined,
  did: undefined,
  form: "shell",
  showKey: false,
};

test("no argument is required, and PORT is used", () => {
  expect(parse("")).toEqual(usual);
  expect(parse("", { PORT: "4000" })).toEqual({ ...usual, url: "http://localhost:4000" });
});

test("every option", () => {
  const line =
    "--url https://o.example/ --audience did:ixo:ixo1o --ttl 900 --delegation-ttl 60 --key k --did did:ixo:ixo1u";
  expect(parse(`${line} --json --show-key`)).toEqual({
    url: "https://o.example",
    audience: "did:ixo:ixo1o",
    invocationTtl: 900,
    delegationTtl: 60,
    keyFile: "k",
    did: "did:ixo:ixo1u",
    form: "json",
    showKey: true,
  });
  expect(parse("--invocation")).toMatchObject({ form: "invocation" });
  expect(parse("-h")).toBe("help");
});

test.each([
  ["--ttl 0", /--ttl takes seconds/],
  ["--ttl soon", /--ttl takes seconds/],
  ["--delegation-ttl 1.5", /--delegation-ttl takes seconds/],
  ["--audience oracle", /--audience takes a DID/],
  ["--did me", /--did takes a DID/],
  ["--json --invocation", /one of --invocation and --json/],
  ["--url ftp://x", /http or https/],
  ["more", /more/],
])("%s is wrong usage, in one sentence", (line, message) => {
  const parsed = parse(line);
  expect(parsed).toBeInstanceOf(Error);
  expect((parsed as Error).message).toMatch(message);
});
