/** For which sentences the built-in model calls a tool, and for which it does not. */
import { expect, test } from "vitest";
import { examplesIn, phrasedCall } from "./phrases.ts";

const names = [
  "explain_verification",
  "get_domain_card",
  "search_domains",
  "remember",
  "search_memory",
  "forget_everything",
];
const all = [
  ...names.map((name) => ({ name })),
  { name: "find_stove", description: 'A stove\nExample: "Look up stove KE-0042" {"id":"KE-0042"}' },
];
const did = "did:ixo:entity:0123456789abcdef0123456789abcdef";

test.each([
  [`why is ${did} not verified?`, "explain_verification", { did }],
  [`Please tell me why is ${did} unverified`, "explain_verification", { did }],
  [`why is ${did} verified`, "explain_verification", { did }],
  [`is ${did} verified?`, "explain_verification", { did }],
  [`How was Kibera Clean Stoves (${did}) verified?`, "explain_verification", { did }],
  [`Tell me about ${did}.`, "get_domain_card", { did }],
  [`Tell me about Kibera (Nairobi) (${did})`, "get_domain_card", { did }],
  ["remember that my stove is a Kiboko 2.", "remember", { fact: "my stove is a Kiboko 2." }],
  ["Please remember: the well is dry", "remember", { fact: "the well is dry" }],
  ["What do you remember about my stove?", "search_memory", { query: "my stove" }],
  ["Forget everything you remember.", "forget_everything", {}],
  ["Find clean cooking", "search_domains", { query: "clean cooking" }],
  ["look up stove ke-0042!", "find_stove", { id: "KE-0042" }],
])("%s calls %s [OR-136, OR-580]", (text, toolName, input) => {
  expect(phrasedCall(text, all)).toEqual({ toolName, input });
});

test.each([
  ["Explain the verification status of domain Kibera Clean Stoves", "explain_verification"],
  ["Explain the verification status of Kibera Clean Stoves", "explain_verification"],
  ['Why is "Kibera Clean Stoves" not verified?', "explain_verification"],
  ["Tell me about Kibera Clean Stoves", "get_domain_card"],
])("%s searches for the name first [OR-580]", (text, afterwards) => {
  expect(phrasedCall(text, all)).toEqual({
    toolName: "search_domains",
    input: { query: "Kibera Clean Stoves" },
    afterwards,
  });
});

test.each([
  "I remember that day",
  "remember to buy salt",
  "tell me about my project",
  "why is my project not verified?",
  "is it verified?",
  "Forget everything I said about stoves",
  `tell me about ${"x".repeat(300)}`,
  `${" ".repeat(3)}${"why ".repeat(600)}`,
  "",
])("%s calls nothing [OR-136, OR-580]", (text) => {
  expect(phrasedCall(text, all)).toBeUndefined();
});

test("a tool that is not offered is not called [OR-136]", () => {
  expect(phrasedCall(`why is ${did} not verified?`, [])).toBeUndefined();
  expect(phrasedCall("Tell me about Kiboko", [{ name: "get_domain_card" }])).toBeUndefined();
});

test("an example is a sentence and a JSON object on a separate line [OR-581]", () => {
  expect(examplesIn('Example: "One" {"a":1}\nExample: "Two" [1]\nExample: "Three" {\nsay Example: "Four" {}')).toEqual([
    { sentence: "One", input: { a: 1 } },
  ]);
});
