/** For which sentences the built-in model calls a plugin's tool, and for which not. */
import { expect, test } from "vitest";
import { phrasedCall } from "./tool-phrases.ts";

const all = new Set(["explain_verification", "get_domain_card", "remember", "search_memory"]);
const did = "did:ixo:entity:0123456789abcdef0123456789abcdef";

test.each([
  [`why is ${did} not verified?`, "explain_verification", { did }],
  [`Please tell me why is ${did} unverified`, "explain_verification", { did }],
  [`why is ${did} verified`, "explain_verification", { did }],
  [`Tell me about ${did}.`, "get_domain_card", { did }],
  ["remember that my stove is a Kiboko 2.", "remember", { fact: "my stove is a Kiboko 2." }],
  ["Please remember: the well is dry", "remember", { fact: "the well is dry" }],
  ["What do you remember about my stove?", "search_memory", { query: "my stove" }],
])("%s calls %s [OR-136]", (text, toolName, input) => {
  expect(phrasedCall(text, all)).toEqual({ toolName, input });
});

test.each([
  "I remember that day",
  "remember to buy salt",
  `is ${did} verified?`,
  "tell me about my project",
  "why is my project not verified?",
  `${" ".repeat(3)}${"why ".repeat(600)}`,
  "",
])("%s calls nothing [OR-136]", (text) => {
  expect(phrasedCall(text, all)).toBeUndefined();
});

test("a tool that is not offered is not called [OR-136]", () => {
  expect(phrasedCall(`why is ${did} not verified?`, new Set())).toBeUndefined();
});
