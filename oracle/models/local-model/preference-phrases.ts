/**
 * Recognises a lasting wish about how to answer, in the phrases. Only a clause that
 * begins with such a phrase counts: a fact about the user ("my name is Ada") and formatting for one turn ("answer this
 * in French") are not preferences. Under "from now on" every other clause becomes an instruction.
 */
import type { PreferenceField, Preferences } from "./conversation.ts";

const LEAD_IN =
  /^(?:(?:hi|hello|hey|ok|okay|yes|thanks|please|kindly|also|and|then|but|just|(?:can|could|will|would) you|i(?:'d| would) like you to|i want you to|you (?:can|may|should))\b[\s,]*)+/i;
const ONE_TURN =
  /\b(?:this (?:time|once|one|answer|question|message|turn|text|letter|email)|just once|for now|today)\b/i;
const FACT =
  /^(?:i(?:'m| am|'ve| have| live| work| was)|my \w+ (?:is|are|was)|we(?:'re| are| have| live)|he|she|they|it|there|nobody|everybody|everyone)\b/i;
/** "The price is 5 dollars" states something, whatever comes after "from now on". */
const STATEMENT =
  /^(?:the|this|that|these|those|our|your|an?|\w+s)\b.{0,60}\b(?:is|are|was|were|will|costs?|has|have|comes?|opens?|closes?|starts?)\b/i;
const NOT_A_NAME =
  /^(?:an?|when|if|back|later|tomorrow|tonight|at|on|by|as|in|after|before|again|soon|out|what|this|maybe|perhaps|any|anytime|now|asap|right|immediately|once|from|for|to|with|about|whenever|every|crazy|lucky|whatever|anything)\b/i;
const NOT_A_LANGUAGE =
  /\b(?:sentences?|words?|lines?|bullets?|points?|lists?|tables?|markdown|json|paragraphs?|detail)\b/i;
/** A language has a capital letter, a script without capitals, or a name that people write in small letters. */
const LANGUAGE =
  /^[\p{Lu}\p{Lo}]|\b(?:english|french|german|spanish|portuguese|italian|dutch|arabic|chinese|hindi|japanese|russian|(?:ki)?swahili|(?:isi)?zulu|(?:isi)?xhosa|(?:chi)?nyanja|(?:chi)?bemba|hausa|yoruba|amharic|somali|français|deutsch|español|português)$/u;
/** "Sir in the story" is a part in something else. */
const PART = /\s(?:in|inside|within|during)\s/;
/** "From now on means what?" asks about the words. */
const ABOUT_THE_WORDS = /^(?:means?|meant|is|was|sounds?)\b|\b(?:what|why|how)$/i;
/** Full names and languages with a dialect are short; anything longer is a sentence that we failed to cut. */
const MAX_NAME_WORDS = 4;
const MAX_LANGUAGE_CHARACTERS = 20;
/** Characters. The patterns below take time that grows with the square of a text; no wish is longer than its field. */
export const LONGEST_WISH = 2000;

interface Phrase {
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
/** "Always answer in court" states a habit unless it names a form. */
const isManner = (value: string): boolean =>
  isWish(value) && (!/^\S+ \S+ in /.test(value) || NOT_A_LANGUAGE.test(value));

const phrases: readonly Phrase[] = [
  { field: "agentName", pattern: /^(?:always )?call yourself (.+)$/i, accepts: isName },
  { field: "userName", pattern: /^(?:always )?call me (.+)$/i, accepts: isName },
  { field: "language", pattern: /^always (?:answer|reply|respond) in (.+)$/i, accepts: isLanguage },
  { field: "tone", pattern: /^(?:always )?use an? (.+) tone(?: with me| in (?:all|your) answers)?$/i, accepts: isWish },
  { field: "length", pattern: /^(?:always )?keep (?:your |all )?answers (.+)$/i, accepts: isWish },
  { field: "format", pattern: /^(?:always )?format (?:your |all )?answers as (.+)$/i, accepts: isWish },
  { field: "customInstructions", pattern: /^(always (?:answer|reply|respond) .+)$/i, accepts: isManner },
];

/** A connector is a seam only where another phrase begins, so that "short and friendly" stays whole. */
const SEAM =
  /(?:\s*(?:,|;|\band\b|\bthen\b))+\s+(?=(?:please )?(?:always |call (?:me|yourself) |use an? .+ tone|keep (?:your |all )?answers |format (?:your |all )?answers ))/i;
const NAME_END = /(?:\s*(?:,|;|\band\b|\bthen\b|\bbut\b))+\s*/i;
/** A full stop ends a sentence only before a blank, and not after a title. */
const SENTENCE_END = /(?<!\b(?:Dr|Mr|Mrs|Ms|Prof|St))[.!?]+(?=\s|$)|\n+/;

/** The fields to store, or nothing when the text holds no lasting wish. */
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

/** What the segment wishes by a phrase, and the rest of what it says. */
function readSegment(segment: string): Wish {
  const plain = segment.replace(LEAD_IN, "");
  for (const { field, pattern, accepts } of phrases) {
    const captured = pattern.exec(plain)?.[1] ?? "";
    const end = accepts === isName ? NAME_END.exec(captured) : null;
    const value = unquote(end === null ? captured : captured.slice(0, end.index));
    if (!accepts(value)) continue;
    return { field, value, rest: end === null ? "" : captured.slice(end.index + end[0].length).trim() };
  }
  return { field: undefined, rest: plain };
}

/** "From now on X", also as "X from now on"; in the middle of a longer sentence it is only part of a statement. */
function findLasting(sentence: string): { readonly clause: string; readonly lasting: boolean } {
  const [, before = "", after = ""] = /^(.*?)[\s,]*\bfrom now on\b[\s,:]*(.*)$/i.exec(sentence) ?? [sentence, sentence];
  const outside = before.replace(LEAD_IN, "");
  if (outside === "") return { clause: after, lasting: true };
  return { clause: after === "" ? before : sentence, lasting: after === "" && before !== sentence };
}

function unquote(value: string): string {
  return value.replace(/^["'“‘\s]+|["'”’\s]+$/g, "");
}
