/** The built-in model's answers to a newcomer's first questions. */
import { expect, test } from "vitest";
import type { JsonObject } from "../../../platform/json.ts";
import { afterCall, knownAnswer } from "./answer.ts";

const did = "did:ixo:entity:0123456789abcdef0123456789abcdef";
const after = (toolName: string, output: unknown, input: JsonObject = {}, afterwards?: string) =>
  afterCall(
    { toolName, input, ...(afterwards === undefined ? {} : { afterwards }) },
    { toolName, output: typeof output === "string" ? output : JSON.stringify(output) },
  );

test("explains what a domain is, and calls nothing for another question [OR-136]", () => {
  expect(knownAnswer("What is a clean cooking domain?", [])).toContain("did:ixo:protocol/clean-cooking");
  expect(knownAnswer("what's a domain", [])).toContain("digital twin");
  expect(knownAnswer("what is a domain name server?", [])).toBeUndefined();
});

test("help lists the sentences of the tools that are offered, and their examples [OR-580, OR-581]", () => {
  expect(knownAnswer("/help", [{ name: "remember" }])).toContain("\n- Remember that my stove is a Kiboko 2\n");
  expect(knownAnswer("/help", [])).not.toContain("Kiboko");
  const stove = { name: "find_stove", description: 'A stove\nExample: "Look up stove KE-0042" {"id":"KE-0042"}' };
  expect(knownAnswer("What can you do?", [stove])).toContain("\n- Look up stove KE-0042\n");
});

test("describes a card in a sentence with its state [OR-136]", () => {
  const card = {
    did,
    name: "Kiboko",
    type: "Project",
    status: "active",
    verificationStatus: "UnderVote",
    verified: false,
  };
  expect(after("get_domain_card", card)).toBe(
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
  expect(after("get_domain_card", verified)).toBe(
    `${did} is a domain of the type Asset. It is active and verified. Its description: "A stove"`,
  );
});

test("gives an explanation as its summary and its lists [OR-136]", () => {
  expect(after("explain_verification", { summary: "It is not verified.", missing: ["A vote."], next: [] })).toBe(
    "It is not verified.\n\nWhat is missing:\n- A vote.",
  );
});

test.each([
  ["my stove is a Kiboko 2", "I will remember that your stove is a Kiboko 2."],
  ["I am in Kisumu and the keys are mine.", "I will remember that you are in Kisumu and the keys are yours."],
])("answers remembering %j with a sentence, without an id [OR-580]", (fact, said) => {
  expect(after("remember", "Remembered, as m_0123.", { fact })).toBe(said);
  expect(after("remember", "This was remembered before, as m_0123.", { fact })).toMatch(/^I already know that you/);
});

test.each([
  ["get_domain_card", "The registry has no domain with this DID.", "The registry has no domain with this DID."],
  ["forget_everything", "All 3 facts are forgotten", "All 3 facts are forgotten."],
  [
    "forget_everything",
    "forget_everything was not run: it was not approved by the user",
    "You did not approve that, so I have not done it.",
  ],
  ["set_user_preferences", 'Preferences saved: {"userName":"Amina"}', "I will do so from your next message on."],
  ["search_memory", [{ fact: "The well is dry.", id: "m_1" }], "You asked me to remember:\n- The well is dry."],
  ["draw_chart", { success: true }, "Done."],
  ["find_stove", { id: "KE-0042", cookedHours: 61 }, "Here is what I found:\n- Id: KE-0042\n- Cooked hours: 61"],
  ["count", 7, "The answer is 7."],
  ["empty", "", "Done."],
])("says %s with %j in words [OR-580]", (toolName, output, said) => {
  expect(after(toolName, output)).toBe(said);
});

test("asks about a domain that was found by its name; reports several matches or none [OR-580]", () => {
  const found = (name: string, id = did) => ({ name, type: "Project", verificationStatus: "Verified", did: id });
  const search = (domains: readonly unknown[]) =>
    after("search_domains", domains, { query: "kiboko" }, "get_domain_card");
  expect(search([found("Kiboko"), found("Kiboko East", `${did}2`)])).toEqual({
    toolName: "get_domain_card",
    input: { did },
  });
  expect(search([found("Kiboko Stoves")])).toEqual({ toolName: "get_domain_card", input: { did } });
  expect(search([found("Kiboko"), found("kiboko", `${did}2`)])).toBe(
    `I found several domains:\n- Kiboko, Project, verified: ${did}\n- kiboko, Project, verified: ${did}2\n\nAsk again with the DID of the one you mean.`,
  );
  expect(search([])).toBe('The registry has no domain with all words of "kiboko".');
  expect(after("search_domains", [found("Kiboko")], { query: "kiboko" })).toBe(
    `I found one domain:\n- Kiboko, Project, verified: ${did}`,
  );
});
