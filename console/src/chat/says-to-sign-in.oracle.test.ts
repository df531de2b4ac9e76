import { expect, test } from "vitest";
import { signInOutput } from "../../../oracle/plugins/mcp/sign-in.ts";
import { saysToSignIn } from "./says-to-sign-in.ts";

const calendar = {
  name: "calendar",
  url: "https://calendar.test/mcp",
  headers: {},
  auth: "oauth",
  pin: false,
  approval: "writes",
  trusted: false,
  readOnlyTools: [],
  confirmSignIn: false,
} as const;

test("the console recognises the sentence with which an oracle's tool asks its user to sign in [CN-144]", () => {
  const output = signInOutput(calendar, "https://calendar.test/sign-in", {
    emit: () => undefined,
    user: { did: "did:key:zAda", isPersonal: true, payer: "did:key:zAda", currentTime: "2026-11-21T09:00:00.000Z" },
    session: {
      id: "session",
      client: "portal",
      capabilities: { approve: true, openLinks: true, page: true },
      requestId: "request",
      runId: "run",
    },
  });
  expect(saysToSignIn(output, "calendar")).toBe(true);
  expect(saysToSignIn(output, "notes")).toBe(false);
});
