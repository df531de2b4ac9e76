/**
 * What the local model answers: one pure function from a prompt to a script (the name in front of an echo is
 * docs/decisions/002-local-model-shows-preferences.md), and its slash commands. Limits are ours.
 */
import type { LanguageModelV4CallOptions } from "@ai-sdk/provider";
import {
  type Conversation,
  type Preferences,
  memorySection,
  preferenceSection,
  readConversation,
  readPreferences,
} from "./conversation.ts";
import { afterCall, knownAnswer, NO_ANSWER } from "./plain-answers.ts";
import { wishedPreferences } from "./preference-phrases.ts";
import { type OfferedTool, phrasedCall, type PhrasedCall } from "./tool-phrases.ts";
import type { FailureKind } from "../../../protocol/frames.ts";
import { type JsonObject, isJsonObject, parseJson } from "../../../platform/json.ts";

/** What a service can fail with; a budget is the oracle's own. */
export type ProviderFailureKind = Exclude<FailureKind, "budget_exhausted">;

export type Beat =
  | { readonly type: "text"; readonly delta: string }
  | { readonly type: "reasoning"; readonly delta: string }
  | { readonly type: "pause"; readonly milliseconds: number }
  | { readonly type: "call"; readonly toolName: string; readonly input: JsonObject }
  | { readonly type: "fail"; readonly kind: ProviderFailureKind };

export type Script = Iterable<Beat>;

/** One beat per word, each with the blanks that follow it, so that the deltas joined are the text. */
function speak(text: string): Beat[] {
  return (text.match(/^\s+|\S+\s*/g) ?? []).map((delta) => ({ type: "text", delta }));
}

const PREFERENCES_TOOL = "set_user_preferences";

export function answer(options: LanguageModelV4CallOptions): Script {
  const conversation = readConversation(options);
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

/** Of a sentence in words, of a command as it was returned. */
function afterTools({ userText, tools, toolResults }: Conversation): Script {
  const [first, ...others] = toolResults;
  const call = others.length === 0 ? callFor(userText, tools) : undefined;
  if (first === undefined || call === undefined)
    return speak(toolResults.map(({ toolName, output }) => `Tool ${toolName} returned: ${output}`).join("\n"));
  // The second call for a domain that was named.
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

/** The tool replaces a field as a whole, so that what is to stay must be repeated. */
function extend(known: string | undefined, added: string): string {
  if (known === undefined || known === "") return added;
  return known.includes(added) ? known : `${known}\n${added}`;
}

/** More than a benchmark of streaming needs, and still an answer that a transcript can hold. */
export const MAX_SLOW_PARTS = 10_000;
/** Milliseconds between two parts; longer silences would end in the time-outs that real models are held to. */
export const MAX_SLOW_PAUSE_MS = 60_000;
const DEFAULT_SLOW_PAUSE_MS = 100;
/** Calls in one message: each is stored three times and its result is echoed, so a message could otherwise grow a hundredfold. */
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

/** The script of a command, or nothing when the text is not one. */
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
  if (calls.length > MAX_CALLS) return speak(`One message may hold at most ${MAX_CALLS} calls.`);
  return calls.flatMap((call): Beat[] => {
    const [, toolName, json = ""] = /^(\S+)\s*([\s\S]*)$/.exec(call) ?? [];
    if (toolName === undefined) return [];
    // Answered rather than called: the SDK would turn it into an error that only the model gets to read.
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
