/**
 * The answers of the local model: a pure function from the parts that it reads of a prompt to a script
 * (docs/decisions/002-local-model-shows-preferences.md explains the name before an echo), its slash commands, and its sentences for
 * tool results.
 */
import {
  phrasedCall,
  wishedPreferences,
  type OfferedTool,
  type PhrasedCall,
  type Preferences,
  memorySection,
  preferenceSection,
  readPreferences,
} from "./phrases.ts";
import { DOMAIN_EXPLAINED, helpAnswer } from "./help.ts";
import type { FailureKind } from "../../../protocol/frames.ts";
import { type JsonObject, isJsonObject, parseJson, type JsonValue } from "../../../platform/json.ts";

/** The parts of a prompt that the model reads. */
export interface Conversation {
  readonly systemPrompt: string;
  readonly userText: string;
  readonly attachmentTexts: readonly string[];
  /** Results since the model's last step, in the order of the calls; empty before the first step. */
  readonly toolResults: readonly { readonly toolName: string; readonly output: string }[];
  readonly tools: readonly OfferedTool[];
}

/** The failures of a service; the budget is the oracle's own. */
export type ProviderFailureKind = Exclude<FailureKind, "budget_exhausted">;

export type Beat =
  | { readonly type: "text"; readonly delta: string }
  | { readonly type: "reasoning"; readonly delta: string }
  | { readonly type: "pause"; readonly milliseconds: number }
  | { readonly type: "call"; readonly toolName: string; readonly input: JsonObject }
  | { readonly type: "fail"; readonly kind: ProviderFailureKind };

export type Script = Iterable<Beat>;

/** One beat per word, each with the blanks that follow it: joined, they are the text. */
function speak(text: string): Beat[] {
  return (text.match(/^\s+|\S+\s*/g) ?? []).map((delta) => ({ type: "text", delta }));
}

const PREFERENCES_TOOL = "set_user_preferences";

export function answer(conversation: Conversation): Script {
  const { userText, toolResults, tools, attachmentTexts } = conversation;
  const toolNames = new Set(tools.map(({ name }) => name));
  if (toolResults.length > 0) return afterTools(conversation);

  const known = knownAnswer(userText, tools);
  if (known !== undefined) return speak(known);
  const script = commandScript(userText, toolNames);
  if (script !== undefined) return script;

  const section = preferenceSection(conversation.systemPrompt);
  if (/\bwhat are my preferences\b/i.test(userText)) return speak(section ?? "You have not set any preferences.");

  if (/^what do you remember\??$/i.test(userText.trim()))
    return speak(memorySection(conversation.systemPrompt) ?? "You have not asked me to remember anything.");

  const preferences = readPreferences(section);
  const wish = toolNames.has(PREFERENCES_TOOL) ? wishedPreferences(userText) : undefined;
  if (wish !== undefined) {
    const { customInstructions } = wish;
    const input =
      customInstructions === undefined
        ? { ...wish }
        : { ...wish, customInstructions: extend(preferences.customInstructions, customInstructions) };
    return [{ type: "call", toolName: PREFERENCES_TOOL, input }];
  }
  const call = phrasedCall(userText, tools);
  if (call !== undefined) return [callBeat(call)];
  const isQuestion = attachmentTexts.length === 0 && userText.trimEnd().endsWith("?");
  const echo = [`${salutation(preferences)}You said: ${userText}`, ...attachmentTexts].join("\n");
  return speak(isQuestion ? `${echo}\n\n${NO_ANSWER}` : echo);
}

/** Words for a phrased question, the raw results for a command. */
function afterTools({ userText, tools, toolResults }: Conversation): Script {
  const [first, ...others] = toolResults;
  const call = others.length === 0 ? callFor(userText, tools) : undefined;
  if (first === undefined || call === undefined)
    return speak(toolResults.map(({ toolName, output }) => `Tool ${toolName} returned: ${output}`).join("\n"));
  // The second call, for a domain that was named.
  const made = first.toolName === call.afterwards ? { toolName: call.afterwards, input: {} } : call;
  const next = afterCall(made, first);
  return typeof next === "string" ? speak(next) : [callBeat(next)];
}

function callFor(userText: string, tools: readonly OfferedTool[]): PhrasedCall | undefined {
  if (userText.trimStart().startsWith("/")) return undefined;
  const isWish = tools.some(({ name }) => name === PREFERENCES_TOOL) && wishedPreferences(userText) !== undefined;
  return isWish ? { toolName: PREFERENCES_TOOL, input: {} } : phrasedCall(userText, tools);
}

function callBeat({ toolName, input }: PhrasedCall): Beat {
  return { type: "call", toolName, input };
}

function salutation({ agentName, userName }: Preferences): string {
  return (agentName === undefined ? "" : `${agentName}: `) + (userName === undefined ? "" : `${userName}, `);
}

/** The tool replaces a whole field, so the part to keep must be repeated. */
function extend(known: string | undefined, added: string): string {
  if (known === undefined || known === "") return added;
  return known.includes(added) ? known : `${known}\n${added}`;
}

/** More than a benchmark of streaming needs, and still short enough for a transcript. */
export const MAX_SLOW_PARTS = 10_000;
/** Maximum wait between two parts, milliseconds; a longer silence would end in a real model's timeout. */
export const MAX_SLOW_PAUSE_MS = 60_000;
const DEFAULT_SLOW_PAUSE_MS = 100;
/** Calls in one message: each is stored three times and its result is echoed, so a message could grow a hundredfold. */
export const MAX_CALLS = 32;

const failureKinds: readonly ProviderFailureKind[] = [
  "rate_limit",
  "billing",
  "auth",
  "timeout",
  "server",
  "network",
  "unknown",
];

/** The script of a command; undefined when the text is not a command. */
function commandScript(text: string, toolNames: ReadonlySet<string>): Script | undefined {
  const [, command, rest = ""] = /^\/(tool|slow|think|fail)(?:\s+([\s\S]*))?$/.exec(text.trim()) ?? [];
  switch (command) {
    case "tool":
      return callTools(text.trim(), toolNames);
    case "slow":
      return speakSlowly(rest);
    case "think":
      return [{ type: "reasoning", delta: rest }, ...speak("Done.")];
    case "fail":
      return [...speak("Starting "), { type: "fail", kind: failureKind(rest.trim()) }];
    default:
      return undefined;
  }
}

/** One call per line that starts with `/tool`; other lines continue the JSON of the call above them. */
function callTools(text: string, toolNames: ReadonlySet<string>): Script {
  const calls = text.split(/^\/tool[ \t]*/m).filter((call) => call !== "");
  if (calls.length > MAX_CALLS) return speak(`One message may contain at most ${MAX_CALLS} calls.`);
  return calls.flatMap((call): Beat[] => {
    const [, toolName, json = ""] = /^(\S+)\s*([\s\S]*)$/.exec(call) ?? [];
    if (toolName === undefined) return [];
    // Answered instead of called: the SDK would turn it into an error that only the model reads.
    if (!toolNames.has(toolName)) return speak(`There is no tool named ${toolName}.\n`);
    const input = json.trim() === "" ? { ok: true as const, value: {} } : parseJson(json);
    if (!input.ok || !isJsonObject(input.value)) return speak(`The input of ${toolName} must be a JSON object.\n`);
    return [{ type: "call", toolName, input: input.value }];
  });
}

function* speakSlowly(parameters: string): Generator<Beat> {
  const [count = "1", pause = ""] = parameters.trim().split(/\s+/);
  const parts = bounded(count, 1, MAX_SLOW_PARTS);
  const milliseconds = bounded(pause, DEFAULT_SLOW_PAUSE_MS, MAX_SLOW_PAUSE_MS);
  for (let part = 1; part <= parts; part += 1) {
    if (part > 1 && milliseconds > 0) yield { type: "pause", milliseconds };
    yield { type: "text", delta: `part ${part} ` };
  }
}

function bounded(text: string, fallback: number, maximum: number): number {
  return /^\d+$/.test(text) ? Math.min(Number(text), maximum) : fallback;
}

function failureKind(text: string): ProviderFailureKind {
  return failureKinds.find((kind) => kind === text) ?? "unknown";
}

const QUESTION = /^what(?:'s| is) a (?:clean cooking )?domain[?.!]*$/i;

/** The answer to a question that needs no tool. */
export function knownAnswer(userText: string, tools: readonly OfferedTool[]): string | undefined {
  const text = userText.trim();
  if (QUESTION.test(text)) return DOMAIN_EXPLAINED;
  return /^(?:\/help|help|what can you do)[?.!]*$/i.test(text) ? helpAnswer(tools) : undefined;
}

/** Follows the echo of a question. */
const NO_ANSWER =
  "I am the built-in development model and cannot answer this question. Send `/help` to see what I understand.";

interface ToolResult {
  readonly toolName: string;
  readonly output: string;
}

/** The next step after a call for a sentence: another call, or the result in words. */
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
    return sentence(`I already know that ${toYou(fact)}`);
  if (output.startsWith("Preferences saved: ")) return "I will do so from your next message on.";
  // Clients of short answers get the facts and their ids in one text.
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

/** Rephrases what the user said about themselves as an address to them. */
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
  const said = typeof description === "string" ? ` Its description: "${description}"` : "";
  return `${called} is a domain of the type ${type}. It is ${status} and ${state}.${said}`;
}

function wordedExplanation({ summary, missing, next }: JsonObject): string | undefined {
  if (typeof summary !== "string") return undefined;
  return [summary, ...listed("What is missing:", missing), ...listed("What you can do:", next)].join("\n");
}

/** The result of any other tool: its members as a list, with readable names. */
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
