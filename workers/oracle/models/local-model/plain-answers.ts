/**
 * What the local model says in plain words: what a domain is, and what the registry's tools answered to a question in words. A
 * `/tool` command has its output repeated as it is.
 */
import { isJsonObject, parseJson, type JsonObject } from "../../../platform/json.ts";

const QUESTION = /^what(?:'s| is) a (?:clean cooking )?domain[?.!]*$/i;

const ANSWER = [
  "A **domain** is the digital twin of something real, such as a stove project, a household or a stove. It has a DID, a type, controllers, and what it says of itself.",
  "",
  "A **clean cooking domain** is one whose class is the protocol `did:ixo:protocol/clean-cooking`. What a domain says of itself is checked by nobody until a vote of the registry has verified it.",
  "",
  "I am the built-in development model. I know this answer and can look domains up; any other question I only repeat, until a model is configured.",
].join("\n");

/** The answer to a question that needs no tool. */
export function knownAnswer(userText: string): string | undefined {
  return QUESTION.test(userText.trim()) ? ANSWER : undefined;
}

/** One result of a registry's tool as sentences; undefined when it is not of the form that is known. */
export function wordedResult({ toolName, output }: { readonly toolName: string; readonly output: string }) {
  const parsed = parseJson(output);
  if (!parsed.ok || !isJsonObject(parsed.value)) return undefined;
  if (toolName === "get_domain_card") return wordedCard(parsed.value);
  return toolName === "explain_verification" ? wordedExplanation(parsed.value) : undefined;
}

function wordedCard(card: JsonObject): string | undefined {
  const { did, name, description, type, status, verificationStatus, verified } = card;
  if (typeof type !== "string" || typeof status !== "string" || typeof did !== "string") return undefined;
  if (typeof verificationStatus !== "string") return undefined;
  const called = typeof name === "string" ? `"${name}"` : did;
  const state = verified === true ? "verified" : `not verified (${verificationStatus})`;
  const said = typeof description === "string" ? ` It says of itself: "${description}"` : "";
  return `${called} is a domain of the type ${type}. It is ${status} and ${state}.${said}`;
}

function wordedExplanation({ summary, missing, next }: JsonObject): string | undefined {
  if (typeof summary !== "string") return undefined;
  return [summary, ...listed("What is missing:", missing), ...listed("What you can do:", next)].join("\n");
}

function listed(heading: string, items: unknown): readonly string[] {
  if (!Array.isArray(items) || items.length === 0) return [];
  return ["", heading, ...items.map((item) => `- ${String(item)}`)];
}
