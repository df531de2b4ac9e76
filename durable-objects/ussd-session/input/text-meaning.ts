/**
 * What a request's `text` means: a new session, the same request again, or an input. Some
 * gateways send all inputs so far, some only the latest; none says which. Texts hold PINs, so only their length and
 * digest are stored. What an input means in a state is typed-input.ts.
 */
import { MAX_TEXT } from "../../../platform/phone-reply.ts";

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
  /** Digests of the ids of the requests answered so far, oldest first; absent where the gateway sends none. */
  readonly requestIds?: readonly string[];
  /** Digest of the last request as received, where it has no id. */
  readonly rawDigest?: string;
}

export interface TextRules {
  /** `auto` finds the mode; the others force it. */
  readonly mode: "auto" | "cumulative" | "latest";
  /** For how long after its answer an equal text counts as the same request where the gateway is not known as cumulative, ms. */
  readonly replayWindowMs: number;
  /** Whether what was dialled after the code is applied. */
  readonly directDial: boolean;
  /** Keyed, of the whole text as received. */
  readonly digest: (text: string) => Promise<string>;
}

export interface TextRequest {
  readonly text: string;
  readonly serviceCode: string;
  /** When the request arrived, before it waited its turn, ms. */
  readonly arrivedAt: number;
  /** See rpc.ts. */
  readonly isInput?: boolean | undefined;
  /** See rpc.ts. */
  readonly isStart?: boolean | undefined;
  readonly requestId?: string | undefined;
  readonly raw?: string | undefined;
  /** What the last reply makes of the same text again, where it is a question of time alone otherwise. */
  readonly equalText?: EqualText;
}

/**
 * `repeats`: the last reply showed what cannot be asked for again, so an equal text leaves it there. `confirms`: it asked for
 * the same text once more, so an equal text is the answer. `offered`: it printed that text as an option.
 */
export type EqualText = "repeats" | "confirms" | "offered";

export type TextInput =
  | { readonly kind: "exit" | "empty" }
  /** What was typed, as received: may hold several inputs, see `takeSegment`. */
  | { readonly kind: "entry"; readonly remainder: string };

export type TextMeaning =
  /** A new session at its first screen; with an input, that is applied from there. */
  | { readonly kind: "open"; readonly input?: TextInput; readonly history: TextHistory }
  /** The last reply again, byte for byte; nothing else happens. */
  | { readonly kind: "replay" }
  /** The current screen again; no event. */
  | { readonly kind: "show" }
  /** The call is over, and another one begins under its id. */
  | { readonly kind: "redial" }
  | {
      readonly kind: "input";
      readonly input: TextInput;
      readonly history: TextHistory;
      /** The text did not follow from the one before: counted as `text_resync`. */
      readonly resync: boolean;
    };

/** Inputs that one text may apply; more are discarded. */
export const MAX_SEGMENTS = 20;
/** A cumulative text of 182 characters cannot have more prefixes; of a latest-only gateway the oldest go. */
export const ACCEPTED_TEXTS_KEPT = 183;
/** Requests whose ids are remembered: many more than are ever on their way at once. */
export const REQUEST_IDS_KEPT = 50;

const SEPARATOR = "*";

/** No live session with this id (PH-23, PH-24). */
export async function openingText(request: TextRequest, rules: TextRules): Promise<TextMeaning> {
  if (isDialled(request)) return { kind: "open", history: await historyOf("", request, rules) };
  const history = await historyOf(request.text, request, rules);
  if (request.text === "" || !rules.directDial) return { kind: "open", history };
  return { kind: "open", input: inputOf(request.text), history };
}

/** A text for a session that has ended and is still remembered: the same END again, or a new session. */
export async function textAfterEnd(request: TextRequest, history: TextHistory, rules: TextRules): Promise<TextMeaning> {
  if (await isAnswered(request, history, rules)) return { kind: "replay" };
  if (request.text === "" || isDialled(request)) return { kind: "open", history: await historyOf("", request, rules) };
  const isSoon = request.arrivedAt - history.answeredAt < rules.replayWindowMs;
  if (request.isStart === true && !isSoon) return openingText(request, rules);
  if (await isAccepted(request.text, history, rules)) return { kind: "replay" };
  return { kind: "open", history: await historyOf(request.text, request, rules) };
}

/** A text for a live session (PH-25 to PH-32). */
export async function readText(
  request: TextRequest,
  history: TextHistory,
  rules: TextRules,
): Promise<Exclude<TextMeaning, { kind: "open" }>> {
  const { text, isInput = false, isStart = false } = request;
  const last = history.accepted.at(-1) ?? { length: 0, digest: await rules.digest("") };
  const latest = rules.mode === "latest" || (rules.mode === "auto" && history.mode === "latest");

  if (await isAnswered(request, history, rules)) return { kind: "replay" };
  if (text === "" || isDialled(request)) {
    if (last.length === 0) return { kind: text === "" ? "replay" : "show" };
    // An id that is used again for the next call: a late copy of the first request comes soon after another reply.
    const isDial = !isInput && request.arrivedAt - history.answeredAt >= rules.replayWindowMs;
    return { kind: isDial ? "redial" : "show" };
  }
  if (isStart) return { kind: (await isSameStart(request, history, rules)) ? "replay" : "redial" };
  if (text.length === last.length && (await rules.digest(text)) === last.digest) {
    if (!latest && !mayBeLatest(request, history, rules)) return { kind: "replay" };
    if (await isRepetition(request, history, rules)) return { kind: "replay" };
    const known = await recognised(history, request, rules);
    return { kind: "input", input: inputOf(text, latest), history: known, resync: false };
  }
  if (rules.mode === "latest") {
    return {
      kind: "input",
      input: inputOf(text, true),
      history: await extended(history, request, rules),
      resync: false,
    };
  }
  if (await extendsLast(text, last, rules)) {
    const remainder = last.length === 0 ? text : text.slice(last.length + SEPARATOR.length);
    // The first input looks the same from both kinds of gateway: it decides nothing.
    const mode = last.length === 0 ? history.mode : "cumulative";
    return {
      kind: "input",
      input: inputOf(remainder),
      history: await extended(history, request, rules, mode),
      resync: false,
    };
  }
  // The beginning of what is known was typed before it, and was late on its way.
  if (!latest && (await isAccepted(text, history, rules))) return { kind: "replay" };
  const mode = rules.mode === "auto" && !text.includes(SEPARATOR) ? "latest" : history.mode;
  return {
    kind: "input",
    input: isExit(text) ? { kind: "exit" } : inputOf(text.slice(text.lastIndexOf(SEPARATOR) + 1)),
    history: await extended(history, request, rules, mode, 0),
    resync: !latest,
  };
}

/**
 * A text that is longer than a request may be, for a live session: what was typed last, if the text continues what the session
 * knows. Undefined otherwise, and for a gateway that sends only the latest input.
 */
export async function readLongText(
  request: TextRequest,
  history: TextHistory,
  rules: TextRules,
): Promise<TextMeaning | undefined> {
  const { text } = request;
  const last = history.accepted.at(-1);
  const latest = rules.mode === "latest" || (rules.mode === "auto" && history.mode === "latest");
  if (latest || last === undefined || last.length === 0) return undefined;
  if (await isAccepted(text, history, rules)) return { kind: "replay" };
  // Before any digest is made: its cost follows from the length.
  const remainder = text.slice(last.length + SEPARATOR.length);
  if (Array.from(remainder).length > MAX_TEXT || !(await extendsLast(text, last, rules))) return undefined;
  return {
    kind: "input",
    input: inputOf(remainder),
    history: await extended(history, request, rules, "cumulative"),
    resync: false,
  };
}

/** To be stored with the reply. */
export function answered(history: TextHistory, at: number): TextHistory {
  return { ...history, answeredAt: at };
}

/**
 * The next input of a remainder: all of it where `*` is part of the input, else up to the next `*`; empty ones are
 * dropped. Undefined at the end. The caller stops at a rejected one, before a PIN, and at MAX_SEGMENTS.
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
  // Stars alone are neither the key nor an input, unless a latest-only gateway sends them as what was typed.
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

/** A request that its gateway numbers, and that was answered before: however late and in whatever order it arrives. */
async function isAnswered({ requestId }: TextRequest, { requestIds }: TextHistory, { digest }: TextRules) {
  if (requestId === undefined || requestIds === undefined) return false;
  return requestIds.includes(await digest(requestId));
}

/** A copy of the request that opened the session, and not another call under its id: it comes soon after a reply. */
async function isSameStart({ text, arrivedAt }: TextRequest, history: TextHistory, rules: TextRules): Promise<boolean> {
  const [first] = history.accepted;
  if (first === undefined || arrivedAt - history.answeredAt >= rules.replayWindowMs) return false;
  return first.digest === (await rules.digest(text));
}

/**
 * Whether an equal text may be the same key again although nothing has shown yet what the gateway sends: it is one key, which
 * the screen offers. A cumulative gateway sends the first key again only as a retry; once it has sent a second key, it is known.
 */
function mayBeLatest({ text, equalText }: TextRequest, { mode }: TextHistory, rules: TextRules): boolean {
  return rules.mode === "auto" && mode === "undecided" && equalText === "offered" && !text.includes(SEPARATOR);
}

/** Whether the text of a latest-only gateway, equal to the one before, is the same request and not the same key again. */
async function isRepetition(request: TextRequest, history: TextHistory, rules: TextRules): Promise<boolean> {
  if (request.equalText === "repeats") return true;
  // The gateway numbers its requests, and this one is new.
  if (request.requestId !== undefined) return false;
  // A request that arrived while the first was in progress waited for it: it arrived before the reply.
  const isAnswer = request.equalText === "confirms" && request.arrivedAt >= history.answeredAt;
  if (isAnswer || request.arrivedAt - history.answeredAt >= rules.replayWindowMs) return false;
  if (request.raw === undefined || history.rawDigest === undefined) return true;
  return (await rules.digest(request.raw)) === history.rawDigest;
}

/** What a cumulative gateway sent before this text, or will yet: its beginnings up to each separator, if longer than `known`. */
function startsOf(text: string, known: number, { digest }: TextRules): Promise<readonly AcceptedText[]> {
  const ends = Array.from(text.matchAll(/\*/gu), ({ index }) => index).filter((end) => end > known);
  return Promise.all(ends.map(async (end) => ({ length: end, digest: await digest(text.slice(0, end)) })));
}

async function isAccepted(text: string, { accepted }: TextHistory, { digest }: TextRules): Promise<boolean> {
  const candidates = accepted.filter(({ length }) => length === text.length);
  if (candidates.length === 0) return false;
  const own = await digest(text);
  return candidates.some((candidate) => candidate.digest === own);
}

async function historyOf(text: string, request: TextRequest, rules: TextRules): Promise<TextHistory> {
  const mode = rules.mode === "auto" ? "undecided" : rules.mode;
  const starts = mode === "latest" ? [] : await startsOf(text, 0, rules);
  const accepted = [...starts, { length: text.length, digest: await rules.digest(text) }];
  return recognised({ mode, accepted, answeredAt: 0 }, request, rules);
}

/** With what the same request again is known by. */
async function recognised(
  history: TextHistory,
  { requestId, raw }: TextRequest,
  { digest }: TextRules,
): Promise<TextHistory> {
  const { mode, accepted, answeredAt, requestIds = [] } = history;
  const ids = requestId === undefined ? requestIds : [...requestIds, await digest(requestId)].slice(-REQUEST_IDS_KEPT);
  return {
    mode,
    accepted,
    answeredAt,
    ...(ids.length === 0 ? {} : { requestIds: ids }),
    ...(raw === undefined ? {} : { rawDigest: await digest(raw) }),
  };
}

async function extended(
  history: TextHistory,
  request: TextRequest,
  rules: TextRules,
  mode: TextMode = history.mode,
  known = history.accepted.at(-1)?.length ?? 0,
): Promise<TextHistory> {
  const { text } = request;
  const isCumulative = mode !== "latest" && rules.mode !== "latest";
  const starts = isCumulative ? await startsOf(text, known, rules) : [];
  const accepted = [...history.accepted, ...starts, { length: text.length, digest: await rules.digest(text) }];
  return recognised({ ...history, mode, accepted: accepted.slice(-ACCEPTED_TEXTS_KEPT) }, request, rules);
}
