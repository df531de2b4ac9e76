import { expect, test } from "vitest";
import { hasSignIns } from "./has-sign-ins.ts";

const ofServers = (servers: readonly { readonly auth?: string }[]) => ({
  loaded: ["memory", "mcp"],
  health: { mcp: { servers } },
});

test("the sign-ins are requested if a server requires one, or if that is unknown [CN-148]", () => {
  expect(hasSignIns(ofServers([{}, { auth: "oauth" }]))).toBe(true);
  expect(hasSignIns(ofServers([{}]))).toBe(false);
  expect(hasSignIns({ loaded: ["mcp"], health: {} })).toBe(true);
  expect(hasSignIns({ loaded: ["memory"] })).toBe(false);
  expect(hasSignIns()).toBe(false);
});
