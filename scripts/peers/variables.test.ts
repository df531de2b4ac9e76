/** The variables of several peers as one set. */
import { expect, test } from "vitest";
import { devVarsLines, joinVariables } from "./variables.ts";

test("lists are joined, equal values stay, everything else may be set once", () => {
  expect(
    joinVariables([
      { MCP_SERVERS: '[{"name":"a"}]', ATTACHMENT_ALLOWED_HOSTS: "localhost:1", SLACK_URL: "http://localhost:2" },
      { MCP_SERVERS: '[{"name":"b"}]', ATTACHMENT_ALLOWED_HOSTS: "localhost:3", SLACK_URL: "http://localhost:2" },
    ]),
  ).toEqual({
    MCP_SERVERS: '[{"name":"a"},{"name":"b"}]',
    ATTACHMENT_ALLOWED_HOSTS: "localhost:1,localhost:3",
    SLACK_URL: "http://localhost:2",
  });
  expect(() => joinVariables([{ CLAIMS_URL: "http://a" }, { CLAIMS_URL: "http://b" }])).toThrow(
    "two peers set CLAIMS_URL",
  );
});

test("a value with quotes of one kind is enclosed in the other kind", () => {
  expect(devVarsLines({ A: "it's", B: `its "so"` })).toBe("A=`it's`\nB='its \"so\"'\n");
  expect(() => devVarsLines({ A: "'`\"" })).toThrow("A cannot be written to .dev.vars");
});

test("lines are those of .dev.vars: JSON has single quotes", () => {
  expect(devVarsLines({ A: "http://localhost:1/x", B: '[{"name":"a b"}]' })).toBe(
    'A=http://localhost:1/x\nB=\'[{"name":"a b"}]\'\n',
  );
});
