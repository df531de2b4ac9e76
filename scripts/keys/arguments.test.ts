/** The command line of `npm run keys`. */
import { describe, expect, test } from "vitest";
import { keysCommand } from "./arguments.ts";

const parse = (line: string, environment: Record<string, string> = {}) =>
  keysCommand.parse(line === "" ? [] : line.split(" "), environment);
const common = { url: "http://localhost:3000", json: false, tokenFromInput: false };

test.each<[string, object]>([
  [
    "create --name x",
    {
      kind: "create",
      label: "x",
      did: undefined,
      scopes: ["domains:read", "domains:write"],
      role: undefined,
      expiresAt: undefined,
    },
  ],
  [
    "create --name x --did did:x:a --scopes domains:read,verification:vote --role program --expires 2027-01-01",
    {
      kind: "create",
      label: "x",
      did: "did:x:a",
      scopes: ["domains:read", "verification:vote"],
      role: "program",
      expiresAt: "2027-01-01",
    },
  ],
  ["list", { kind: "list", did: undefined, state: undefined }],
  ["list --did did:x:a --state active,expired", { kind: "list", did: "did:x:a", state: "active,expired" }],
  ["rotate key_1", { kind: "rotate", keyId: "key_1", overlapSeconds: undefined }],
  ["rotate key_1 --overlap 0", { kind: "rotate", keyId: "key_1", overlapSeconds: 0 }],
  ["revoke key_1", { kind: "revoke", keyId: "key_1" }],
])("%s", (line, command) => {
  expect(parse(line)).toEqual({ ...common, command });
});

test("the server: --url, else PORT, else 3000", () => {
  expect(parse("list --url https://edge.example/base/")).toMatchObject({ url: "https://edge.example/base" });
  expect(parse("list", { PORT: "4000" })).toMatchObject({ url: "http://localhost:4000" });
  expect(parse("list --url http://h", { PORT: "nonsense" })).toMatchObject({ url: "http://h" });
  expect(parse("list --json --token-stdin")).toMatchObject({ json: true, tokenFromInput: true });
});

test.each(["--help", "-h", "create --help", "nonsense --help"])("%s asks for help", (line) => {
  expect(parse(line)).toBe("help");
});

describe("wrong usage is one sentence", () => {
  test.each<[string, RegExp]>([
    ["", /name a command/],
    ["make", /name a command/],
    ["create", /--name/],
    ["create --name", /name/],
    ["create x --name y", /no further arguments/],
    ["create --name x --overlap 5", /create takes no --overlap/],
    ["list --name x", /list takes no --name/],
    ["list key_1", /no further arguments/],
    ["rotate", /key's id/],
    ["rotate ../x", /key's id/],
    ["rotate key_1 key_2", /no further arguments/],
    ["rotate key_1 --overlap soon", /seconds/],
    ["revoke key_1 --overlap 1", /revoke takes no --overlap/],
    ["list --url ftp://h", /http/],
    ["list --nonsense", /nonsense/],
  ])("%s", (line, message) => {
    const parsed = parse(line);
    expect(parsed).toBeInstanceOf(Error);
    expect((parsed as Error).message).toMatch(message);
  });

  test("a PORT that is not a port", () => {
    expect(parse("list", { PORT: "http" })).toBeInstanceOf(Error);
  });
});
