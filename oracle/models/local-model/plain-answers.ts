/**
 * What the local model says in plain words: what a domain is, what it can do itself, and what a tool answered to a sentence. A
 * `/tool` command has its output repeated as it is.
 */
import { isJsonObject, parseJson, type JsonObject, type JsonValue } from "../../../platform/json.ts";
import { examplesIn, FORGET_ALL_TOOL, type OfferedTool, type PhrasedCall } from "./tool-phrases.ts";

const QUESTION = /^what(?:'s| is) a (?:clean cooking )?domain[?.!]*$/i;

const ANSWER = [
  "A **domain** is the digital twin of something real, such as a stove project, a household or a stove. It has a DID, a type, controllers, and what it says of itself.",
  "",
  "A **clean cooking domain** is one whose class is the protocol `did:ixo:protocol/clean-cooking`. Nobody has checked what a domain says of itself until a vote of the registry has verified it.",
].join("\n");

/** The answer to a question that needs no tool. */
export function knownAnswer(userText: string, tools: readonly OfferedTool[]): string | undefined {
  const text = userText.trim();
  if (QUESTION.test(text)) return ANSWER;
  return /^(?:\/help|help|what can you do)[?.!]*$/i.test(text) ? helpAnswer(tools) : undefined;
}

/** Sentences that the local model understands, by the tool that they need. */
const known: readonly (readonly [tool: string, sentence: string])[] = [
  ["get_domain_card", "Tell me about Kibera Clean Stoves"],
  ["explain_verification", "Why is Kibera Clean Stoves not verified?"],
  ["search_domains", "Find clean cooking"],
  ["remember", "Remember that my stove is a Kiboko 2"],
  ["search_memory", "What do you remember?"],
  [FORGET_ALL_TOOL, "Forget everything you remember"],
  ["set_user_preferences", "Call me Amina"],
];
/** Example sentences of other tools that `/help` lists. */
const MOST_EXAMPLES = 12;

function helpAnswer(tools: readonly OfferedTool[]): string {
  const names = new Set(tools.map(({ name }) => name));
  const examples = tools.flatMap(({ description = "" }) => examplesIn(description).map(({ sentence }) => sentence));
  const sentences = [
    "What is a domain?",
    ...known.flatMap(([tool, sentence]) => (names.has(tool) ? [sentence] : [])),
    ...examples.slice(0, MOST_EXAMPLES),
  ];
  return [
    "I am the built-in development model. I understand sentences such as these, and repeat any other:",
    "",
    ...sentences.map((sentence) => `- ${sentence}`),
    "",
    "Commands for tests:",
    "",
    '- `/tool search_domains {"query":"stoves"}` calls a tool by its name',
    "- `/slow 20 100` answers in 20 parts, 100 milliseconds apart",
    "- `/think about stoves` thinks first",
    "- `/fail server` fails as a model service does",
    "",
    "Set `LLM_PROVIDER` for a model that answers your own questions.",
  ].join("\n");
}

/** Behind the echo of a question. */
export const NO_ANSWER =
  "I am the built-in development model and cannot answer this question. Send `/help` to see what I understand.";

export interface ToolResult {
  readonly toolName: string;
  readonly output: string;
}

/** What follows from the result of a call that was made for a sentence: the next call, or the result in words. */
export function afterCall(call: PhrasedCall, result: ToolResult): PhrasedCall | string {
  const parsed = parseJson(result.output);
  const value = parsed.ok ? (parsed.value as JsonValue) : result.output;
  if (typeof value === "string") return wordedText(call, value);
  if (call.toolName === "search_domains" && Array.isArray(value)) return afterSearch(call, value);
  return wordedValue(result.toolName, value);
}

const NOT_APPROVED = "You did not approve that, so I have not done it.";

function wordedText({ toolName, input }: PhrasedCall, output: string): string {
  if (output.endsWith(" was not run: it was not approved by the user")) return NOT_APPROVED;
  const fact = toolName === "remember" && typeof input["fact"] === "string" ? input["fact"] : undefined;
  if (fact !== undefined && output.startsWith("Remembered, as "))
    return sentence(`I will remember that ${toYou(fact)}`);
  if (fact !== undefined && output.startsWith("This was remembered before"))
    return sentence(`I know already that ${toYou(fact)}`);
  if (output.startsWith("Preferences saved: ")) return "I will do so from your next message on.";
  // Clients of short answers get the facts with their ids in one text.
  if (toolName === "search_memory") return sentence(output.replace(/ \(m_[0-9a-f]{24}\)/g, ""));
  return output === "" ? "Done." : sentence(output);
}

function sentence(text: string): string {
  return /[\p{P}]$/u.test(text) ? text : `${text}.`;
}

const swapped: Readonly<Record<string, string>> = {
  "i am": "you are",
  "i'm": "you are",
  "i was": "you were",
  i: "you",
  me: "you",
  my: "your",
  mine: "yours",
  myself: "yourself",
};

/** What the user says of themselves, said to them. */
function toYou(fact: string): string {
  return fact.replace(/\b(?:i am|i'm|i was|i|me|my|mine|myself)\b/gi, (word) => swapped[word.toLowerCase()] ?? word);
}

function afterSearch({ input, afterwards }: PhrasedCall, found: readonly JsonValue[]): PhrasedCall | string {
  const domains = found.filter(isJsonObject);
  const wanted = shown(input["query"]);
  if (domains.length === 0) return `The registry has no domain with all words of "${wanted}".`;
  const exact = domains.filter(({ name }) => typeof name === "string" && name.toLowerCase() === wanted.toLowerCase());
  const [only, ...others] = exact.length > 0 ? exact : domains;
  if (afterwards !== undefined && others.length === 0 && typeof only?.["did"] === "string")
    return { toolName: afterwards, input: { did: only["did"] } };
  const listedDomains = listed(
    domains.length === 1 ? "I found one domain:" : "I found several domains:",
    domains.map(line),
  );
  return [
    ...listedDomains.slice(1),
    ...(afterwards === undefined ? [] : ["", "Ask again with the DID of the one you mean."]),
  ].join("\n");
}

function line({ name, type, verificationStatus, did }: JsonObject): string {
  const called = typeof name === "string" ? `${name}, ` : "";
  return `${called}${shown(type)}, ${verificationStatus === "Verified" ? "verified" : "not verified"}: ${shown(did)}`;
}

function wordedValue(toolName: string, value: JsonValue): string {
  if (toolName === "search_memory" && Array.isArray(value))
    return listed(
      "You asked me to remember:",
      value.filter(isJsonObject).map(({ fact }) => shown(fact)),
    )
      .slice(1)
      .join("\n");
  if (!isJsonObject(value)) return `The answer is ${JSON.stringify(value)}.`;
  const worded =
    toolName === "get_domain_card"
      ? wordedCard(value)
      : toolName === "explain_verification"
        ? wordedExplanation(value)
        : undefined;
  return worded ?? wordedMembers(value);
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

/** Of any other tool: its members as a list, with names that are read as words. */
function wordedMembers({ success, ...members }: JsonObject): string {
  const lines = Object.entries(members).map(([name, value]) => `${words(name)}: ${shown(value)}`);
  if (success === true || lines.length === 0) return "Done.";
  const found = listed("Here is what I found:", lines);
  return (success === false ? ["That did not work.", ...found] : found.slice(1)).join("\n");
}

function words(name: string): string {
  const apart = name
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replace(/[_-]+/g, " ")
    .toLowerCase();
  return apart.charAt(0).toUpperCase() + apart.slice(1);
}

function shown(value: JsonValue | undefined): string {
  return typeof value === "string" ? value : JSON.stringify(value ?? null);
}

function listed(heading: string, items: unknown): readonly string[] {
  if (!Array.isArray(items) || items.length === 0) return [];
  return ["", heading, ...items.map((item) => `- ${String(item)}`)];
}
