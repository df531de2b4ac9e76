/** What the built-in model says to a newcomer's first questions. */
import { expect, test } from "vitest";
import { knownAnswer, wordedResult } from "./plain-answers.ts";

const did = "did:ixo:entity:0123456789abcdef0123456789abcdef";
const worded = (toolName: string, output: unknown) => wordedResult({ toolName, output: JSON.stringify(output) });

test("it says what a domain is, and nothing to another question [OR-136]", () => {
  expect(knownAnswer("What is a clean cooking domain?")).toContain("did:ixo:protocol/clean-cooking");
  expect(knownAnswer("what's a domain")).toContain("digital twin");
  expect(knownAnswer("what is a domain name server?")).toBeUndefined();
});

test("a card is a sentence with its state [OR-136]", () => {
  const card = {
    did,
    name: "Kiboko",
    type: "Project",
    status: "active",
    verificationStatus: "UnderVote",
    verified: false,
  };
  expect(worded("get_domain_card", card)).toBe(
    '"Kiboko" is a domain of the type Project. It is active and not verified (UnderVote).',
  );
  const verified = {
    did,
    type: "Asset",
    status: "active",
    verificationStatus: "Verified",
    verified: true,
    description: "A stove",
  };
  expect(worded("get_domain_card", verified)).toBe(
    `${did} is a domain of the type Asset. It is active and verified. It says of itself: "A stove"`,
  );
});

test("an explanation is its summary and its lists [OR-136]", () => {
  expect(worded("explain_verification", { summary: "It is not verified.", missing: ["A vote."], next: [] })).toBe(
    "It is not verified.\n\nWhat is missing:\n- A vote.",
  );
});

test.each([
  ["get_domain_card", "no such domain"],
  ["get_domain_card", {}],
  ["remember", { id: "1" }],
])("%s with %j is left to be repeated [OR-136]", (toolName, output) => {
  expect(worded(toolName, output)).toBeUndefined();
});
