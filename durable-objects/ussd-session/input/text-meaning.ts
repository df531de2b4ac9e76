/**
 * What a request's `text` means (contract/ussd.md section 3): a new session, the same request again, or an input. Some
 * gateways send all inputs so far, some only the latest; none says which. Texts hold PINs, so only their length and
 * digest are kept. Cleaning an input is characters/sanitise.ts, its meaning on a step is input-keys.ts.
 */

export type TextMode = "undecided" | "cumulative" | "latest";

export interface AcceptedText {
  /** UTF-16 units. */
  readonly length: number;
  readonly digest: string;
}

/** What a session remembers of its texts. Plain data, holds no text. */
export interface TextHistory {
  readonly mode: TextMode;
  /** Oldest first; the last one is the one that the next text is compared with. */
  readonly accepted: readonly AcceptedText[];
  /** When the last accepted text was answered, ms. */
  readonly answeredAt: number;
}

export interface TextRules {
  /** `auto` finds the mode; the others force it. */
  readonly mode: "auto" | "cumulative" | "latest";
  /** For how long after its answer an equal text of a latest-only gateway counts as the same request, ms. */
  readonly replayWindowMs: number;
  /** Whether what was dialled behind the code is applied. */
  readonly directDial: boolean;
  /** Keyed, of the whole text as it came. */
  readonly digest: (text: string) => Promise<string>;
}

export interface TextRequest {
  readonly text: string;
  readonly serviceCode: string;
  /** When the request came in, before it waited its turn, ms. */
  readonly arrivedAt: number;
}

export type TextInput =
  | { readonly kind: "exit" | "empty" }
  /** What was typed, as it came: may hold several inputs, see `takeSegment`. */
  | { readonly kind: "entry"; readonly remainder: string };

export type TextMeaning =
  /** A new session at its first screen; with an input, that is applied from there. */
  | { readonly kind: "open"; readonly input?: TextInput; readonly history: TextHistory }
  /** The last reply again, byte for byte; nothing else happens. */
  | { readonly kind: "replay" }
  /** The current screen again; no event. */
  | { readonly kind: "show" }
  | {
      readonly kind: "input";
      readonly input: TextInput;
      readonly history: TextHistory;
      /** The text did not follow from the one before: counted as `text_resync`. */
      readonly resync: boolean;
    };

/** Inputs that one text may apply; what is beyond is discarded. */
export const MAX_SEGMENTS = 20;
/** A cumulative text of 182 characters cannot have more prefixes; of a latest-only gateway the oldest go. */
export const ACCEPTED_TEXTS_KEPT = 183;

const SEPARATOR = "*";

/** Rules 1 to 3: no live session with this id. */
export async function openingText(request: TextRequest, rules: TextRules): Promise<TextMeaning> {
  if (isDialled(request)) return { kind: "open", history: await historyOf("", rules) };
  const history = await historyOf(request.text, rules);
  if (request.text === "" || !rules.directDial) return { kind: "open", history };
  return { kind: "open", input: inputOf(request.text), history };
}

/** A text for a session that has ended and is still remembered: the same END again, or a new session (section 4). */
export async function textAfterEnd(request: TextRequest, history: TextHistory, rules: TextRules): Promise<TextMeaning> {
  if (request.text === "" || isDialled(request)) return { kind: "open", history: await historyOf("", rules) };
  if (await isAccepted(request.text, history, rules)) return { kind: "replay" };
  return { kind: "open", history: await historyOf(request.text, rules) };
}

/** Rules 3 to 9: a text for a live session. */
export async function readText(request: TextRequest, history: TextHistory, rules: TextRules): Promise<TextMeaning> {
  const { text } = request;
  const last = history.accepted.at(-1) ?? { length: 0, digest: await rules.digest("") };
  const latest = rules.mode === "latest" || (rules.mode === "auto" && history.mode === "latest");

  if (isDialled(request)) return { kind: "show" };
  if (text === "") return { kind: last.length === 0 ? "replay" : "show" };
  if (text.length === last.length && (await rules.digest(text)) === last.digest) {
    // One that came while the first was still in work waited for it: it arrived before the answer.
    const again = !latest || request.arrivedAt - history.answeredAt < rules.replayWindowMs;
    return again ? { kind: "replay" } : { kind: "input", input: inputOf(text, latest), history, resync: false };
  }
  if (rules.mode === "latest") {
    return { kind: "input", input: inputOf(text, true), history: await extended(history, text, rules), resync: false };
  }
  if (await extendsLast(text, last, rules)) {
    const remainder = last.length === 0 ? text : text.slice(last.length + SEPARATOR.length);
    // The first input looks the same from both kinds of gateway: it decides nothing.
    const mode = last.length === 0 ? history.mode : "cumulative";
    return {
      kind: "input",
      input: inputOf(remainder),
      history: await extended(history, text, rules, mode),
      resync: false,
    };
  }
  if (!latest && history.mode === "cumulative" && (await isAccepted(text, history, rules))) return { kind: "replay" };
  const mode = rules.mode === "auto" && !text.includes(SEPARATOR) ? "latest" : history.mode;
  return {
    kind: "input",
    input: isExit(text) ? { kind: "exit" } : inputOf(text.slice(text.lastIndexOf(SEPARATOR) + 1)),
    history: await extended(history, text, rules, mode),
    resync: !latest,
  };
}

/** To be stored with the reply. */
export function answered(history: TextHistory, at: number): TextHistory {
  return { ...history, answeredAt: at };
}

/**
 * The next input of a remainder: all of it where the step takes `*` as data, else up to the next `*`; empty ones are
 * dropped. Undefined at the end. The caller stops at a refused one, on reaching a PIN step, and at MAX_SEGMENTS.
 */
export function takeSegment(
  remainder: string,
  whole: boolean,
): { readonly segment: string; readonly rest: string } | undefined {
  if (whole && remainder !== "") return { segment: remainder, rest: "" };
  const start = remainder.search(/[^*]/u);
  if (start === -1) return undefined;
  const end = remainder.indexOf(SEPARATOR, start);
  if (end === -1) return { segment: remainder.slice(start), rest: "" };
  return { segment: remainder.slice(start, end), rest: remainder.slice(end + SEPARATOR.length) };
}

function inputOf(remainder: string, whole = false): TextInput {
  if (remainder === "") return { kind: "empty" };
  if (isExit(remainder)) return { kind: "exit" };
  // Stars alone are neither the key nor an input, unless they are what a latest-only gateway says was typed.
  if (!whole && /^\*+$/u.test(remainder)) return { kind: "empty" };
  return { kind: "entry", remainder };
}

function isExit(text: string): boolean {
  return text === "*" || text === "**";
}

/** The dialled string itself, which some gateways send as the first text. */
function isDialled({ text, serviceCode }: TextRequest): boolean {
  return text === serviceCode || (text.startsWith("*") && text.endsWith("#"));
}

async function extendsLast(text: string, last: AcceptedText, { digest }: TextRules): Promise<boolean> {
  if (text.length <= last.length) return false;
  if (last.length === 0) return true;
  return text[last.length] === SEPARATOR && (await digest(text.slice(0, last.length))) === last.digest;
}

async function isAccepted(text: string, { accepted }: TextHistory, { digest }: TextRules): Promise<boolean> {
  const candidates = accepted.filter(({ length }) => length === text.length);
  if (candidates.length === 0) return false;
  const own = await digest(text);
  return candidates.some((candidate) => candidate.digest === own);
}

async function historyOf(text: string, rules: TextRules): Promise<TextHistory> {
  const mode = rules.mode === "auto" ? "undecided" : rules.mode;
  return { mode, accepted: [{ length: text.length, digest: await rules.digest(text) }], answeredAt: 0 };
}

async function extended(
  history: TextHistory,
  text: string,
  rules: TextRules,
  mode: TextMode = history.mode,
): Promise<TextHistory> {
  const accepted = [...history.accepted, { length: text.length, digest: await rules.digest(text) }];
  return { ...history, mode, accepted: accepted.slice(-ACCEPTED_TEXTS_KEPT) };
}
