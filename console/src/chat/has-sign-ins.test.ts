import { expect, test } from "vitest";
import { hasSignIns } from "./has-sign-ins.ts";

const ofServers = (servers: readonly { readonly auth?: string }[]) => ({
  loaded: ["memory", "mcp"],
  health: { mcp: { servers } },
});

test("services are asked for where a server needs a sign-in, or where that is not known [CN-148]", () => {
  expect(hasSignIns(ofServers([{}, { auth: "oauth" }]))).toBe(true);
  expect(hasSignIns(ofServers([{}]))).toBe(false);
  expect(hasSignIns({ loaded: ["mcp"], health: {} })).toBe(true);
  expect(hasSignIns({ loaded: ["memory"] })).toBe(false);
  expect(hasSignIns()).toBe(false);
});
