/** Valid values of MCP_SERVERS and their limits; an error names the variable and no value. */
import { describe, expect, test } from "vitest";
import { MAX_SERVER_NAME_LENGTH, MAX_SERVERS, mcpSettings } from "./settings.ts";

const notes = { name: "notes", url: "https://notes.example/mcp" };

function read(servers: unknown, env: Readonly<Record<string, string>> = {}) {
  return mcpSettings.safeParse({
    MCP_SERVERS: typeof servers === "string" ? servers : JSON.stringify(servers),
    ...env,
  });
}

test("a server is parsed with its defaults and with all of its members [OR-280]", () => {
  expect(read([notes]).data).toEqual({
    servers: [
      {
        ...notes,
        headers: {},
        auth: "none",
        pin: false,
        approval: "writes",
        trusted: false,
        confirmSignIn: false,
        readOnlyTools: [],
      },
    ],
    operatorToken: undefined,
  });
  const trust = { approval: "always", trusted: true, confirmSignIn: true, readOnlyTools: ["read_note"] };
  const full = { ...notes, headers: { "X-Api-Key": "k" }, auth: "oauth", pin: true, ...trust };
  const operatorToken = "t".repeat(16);
  expect(read([full], { MCP_OPERATOR_TOKEN: operatorToken }).data).toEqual({ servers: [full], operatorToken });
});

test("UCAN_PROTECTED_MCP_SERVERS equals auth: ucan [OR-280]", () => {
  const env = { UCAN_PROTECTED_MCP_SERVERS: " notes , " };
  expect(read([notes], env).data?.servers[0]?.auth).toBe("ucan");
  expect(read([{ ...notes, auth: "ucan" }], env).data?.servers[0]?.auth).toBe("ucan");
  for (const wrong of [
    read([notes], { UCAN_PROTECTED_MCP_SERVERS: "other" }),
    read([{ ...notes, auth: "oauth" }], env),
  ])
    expect(wrong.error?.issues[0]?.path).toEqual(["UCAN_PROTECTED_MCP_SERVERS"]);
});

describe("an invalid value turns the plugin off, with a reason that contains no value [OR-280]", () => {
  const secret = "Bearer very-secret-value";
  test.each<[string, unknown]>([
    ["no JSON", `{${secret}`],
    ["no list", { notes }],
    ["no server", []],
    ["too many", Array.from({ length: MAX_SERVERS + 1 }, (_, index) => ({ ...notes, name: `n${index}` }))],
    ["two of one name", [notes, notes]],
    ["a name with capitals", [{ ...notes, name: "Notes" }]],
    ["a name with an underscore", [{ ...notes, name: "my_notes" }]],
    ["an empty name", [{ ...notes, name: "" }]],
    ["a long name", [{ ...notes, name: "n".repeat(MAX_SERVER_NAME_LENGTH + 1) }]],
    ["no URL", [{ ...notes, url: secret }]],
    ["plain HTTP", [{ ...notes, url: "http://notes.example/mcp" }]],
    ["plain HTTP to this machine, deployed", [{ ...notes, url: "http://localhost:1/mcp" }]],
    ["another scheme", [{ ...notes, url: "file:///etc/passwd" }]],
    ["a password in the URL", [{ ...notes, url: "https://u:very-secret-value@notes.example" }]],
    ["a fragment", [{ ...notes, url: "https://notes.example/mcp#very-secret-value" }]],
    ["a header with a line break", [{ ...notes, headers: { A: `${secret}\r\nB: c` } }]],
    ["a header name with a space", [{ ...notes, headers: { "A b": secret } }]],
    ["a header that is no text", [{ ...notes, headers: { A: 7 } }]],
    ["another auth", [{ ...notes, auth: "basic" }]],
    ["another approval", [{ ...notes, approval: "sometimes" }]],
    ["too many tools that only read", [{ ...notes, readOnlyTools: Array.from({ length: 129 }, String) }]],
    ["a member that nobody knows", [{ ...notes, haeders: { A: secret } }]],
  ])("%s", (_name, servers) => {
    const { error } = read(servers);
    expect(error?.issues[0]?.path).toEqual(["MCP_SERVERS"]);
    expect(JSON.stringify(error?.issues)).not.toContain("very-secret-value");
  });
});

test("the limits themselves are valid [OR-280]", () => {
  const most = Array.from({ length: MAX_SERVERS }, (_, index) => ({
    ...notes,
    name: `${"n".repeat(30)}${10 + index}`,
  }));
  expect(read(most).success).toBe(true);
});

test("in development, plain HTTP is valid for this machine only [OR-280]", () => {
  const env = { ENVIRONMENT: "development" };
  for (const host of ["localhost:1", "127.0.0.1:1", "[::1]:1"])
    expect(read([{ ...notes, url: `http://${host}/` }], env).success).toBe(true);
  for (const host of ["notes.example", "localhost.example", "127.0.0.2", "10.0.0.1"])
    expect(read([{ ...notes, url: `http://${host}/` }], env).success).toBe(false);
});
