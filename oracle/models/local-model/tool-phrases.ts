/**
 * Sentences for which the local model calls a tool, so that newcomers see the plugins at work without a key: each a pattern of the
 * whole message, or the example sentence that a tool has in its description. Only a tool that the request offers is called.
 */
import { isJsonObject, parseJson, type JsonObject } from "../../../platform/json.ts";

export interface PhrasedCall {
  readonly toolName: string;
  readonly input: JsonObject;
  /** The tool to call with the DID of the domain that was found by its name. */
  readonly afterwards?: string;
}

/** A tool that the request offers. */
export interface OfferedTool {
  readonly name: string;
  readonly description?: string | undefined;
}

interface Phrase {
  readonly toolName: string;
  readonly pattern: RegExp;
}

/** The pattern captures the domain: its DID, or words of its name. */
const domainPhrases: readonly Phrase[] = [
  {
    toolName: "explain_verification",
    pattern: /^(?:tell me )?(?:why|how) (?:is|isn't|was) (.+?)(?: not)? (?:un)?verified$/i,
  },
  { toolName: "explain_verification", pattern: /^is (.+?) verified$/i },
  {
    toolName: "explain_verification",
    pattern: /^(?:explain|show me|tell me|what is) the verification(?: status)? of (?:the )?(?:domain )?(.+)$/i,
  },
  { toolName: "get_domain_card", pattern: /^(?:tell me about|show me) (?:the domain )?(.+)$/i },
];

const search = /^(?:find|search for|look for|look up) (?:(?:a |the )?domains? )?(?:named |called |about )?(.+)$/i;

/** Each captures the argument as it is. */
const otherPhrases: readonly (Phrase & { readonly argument: string })[] = [
  { toolName: "remember", pattern: /^(?:please )?remember(?: that|:) (.+)$/is, argument: "fact" },
  { toolName: "search_memory", pattern: /^what do you (?:remember|know) about (.+?)[?.!]*$/is, argument: "query" },
];

const FORGET_ALL =
  /^(?:please )?forget everything(?: (?:that )?(?:you (?:remember|know)(?: about me)?|about me))?[.!]?$/i;
export const FORGET_ALL_TOOL = "forget_everything";
const SEARCH_TOOL = "search_domains";

/** UTF-16 units; patterns take time on a long text. A fact to remember may be long, and the name of a domain is not. */
const LONGEST_PHRASE = 2_000;
const LONGEST_QUESTION = 300;
/** As the registry's tools take them. */
const WHOLE_DID = /^did:[a-z0-9]+:[A-Za-z0-9._:%-]{1,200}$/;
const NAME_AND_DID = /^.+ \((did:[a-z0-9]+:[A-Za-z0-9._:%-]{1,200})\)$/;
const LONGEST_NAME = 200;
/** "my project" is the name of nothing. */
const NO_NAME = /^(?:my|your|our|its|their|it|this|that|these|those|me|you|us|them|yourself)\b/i;

export function phrasedCall(text: string, tools: readonly OfferedTool[]): PhrasedCall | undefined {
  const trimmed = text.trim();
  if (trimmed.length > LONGEST_PHRASE) return undefined;
  const isOffered = (name: string): boolean => tools.some((tool) => tool.name === name);
  for (const { toolName, pattern, argument } of otherPhrases) {
    const captured = isOffered(toolName) ? pattern.exec(trimmed)?.[1] : undefined;
    if (captured !== undefined) return { toolName, input: { [argument]: captured } };
  }
  if (trimmed.length > LONGEST_QUESTION) return undefined;
  if (isOffered(FORGET_ALL_TOOL) && FORGET_ALL.test(trimmed)) return { toolName: FORGET_ALL_TOOL, input: {} };
  return exampleCall(trimmed, tools) ?? domainCall(plain(trimmed), isOffered);
}

/** Without the politeness around it. */
function plain(text: string): string {
  return text.replace(/[?.!\s]+$/, "").replace(/^please /i, "");
}

function domainCall(sentence: string, isOffered: (name: string) => boolean): PhrasedCall | undefined {
  for (const { toolName, pattern } of domainPhrases) {
    const captured = isOffered(toolName) ? pattern.exec(sentence)?.[1] : undefined;
    if (captured === undefined) continue;
    const named = unquoted(captured);
    const did = WHOLE_DID.test(named) ? named : NAME_AND_DID.exec(named)?.[1];
    if (did !== undefined) return { toolName, input: { did } };
    if (isOffered(SEARCH_TOOL) && isName(named))
      return { toolName: SEARCH_TOOL, input: { query: named }, afterwards: toolName };
  }
  const words = isOffered(SEARCH_TOOL) ? search.exec(sentence)?.[1] : undefined;
  if (words === undefined || !isName(unquoted(words))) return undefined;
  return { toolName: SEARCH_TOOL, input: { query: unquoted(words) } };
}

function isName(text: string): boolean {
  return text !== "" && text.length <= LONGEST_NAME && !text.startsWith("did:") && !NO_NAME.test(text);
}

function unquoted(text: string): string {
  return text.trim().replace(/^["“'‘](.*)["”'’]$/s, "$1");
}

/** A line of a tool's description: `Example: "Look up stove KE-0042" {"id":"KE-0042"}`. */
const EXAMPLE = /^Example: "([^"\n]+)" (\{.*\})$/gm;
/** UTF-16 units of a description that are read. */
const LONGEST_DESCRIPTION = 8_000;

function exampleCall(text: string, tools: readonly OfferedTool[]): PhrasedCall | undefined {
  for (const { name, description = "" } of tools) {
    const example = examplesIn(description).find(({ sentence }) => sameWords(sentence, text));
    if (example !== undefined) return { toolName: name, input: example.input };
  }
  return undefined;
}

export function examplesIn(description: string): readonly { readonly sentence: string; readonly input: JsonObject }[] {
  return [...description.slice(0, LONGEST_DESCRIPTION).matchAll(EXAMPLE)].flatMap(([, sentence = "", json = ""]) => {
    const input = parseJson(json);
    return input.ok && isJsonObject(input.value) ? [{ sentence, input: input.value }] : [];
  });
}

function sameWords(one: string, other: string): boolean {
  return plain(one).toLowerCase() === plain(other).toLowerCase();
}
