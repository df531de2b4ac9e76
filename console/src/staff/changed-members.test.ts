import { expect, test } from "vitest";
import { changedMembers } from "./changed-members.ts";

test("a change is shown by its members that differ [CN-304]", () => {
  const before = { role: "viewer", disabled: false, weight: 2 };
  const after = { role: "support", disabled: false, scopes: ["domains:read"] };
  expect(changedMembers({ before, after })).toEqual([
    { name: "role", before: "viewer", after: "support" },
    { name: "weight", before: "2" },
    { name: "scopes", after: '["domains:read"]' },
  ]);
  expect(changedMembers({ before: null, after: { role: "viewer" } })).toEqual([{ name: "role", after: "viewer" }]);
  expect(changedMembers({ omitted: 5_000 })).toEqual([{ name: "change", after: "5000 characters, too long to store" }]);
  expect(changedMembers(null)).toEqual([]);
});
