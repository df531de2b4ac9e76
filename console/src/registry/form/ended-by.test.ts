/** The irreversible effects of saving an edit. */
import { expect, test } from "vitest";
import { endedBy } from "./ended-by.ts";

test.each([
  ["UnderVote", { metadata: { name: "x" } }, "vote"],
  ["UnderVote", {}, undefined],
  ["Verified", { metadata: { name: "x" } }, undefined],
  ["Verified", { metadata: { name: "x" }, controllers: [] }, "verification"],
  ["Verified", { relayerNode: null }, "verification"],
  ["AwaitingVerification", { class: "did:web:x" }, undefined],
] as const)("of a domain that is %s, %j ends: %s [CN-225]", (verificationStatus, patch, ended) => {
  expect(endedBy({ verificationStatus }, patch)).toBe(ended);
});
