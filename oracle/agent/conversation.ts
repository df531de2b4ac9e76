/**
 * The messages after the system prompt: earlier runs from the transcript, this run's question, and the run's finished steps with
 * the outcome of every call. If they exceed the model's window, the longest texts are cut first. Whole runs are dropped, oldest
 * first, only when no useful part of them would remain.
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

/** How much of the transcript is read, characters of its JSON: more than the largest window holds. Older runs are not read. */
export const HISTORY_READ_SIZE = 4 * 1024 * 1024;
/** Cost of one message's role and delimiters, UTF-16 units: many short messages fill a window too. */
export const MESSAGE_OVERHEAD = 20;
/** A record cut below this size is useless, UTF-16 units. */
const LEAST_RECORD = 400;
/** Cost of a call's names, and of the note that replaces its output. */
const CALL_OVERHEAD = 100;

/** The share of the window for texts; the rest is for instructions, tools and the answer. */
const TEXT_SHARE = 3 / 4;

export interface Conversation {
  readonly past: Past;
  readonly question: Pick<RunRequest, "message"> & { readonly attachments: readonly AttachmentRequest[] };
  readonly steps: readonly Step[];
  readonly calls: readonly Call[];
}

export interface FittedConversation {
  readonly messages: LanguageModelV4Message[];
  /** Approximate size of its texts, UTF-16 units. */
  readonly size: number;
  /** A text that was still whole in the previous run was cut or dropped. */
  readonly newlyShortened: boolean;
}

/** `room`: how many UTF-16 units of text fit. */
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

/** Size of the earlier runs, UTF-16 units, as `fitConversation` counts it. */
export function pastSize({ records }: Pick<Past, "records">): number {
  return records.reduce((size, record) => size + sizeOf(record), 0);
}

/** Whether the previous run already had a shortened history. */
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

/** Text and outputs share the size. Arguments are kept whole or dropped, since they must remain an object. */
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

/** An output is JSON text; a cut output becomes plain text. */
function cutOutput(output: string, size: number): string {
  return output.length <= size ? output : JSON.stringify(cutText(output, size));
}

/** The finished steps of this run. Only outcomes of calls are cut, since the model relies on its own text. */
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

/** The previous run has age 1. */
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

/** The finished steps of a run. A call without an outcome is described as unknown. */
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

/** An action's result is passed as JSON text, any other result unchanged. */
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

/** How many characters of question, history and tool results fit a model's window. */
export function promptRoom(contextTokens: number): number {
  return Math.floor(contextTokens * CHARACTERS_PER_TOKEN * TEXT_SHARE);
}

/** The size limit for each text at which all of them fit the room; Infinity when they already fit. */
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

/** Replaces the middle of the text with a note, so that it is at most `size` long. */
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

/** A cut may split a surrogate pair; the remaining half is removed. */
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

/** Attachments of an older run; unreadable ones get no mark. */
function recordedMarks({ attachments = [] }: MessageRecord, age: number): readonly UserPart[] {
  const readable = attachments.flatMap((each) => recordedAttachment.safeParse(each).data ?? []);
  return attachmentMarks(readable, age);
}

/**
 * Each attachment follows the text of its message as a note that the file was not read. The note carries a mark that identifies the
 * attachment, so that a plugin can replace it with the file. A mark has no key.
 */
function attachmentMarks(attachments: readonly AttachmentRequest[], age: number): readonly UserPart[] {
  return attachments.map(({ file: _key, ...attachment }) => attachmentPart({ ...attachment, age }, noteOf(attachment)));
}

function noteOf({ filename, mimetype }: Pick<AttachmentRequest, "filename" | "mimetype">): string {
  return `[Attachment ${quoted(filename)} (${quoted(mimetype)}) could not be read: this oracle does not read attachments]`;
}

/** Cost of marks in the model's window, UTF-16 units. */
function marksSize(marks: readonly UserPart[]): number {
  return marks.reduce((size, mark) => size + (mark.type === "text" ? mark.text.length : 0), 0);
}
