/**
 * Sentences for which the local model calls a tool, so that newcomers see the plugins at work without a key: lasting preferences
 * about how to answer, patterns of a whole message, and the example sentence in a tool's description. Only tools that the request
 * offers are called. Also reads the sections of the system prompt that two plugins write: preferences and remembered facts.
 */
import { isJsonObject, parseJson, type JsonObject } from "../../../platform/json.ts";

export type PreferenceField =
  | "agentName"
  | "userName"
  | "language"
  | "tone"
  | "length"
  | "format"
  | "formality"
  | "customInstructions";

export type Preferences = { readonly [field in PreferenceField]?: string };

const LEAD_IN =
  /^(?:(?:hi|hello|hey|ok|okay|yes|thanks|please|kindly|also|and|then|but|just|(?:can|could|will|would) you|i(?:'d| would) like you to|i want you to|you (?:can|may|should))\b[\s,]*)+/i;
const ONE_TURN =
  /\b(?:this (?:time|once|one|answer|question|message|turn|text|letter|email)|just once|for now|today)\b/i;
const FACT =
  /^(?:i(?:'m| am|'ve| have| live| work| was)|my \w+ (?:is|are|was)|we(?:'re| are| have| live)|he|she|they|it|there|nobody|everybody|everyone)\b/i;
/** "The price is 5 dollars" is a statement, even after "from now on". */
const STATEMENT =
  /^(?:the|this|that|these|those|our|your|an?|\w+s)\b.{0,60}\b(?:is|are|was|were|will|costs?|has|have|comes?|opens?|closes?|starts?)\b/i;
const NOT_A_NAME =
  /^(?:an?|when|if|back|later|tomorrow|tonight|at|on|by|as|in|after|before|again|soon|out|what|this|maybe|perhaps|any|anytime|now|asap|right|immediately|once|from|for|to|with|about|whenever|every|crazy|lucky|whatever|anything)\b/i;
const NOT_A_LANGUAGE =
  /\b(?:sentences?|words?|lines?|bullets?|points?|lists?|tables?|markdown|json|paragraphs?|detail)\b/i;
/** A language has a capital letter, a script without capitals, or a name that people write in small letters. */
const LANGUAGE =
  /^[\p{Lu}\p{Lo}]|\b(?:english|french|german|spanish|portuguese|italian|dutch|arabic|chinese|hindi|japanese|russian|(?:ki)?swahili|(?:isi)?zulu|(?:isi)?xhosa|(?:chi)?nyanja|(?:chi)?bemba|hausa|yoruba|amharic|somali|français|deutsch|español|português)$/u;
/** "Sir in the story" names a part in something else. */
const PART = /\s(?:in|inside|within|during)\s/;
/** "From now on means what?" asks about the words. */
const ABOUT_THE_WORDS = /^(?:means?|meant|is|was|sounds?)\b|\b(?:what|why|how)$/i;
/** Full names and languages with a dialect are short; a longer match is a sentence that the pattern failed to cut. */
const MAX_NAME_WORDS = 4;
const MAX_LANGUAGE_CHARACTERS = 20;
/** Maximum length in characters. The patterns below take quadratic time; no wish is longer than its field. */
export const LONGEST_WISH = 2000;

interface Wishing {
  readonly field: PreferenceField;
  /** Captures the value. */
  readonly pattern: RegExp;
  readonly accepts: (value: string) => boolean;
}

const isWish = (value: string): boolean => value !== "" && !ONE_TURN.test(value);
const isName = (value: string): boolean =>
  isWish(value) && !NOT_A_NAME.test(value) && !PART.test(value) && value.split(/\s+/).length <= MAX_NAME_WORDS;
const isLanguage = (value: string): boolean =>
  isWish(value) && value.length <= MAX_LANGUAGE_CHARACTERS && LANGUAGE.test(value) && !NOT_A_LANGUAGE.test(value);
/** "Always answer in court" is a habit, unless it names a form. */
const isManner = (value: string): boolean =>
  isWish(value) && (!/^\S+ \S+ in /.test(value) || NOT_A_LANGUAGE.test(value));

const wishes: readonly Wishing[] = [
  { field: "agentName", pattern: /^(?:always )?call yourself (.+)$/i, accepts: isName },
  { field: "userName", pattern: /^(?:always )?call me (.+)$/i, accepts: isName },
  { field: "language", pattern: /^always (?:answer|reply|respond) in (.+)$/i, accepts: isLanguage },
  { field: "tone", pattern: /^(?:always )?use an? (.+) tone(?: with me| in (?:all|your) answers)?$/i, accepts: isWish },
  { field: "length", pattern: /^(?:always )?keep (?:your |all )?answers (.+)$/i, accepts: isWish },
  { field: "format", pattern: /^(?:always )?format (?:your |all )?answers as (.+)$/i, accepts: isWish },
  { field: "customInstructions", pattern: /^(always (?:answer|reply|respond) .+)$/i, accepts: isManner },
];

/** A connector separates two phrases only if another phrase begins after it, so that "short and friendly" stays whole. */
const SEAM =
  /(?:\s*(?:,|;|\band\b|\bthen\b))+\s+(?=(?:please )?(?:always |call (?:me|yourself) |use an? .+ tone|keep (?:your |all )?answers |format (?:your |all )?answers ))/i;
const NAME_END = /(?:\s*(?:,|;|\band\b|\bthen\b|\bbut\b))+\s*/i;
/** A full stop ends a sentence only before a blank, and not after a title. */
const SENTENCE_END = /(?<!\b(?:Dr|Mr|Mrs|Ms|Prof|St))[.!?]+(?=\s|$)|\n+/;

/**
 * A lasting preference about how to answer. Only a clause that begins with a phrase counts: a fact about the user ("my name is Ada") and
 * a format for one answer ("answer this in French") are not preferences. After "from now on", every other clause becomes an
 * instruction.
 */
export function wishedPreferences(text: string): Preferences | undefined {
  if (text.length > LONGEST_WISH) return undefined;
  const fields: { [field in PreferenceField]?: string } = {};
  const instructions: string[] = [];
  for (const sentence of text.split(SENTENCE_END)) {
    const { clause, lasting } = findLasting(sentence.trim());
    for (const segment of clause.split(SEAM)) {
      const wish = readSegment(segment.replace(/[\s,]+please$/i, "").trim());
      if (wish.field === "customInstructions") instructions.push(wish.value);
      else if (wish.field !== undefined) fields[wish.field] = wish.value;
      const isStated = [FACT, STATEMENT, ABOUT_THE_WORDS].some((pattern) => pattern.test(wish.rest));
      if (lasting && isWish(wish.rest) && !isStated) instructions.push(wish.rest);
    }
  }
  if (instructions.length > 0) fields.customInstructions = instructions.join("; ");
  return Object.keys(fields).length === 0 ? undefined : fields;
}

type Wish =
  | { readonly field: PreferenceField; readonly value: string; readonly rest: string }
  | { readonly field: undefined; readonly rest: string };

/** The wish that the segment expresses with a phrase, and the rest of its text. */
function readSegment(segment: string): Wish {
  const plain = segment.replace(LEAD_IN, "");
  for (const { field, pattern, accepts } of wishes) {
    const captured = pattern.exec(plain)?.[1] ?? "";
    const end = accepts === isName ? NAME_END.exec(captured) : null;
    const value = unquote(end === null ? captured : captured.slice(0, end.index));
    if (!accepts(value)) continue;
    return { field, value, rest: end === null ? "" : captured.slice(end.index + end[0].length).trim() };
  }
  return { field: undefined, rest: plain };
}

/** "From now on X", or "X from now on"; in the middle of a longer sentence it is only part of a statement. */
function findLasting(sentence: string): { readonly clause: string; readonly lasting: boolean } {
  const [, before = "", after = ""] = /^(.*?)[\s,]*\bfrom now on\b[\s,:]*(.*)$/i.exec(sentence) ?? [sentence, sentence];
  const outside = before.replace(LEAD_IN, "");
  if (outside === "") return { clause: after, lasting: true };
  return { clause: after === "" ? before : sentence, lasting: after === "" && before !== sentence };
}

function unquote(value: string): string {
  return value.replace(/^["'“‘\s]+|["'”’\s]+$/g, "");
}

const HEADING = "## User preferences";
const BULLET = /^- (\w+): (".*")\s*$/;

/** The section with its heading, without trailing blank lines; undefined when the prompt has none. */
export function preferenceSection(systemPrompt: string): string | undefined {
  return sectionOf(systemPrompt, HEADING);
}

const MEMORY_HEADING = "## What the user asked you to remember";

/** The memory plugin's section; undefined when the prompt has none. */
export function memorySection(systemPrompt: string): string | undefined {
  return sectionOf(systemPrompt, MEMORY_HEADING);
}

function sectionOf(systemPrompt: string, heading: string): string | undefined {
  const lines = systemPrompt.split("\n");
  const start = lines.findIndex((line) => line.trim() === heading);
  if (start === -1) return undefined;
  const rest = lines.slice(start + 1);
  const end = rest.findIndex((line) => /^#{1,2} /.test(line));
  return [heading, ...(end === -1 ? rest : rest.slice(0, end))].join("\n").trimEnd();
}

/** The readers' types exclude unknown fields; a bullet that is not a JSON string is skipped. */
export function readPreferences(section: string | undefined): Preferences {
  const preferences: Record<string, string> = {};
  for (const line of section?.split("\n") ?? []) {
    const [, field, quoted] = BULLET.exec(line) ?? [];
    const value = quoted === undefined ? undefined : parseJson(quoted);
    if (field !== undefined && value?.ok === true && typeof value.value === "string") preferences[field] = value.value;
  }
  return preferences;
}

export interface PhrasedCall {
  readonly toolName: string;
  readonly input: JsonObject;
  /** The tool to call next with the DID of the domain that was found by its name. */
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

/** Each captures the argument as written. */
const otherPhrases: readonly (Phrase & { readonly argument: string })[] = [
  { toolName: "remember", pattern: /^(?:please )?remember(?: that|:) (.+)$/is, argument: "fact" },
  { toolName: "search_memory", pattern: /^what do you (?:remember|know) about (.+?)[?.!]*$/is, argument: "query" },
];

const FORGET_ALL =
  /^(?:please )?forget everything(?: (?:that )?(?:you (?:remember|know)(?: about me)?|about me))?[.!]?$/i;
export const FORGET_ALL_TOOL = "forget_everything";
const SEARCH_TOOL = "search_domains";

/** Maximum length, UTF-16 units: patterns take time on a long text. A fact to remember may be long; the name of a domain is not. */
const LONGEST_PHRASE = 2_000;
const LONGEST_QUESTION = 300;
/** The form that the registry's tools accept. */
const WHOLE_DID = /^did:[a-z0-9]+:[A-Za-z0-9._:%-]{1,200}$/;
const NAME_AND_DID = /^.+ \((did:[a-z0-9]+:[A-Za-z0-9._:%-]{1,200})\)$/;
const LONGEST_NAME = 200;
/** "my project" is not a name. */
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

/** The text without polite phrases around it. */
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
    if (isOffered(SEARCH_TOOL) && isDomainName(named))
      return { toolName: SEARCH_TOOL, input: { query: named }, afterwards: toolName };
  }
  const words = isOffered(SEARCH_TOOL) ? search.exec(sentence)?.[1] : undefined;
  if (words === undefined || !isDomainName(unquoted(words))) return undefined;
  return { toolName: SEARCH_TOOL, input: { query: unquoted(words) } };
}

function isDomainName(text: string): boolean {
  return text !== "" && text.length <= LONGEST_NAME && !text.startsWith("did:") && !NO_NAME.test(text);
}

function unquoted(text: string): string {
  return text.trim().replace(/^["“'‘](.*)["”'’]$/s, "$1");
}

/** A line of a tool's description: `Example: "Look up stove KE-0042" {"id":"KE-0042"}`. */
const EXAMPLE = /^Example: "([^"\n]+)" (\{.*\})$/gm;
/** How much of a description is read, UTF-16 units. */
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
