/**
 * The meaning of a request's `text`: a new session, a repeated request, or an input. Some gateways send all inputs so
 * far, some only the latest; none declares which. Texts contain PINs, so only their length and digest are stored.
 * typed-input.ts interprets an input in a state.
 */
import { MAX_TEXT } from "../../../platform/phone-reply.ts";

export type TextMode = "undecided" | "cumulative" | "latest";

export interface AcceptedText {
  /** UTF-16 units. */
  readonly length: number;
  readonly digest: string;
}

/** The text history that a session stores. Plain data, contains no text. */
export interface TextHistory {
  readonly mode: TextMode;
  /** Oldest first; the next text is compared with the last one. */
  readonly accepted: readonly AcceptedText[];
  /** When the last accepted text was answered, in ms. */
  readonly answeredAt: number;
  /** Digests of the ids of the requests answered so far, oldest first; absent if the gateway sends no ids. */
  readonly requestIds?: readonly string[];
  /** Digest of the last request as received, if it has no id. */
  readonly rawDigest?: string;
}

export interface TextRules {
  /** `auto` detects the mode; the other values force it. */
  readonly mode: "auto" | "cumulative" | "latest";
  /**
   * How long after its reply an equal text counts as a repetition, if the gateway is not known as cumulative, in ms.
   */
  readonly replayWindowMs: number;
  /** Whether inputs dialled after the code are applied. */
  readonly directDial: boolean;
  /** Keyed digest of the whole text as received. */
  readonly digest: (text: string) => Promise<string>;
}

export interface TextRequest {
  readonly text: string;
  readonly serviceCode: string;
  /** When the request arrived, before it waited for its turn, in ms. */
  readonly arrivedAt: number;
  /** See rpc.ts. */
  readonly isInput?: boolean | undefined;
  /** See rpc.ts. */
  readonly isStart?: boolean | undefined;
  readonly requestId?: string | undefined;
  readonly raw?: string | undefined;
  /** The meaning of an equal text after the last reply, if time alone does not decide. */
  readonly equalText?: EqualText;
}

/**
 * `repeats`: the last reply showed something that cannot be requested again, so an equal text keeps it. `confirms`: the
 * reply asked for the text a second time, so an equal text is the answer. `offered`: it printed that text as an option.
 */
export type EqualText = "repeats" | "confirms" | "offered";

export type TextInput =
  | { readonly kind: "exit" | "empty" }
  /** The typed text as received; it may contain several inputs, see `takeSegment`. */
  | { readonly kind: "entry"; readonly remainder: string };

export type TextMeaning =
  /** A new session at its first screen; `input`, if present, is applied from there. */
  | { readonly kind: "open"; readonly input?: TextInput; readonly history: TextHistory }
  /** The last reply again, byte for byte, without any effect. */
  | { readonly kind: "replay" }
  /** The current screen again, without an event. */
  | { readonly kind: "show" }
  /** The call has ended, and another one begins under its id. */
  | { readonly kind: "redial" }
  | {
      readonly kind: "input";
      readonly input: TextInput;
      readonly history: TextHistory;
      /** The text did not continue the previous one: counted as `text_resync`. */
      readonly resync: boolean;
    };

/** Maximum inputs that one text applies; more are discarded. */
export const MAX_SEGMENTS = 20;
/** A cumulative text of 182 characters cannot have more prefixes; for a latest-only gateway the oldest are dropped. */
export const ACCEPTED_TEXTS_KEPT = 183;
/** Requests whose ids are remembered: many more than are ever in transit at once. */
export const REQUEST_IDS_KEPT = 50;

const SEPARATOR = "*";

/** There is no live session with this id (PH-23, PH-24). */
export async function openingText(request: TextRequest, rules: TextRules): Promise<TextMeaning> {
  if (isDialled(request)) return { kind: "open", history: await historyOf("", request, rules) };
  const history = await historyOf(request.text, request, rules);
  if (request.text === "" || !rules.directDial) return { kind: "open", history };
  return { kind: "open", input: inputOf(request.text), history };
}

/** A text for a session that has ended and is still remembered: its END again, or a new session. */
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
    // An id that is reused for the next call: a late copy of the first request arrives soon after another reply.
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
    // The first input looks alike from both kinds of gateway, so it decides nothing.
    const mode = last.length === 0 ? history.mode : "cumulative";
    return {
      kind: "input",
      input: inputOf(remainder),
      history: await extended(history, request, rules, mode),
      resync: false,
    };
  }
  // A prefix of the known text was typed before it and arrived late.
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
 * A text longer than a request allows, for a live session: the last input, if the text continues the known text.
 * Undefined otherwise, and for a gateway that sends only the latest input.
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
  // Before any digest is computed, because its cost depends on the length.
  const remainder = text.slice(last.length + SEPARATOR.length);
  if (Array.from(remainder).length > MAX_TEXT || !(await extendsLast(text, last, rules))) return undefined;
  return {
    kind: "input",
    input: inputOf(remainder),
    history: await extended(history, request, rules, "cumulative"),
    resync: false,
  };
}

/** The history to store with the reply. */
export function answered(history: TextHistory, at: number): TextHistory {
  return { ...history, answeredAt: at };
}

/**
 * The next input of a remainder: the whole remainder where `*` is part of the input, otherwise up to the next `*`;
 * empty ones are dropped. Undefined at the end. The caller stops at a rejected input, before a PIN, and at
 * MAX_SEGMENTS.
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
  // Stars alone are neither the key nor an input, unless a latest-only gateway sends them as the typed text.
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

/** A request with an id of its gateway that was answered before, however late and in whatever order it arrives. */
async function isAnswered({ requestId }: TextRequest, { requestIds }: TextHistory, { digest }: TextRules) {
  if (requestId === undefined || requestIds === undefined) return false;
  return requestIds.includes(await digest(requestId));
}

/**
 * A copy of the request that opened the session rather than another call under its id: it arrives soon after a reply.
 */
async function isSameStart({ text, arrivedAt }: TextRequest, history: TextHistory, rules: TextRules): Promise<boolean> {
  const [first] = history.accepted;
  if (first === undefined || arrivedAt - history.answeredAt >= rules.replayWindowMs) return false;
  return first.digest === (await rules.digest(text));
}

/**
 * Whether an equal text may be a repeated key although the kind of gateway is still unknown: it is one key, which the
 * screen offers. A cumulative gateway repeats the first key only as a retry; once it has sent a second key, its kind is
 * known.
 */
function mayBeLatest({ text, equalText }: TextRequest, { mode }: TextHistory, rules: TextRules): boolean {
  return rules.mode === "auto" && mode === "undecided" && equalText === "offered" && !text.includes(SEPARATOR);
}

/**
 * Whether a text of a latest-only gateway that equals the previous one is a repeated request rather than a repeated
 * key.
 */
async function isRepetition(request: TextRequest, history: TextHistory, rules: TextRules): Promise<boolean> {
  if (request.equalText === "repeats") return true;
  // The gateway sends request ids, and this one is new.
  if (request.requestId !== undefined) return false;
  // A request that arrived while the first was in progress waited for it, so it arrived before the reply.
  const isAnswer = request.equalText === "confirms" && request.arrivedAt >= history.answeredAt;
  if (isAnswer || request.arrivedAt - history.answeredAt >= rules.replayWindowMs) return false;
  if (request.raw === undefined || history.rawDigest === undefined) return true;
  return (await rules.digest(request.raw)) === history.rawDigest;
}

/**
 * Texts that a cumulative gateway sent before this text, or will still deliver: its prefixes up to each separator, if
 * longer than `known`.
 */
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

/** Adds the digests by which a repetition of this request is recognised. */
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
