/** What scopes bring with them: contract/registry.md section 9. */
import { expect, test } from "vitest";
import { holds, scopes, type Scope } from "./scopes.ts";

test.each<[Scope, readonly Scope[]]>([
  ["domains:read", ["domains:read"]],
  ["domains:write", ["domains:read", "domains:write"]],
  ["verification:propose", ["verification:propose"]],
  ["verification:vote", ["verification:vote"]],
  ["registry:admin", ["domains:read", "domains:write", "registry:admin"]],
])("%s alone gives %j", (granted, given) => {
  expect(scopes.filter((scope) => holds([granted], scope))).toEqual(given);
});

test("no scope gives nothing, several give what each gives", () => {
  expect(scopes.filter((scope) => holds([], scope))).toEqual([]);
  expect(holds(["verification:vote", "domains:write"], "domains:read")).toBe(true);
});
