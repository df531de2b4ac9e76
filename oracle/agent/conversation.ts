/**
 * What the model reads after the system prompt: the past runs as the transcript keeps them, this run's question, and the
 * run's finished steps with the outcome of every call. What does not fit the model's window is cut, the longest texts
 * first; whole runs are left out, oldest first, only when nothing useful of them would stay.
 */
import type { JSONValue, LanguageModelV4Message, LanguageModelV4ToolResultOutput } from "@ai-sdk/provider";
import type { MessageRecord, ToolCallRecord } from "../../protocol/records.ts";
import { type JsonValue, parseJson, quoted } from "../../platform/json.ts";
import { type AttachmentRequest, type UserPart, attachmentPart } from "../framework/attachments.ts";
import type { RunRequest } from "../run-request.ts";
import { INCOMPLETE_ACTION, INCOMPLETE_TOOL, unknownOutcome } from "../runs/call-ledger.ts";
import { CHARACTERS_PER_TOKEN, type Call, type Step } from "../runs/step-store.ts";
import type { Past } from "../runs/transcript.ts";
import * as z from "zod";

/** How much of the past is read, characters of its JSON: more than the largest window holds. Older runs are left out. */
export const HISTORY_READ_SIZE = 4 * 1024 * 1024;
/** The role and the delimiters of one message, UTF-16 units: many short messages fill a window too. */
export const MESSAGE_OVERHEAD = 20;
/** A record cut to less than this is useless, UTF-16 units. */
const LEAST_RECORD = 400;
/** What the note in place of an output counts for, and the names around a call. */
const CALL_OVERHEAD = 100;

/** The part of the window that texts may fill; the rest is for instructions, tools and the answer. */
const TEXT_SHARE = 3 / 4;

export interface Conversation {
  readonly past: Past;
  readonly question: Pick<RunRequest, "message"> & { readonly attachments: readonly AttachmentRequest[] };
  readonly steps: readonly Step[];
  readonly calls: readonly Call[];
}

export interface FittedConversation {
  readonly messages: LanguageModelV4Message[];
  /** UTF-16 units of its texts, about. */
  readonly size: number;
  /** Something was cut or left out that the previous run still had whole. */
  readonly newlyShortened: boolean;
}

/** `room`: UTF-16 units of text that the model can be given. */
export function fitConversation({ past, question, steps, calls }: Conversation, room: number): FittedConversation {
  const marks = attachmentMarks(question.attachments, 0);
  const asked = cutText(question.message, Math.floor(room / 2));
  const askedSize = asked.length + marksSize(marks);
  const own = fitSteps(steps, calls, room - askedSize);
  const fitted = fitRecords(past.records, room - askedSize - own.size);
  const shortened = fitted.shortened || past.omitted > 0 || own.shortened || asked.length < question.message.length;
  return {
    messages: [...pastMessages(fitted.records), userMessage(asked, marks), ...own.messages],
    size: askedSize + own.size + fitted.size,
    newlyShortened: shortened && !wasShortened(past, room),
  };
}

/** UTF-16 units of the past, as `fitConversation` counts them. */
export function pastSize({ records }: Pick<Past, "records">): number {
  return records.reduce((size, record) => size + sizeOf(record), 0);
}

/** Whether the last run of the past was itself asked with a shortened past. */
function wasShortened({ records, omitted }: Past, room: number): boolean {
  const last = records.findLastIndex(({ type }) => type === "human");
  if (last <= 0) return false;
  return omitted > 1 || fitRecords(records.slice(0, last), room).shortened;
}

interface Fitted {
  readonly records: readonly MessageRecord[];
  readonly shortened: boolean;
  readonly size: number;
}

function fitRecords(records: readonly MessageRecord[], room: number): Fitted {
  const start = records.findIndex(({ type }) => type === "human");
  if (start < 0) return { records: [], shortened: false, size: 0 };
  const seen = records.slice(start);
  const sizes = seen.map(sizeOf);
  for (let first = 0; first < seen.length; first += 1) {
    if (seen[first]?.type !== "human") continue;
    const size = fairSize(sizes.slice(first), room);
    if (size < LEAST_RECORD) continue;
    const kept = seen.slice(first);
    return {
      records: kept.map((record) => fitRecord(record, size)),
      shortened: first > 0 || size < Infinity,
      size: sizes.slice(first).reduce((sum, each) => sum + Math.min(each, size), 0),
    };
  }
  return { records: [], shortened: true, size: 0 };
}

function sizeOf({ content, toolCalls = [] }: MessageRecord): number {
  return toolCalls.reduce(
    (size, call) => size + CALL_OVERHEAD + callTexts(call).join("").length,
    MESSAGE_OVERHEAD + content.length,
  );
}

function callTexts({ args, output = "", error = "" }: ToolCallRecord): readonly string[] {
  return [JSON.stringify(args), output, error];
}

/** Text and outputs share the size; arguments are kept whole or not at all, since they must stay an object. */
function fitRecord(record: MessageRecord, size: number): MessageRecord {
  const { content, toolCalls = [] } = record;
  if (sizeOf(record) <= size) return record;
  const texts = [content, ...toolCalls.flatMap(callTexts)].map((text) => text.length);
  const fair = Math.max(0, fairSize(texts, size - MESSAGE_OVERHEAD - toolCalls.length * CALL_OVERHEAD));
  return {
    ...record,
    content: cutText(content, fair),
    ...(toolCalls.length === 0 ? {} : { toolCalls: toolCalls.map((call) => fitCall(call, fair)) }),
  };
}

function fitCall(call: ToolCallRecord, size: number): ToolCallRecord {
  const args = JSON.stringify(call.args).length <= size ? call.args : {};
  return { ...call, args, ...fitOutcome(call, size) };
}

function fitOutcome({ output, error }: Pick<ToolCallRecord, "output" | "error">, size: number) {
  return {
    ...(output === undefined ? {} : { output: cutOutput(output, size) }),
    ...(error === undefined ? {} : { error: cutText(error, size) }),
  };
}

/** An output is JSON text; a cut one becomes a text. */
function cutOutput(output: string, size: number): string {
  return output.length <= size ? output : JSON.stringify(cutText(output, size));
}

/** The finished steps of this run; only outcomes of calls are cut, since the model relies on its own text. */
function fitSteps(steps: readonly Step[], calls: readonly Call[], room: number) {
  const outcomes = calls.map(({ output = "", error = "" }) => output.length + error.length);
  const rest =
    steps.reduce((size, { text }) => size + text.length, 0) +
    calls.reduce((size, { args }) => size + CALL_OVERHEAD + JSON.stringify(args).length, 0);
  const size = fairSize(outcomes, Math.max(0, room - rest));
  const fitted = calls.map((call) => ({ ...call, ...fitOutcome(call, size) }));
  return {
    messages: stepMessages(steps, fitted),
    size: rest + outcomes.reduce((sum, length) => sum + Math.min(length, size), 0),
    shortened: size < Infinity,
  };
}

/** The run before this one has the age 1. */
function pastMessages(records: readonly MessageRecord[]): LanguageModelV4Message[] {
  let age = records.filter(({ type }) => type === "human").length + 1;
  return records.flatMap((record) => {
    if (record.type === "human") age -= 1;
    return recordMessages(record, age);
  });
}

function recordMessages(record: MessageRecord, age: number): LanguageModelV4Message[] {
  if (record.type === "human") return [userMessage(record.content, recordedMarks(record, age))];
  const calls = (record.toolCalls ?? []).filter(({ agent }) => agent === undefined).map(toOutcome);
  return [...callMessages("", calls), ...textMessages(record.content)];
}

function userMessage(text: string, marks: readonly UserPart[]): LanguageModelV4Message {
  return { role: "user", content: [{ type: "text", text }, ...marks] };
}

function textMessages(text: string): LanguageModelV4Message[] {
  return text === "" ? [] : [{ role: "assistant", content: [{ type: "text", text }] }];
}

/** The finished steps of a run; a call without an outcome is described as one whose outcome is unknown. */
function stepMessages(steps: readonly Step[], calls: readonly Call[]): LanguageModelV4Message[] {
  return steps.flatMap((step, position) => {
    const own = calls.filter((call) => call.step === position).map(fromCall);
    if (own.length > 0) return callMessages(step.text, own);
    return textMessages(step.text);
  });
}

interface EndedCall {
  readonly id: string;
  readonly name: string;
  readonly args: JsonValue;
  readonly result: LanguageModelV4ToolResultOutput;
}

function callMessages(text: string, outcomes: readonly EndedCall[]): LanguageModelV4Message[] {
  if (outcomes.length === 0) return [];
  const said = text === "" ? [] : [{ type: "text" as const, text }];
  const calls = outcomes.map(({ id, name, args }) => ({
    type: "tool-call" as const,
    toolCallId: id,
    toolName: name,
    input: args,
  }));
  const results = outcomes.map(({ id, name, result }) => ({
    type: "tool-result" as const,
    toolCallId: id,
    toolName: name,
    output: result,
  }));
  return [
    { role: "assistant", content: [...said, ...calls] },
    { role: "tool", content: results },
  ];
}

function fromCall({ eventId, modelCallId, name, args, output, error, status }: Call): EndedCall {
  const known =
    status === "isRunning" || status === "unknown"
      ? { error: `The outcome of ${name} is unknown; it was not run again` }
      : {};
  return { id: modelCallId, name, args, result: resultOf(eventId, { output, error, ...known }) };
}

function toOutcome({ id, name, args, output, error }: ToolCallRecord): EndedCall {
  const unknown = unknownOutcome(name);
  const isOpen =
    output === JSON.stringify(INCOMPLETE_TOOL) || output === JSON.stringify(unknown) || error === INCOMPLETE_ACTION;
  const known = isOpen ? { error: unknown } : { output, error };
  return { id, name, args, result: resultOf(id, known) };
}

/** The result of an action is passed as its JSON text, any other result as what it is. */
function resultOf(
  eventId: string,
  outcome: { output?: string | undefined; error?: string | undefined },
): EndedCall["result"] {
  if (outcome.error !== undefined) return { type: "error-text", value: outcome.error };
  if (eventId.startsWith("ag_")) return { type: "text", value: outcome.output ?? "null" };
  const parsed = parseJson(outcome.output ?? "null");
  if (!parsed.ok) return { type: "error-text", value: "The result can no longer be read" };
  const { value } = parsed;
  return typeof value === "string" ? { type: "text", value } : { type: "json", value: value as JSONValue };
}

/** How many characters of question, past and tool results fit a model's window. */
export function promptRoom(contextTokens: number): number {
  return Math.floor(contextTokens * CHARACTERS_PER_TOKEN * TEXT_SHARE);
}

/** The largest size that each text may have so that all of them fit the room; Infinity when they already fit. */
export function fairSize(sizes: readonly number[], room: number): number {
  const ascending = sizes.toSorted((one, other) => one - other);
  let left = room;
  for (const [index, size] of ascending.entries()) {
    const share = Math.floor(left / (ascending.length - index));
    if (size > share) return Math.max(0, share);
    left -= size;
  }
  return Infinity;
}

/** The text with its middle left out and a note in its place, at most `size` long. */
export function cutText(text: string, size: number): string {
  if (text.length <= size) return text;
  const note = `\n[${text.length - size} or more characters left out]\n`;
  const kept = Math.max(0, size - note.length);
  const head = Math.ceil((kept * 2) / 3);
  const tail = kept - head;
  return `${withoutHalf(text.slice(0, head), "end")}${note}${withoutHalf(text.slice(text.length - tail), "start")}`.slice(
    0,
    Math.max(size, 0),
  );
}

/** A cut may run through a surrogate pair; the half that is left means nothing. */
function withoutHalf(text: string, at: "start" | "end"): string {
  return at === "end" ? text.replace(/[\uD800-\uDBFF]$/, "") : text.replace(/^[\uDC00-\uDFFF]/, "");
}

/** An attachment as the transcript has it, with its id in the session. */
const recordedAttachment = z.object({
  id: z.string(),
  filename: z.string(),
  mimetype: z.string(),
  mxcUri: z.string().optional(),
  eventId: z.string().optional(),
  size: z.number().optional(),
  category: z.string().optional(),
});

/** Of an older run; what cannot be read has no mark. */
function recordedMarks({ attachments = [] }: MessageRecord, age: number): readonly UserPart[] {
  const readable = attachments.flatMap((each) => recordedAttachment.safeParse(each).data ?? []);
  return attachmentMarks(readable, age);
}

/**
 * Attachments follow the text of the message that they came with: each a note that the file was not read, marked with the attachment
 * that it represents, so that a plugin can put the file in its place. A mark has no key.
 */
function attachmentMarks(attachments: readonly AttachmentRequest[], age: number): readonly UserPart[] {
  return attachments.map(({ file: _key, ...attachment }) => attachmentPart({ ...attachment, age }, noteOf(attachment)));
}

function noteOf({ filename, mimetype }: Pick<AttachmentRequest, "filename" | "mimetype">): string {
  return `[Attachment ${quoted(filename)} (${quoted(mimetype)}) could not be read: this oracle does not read attachments]`;
}

/** What marks count for in the model's window, UTF-16 units. */
function marksSize(marks: readonly UserPart[]): number {
  return marks.reduce((size, mark) => size + (mark.type === "text" ? mark.text.length : 0), 0);
}
