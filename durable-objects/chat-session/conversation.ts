/**
 * What the model is told: the past turns as the transcript keeps them, this turn's question, and the steps of this
 * turn that are already finished, with the outcome of every call that they made.
 */
import type { ModelMessage } from "ai";
import type { JsonValue } from "../../workers/platform/json.ts";
import type { Call, Step } from "./run-store.ts";
import type { Attachment, MessageRecord, ToolCallRecord } from "./rpc.ts";

/** How many past turns the model sees. */
export const HISTORY_TURNS = 40;
/** How much of the past the model sees, UTF-16 units; older turns are left out first. */
export const HISTORY_SIZE = 100_000;

export function pastMessages(records: readonly MessageRecord[]): ModelMessage[] {
  let room = HISTORY_SIZE;
  let first = records.length;
  while (first > 0) {
    room -= JSON.stringify(records[first - 1]).length;
    if (room < 0) break;
    first -= 1;
  }
  const seen = records.slice(first);
  const start = seen.findIndex(({ type }) => type === "human");
  return start < 0 ? [] : seen.slice(start).flatMap(recordMessages);
}

function recordMessages(record: MessageRecord): ModelMessage[] {
  if (record.type === "human") return [{ role: "user", content: record.content }];
  const calls = (record.toolCalls ?? []).map(toOutcome);
  const text: ModelMessage[] = record.content === "" ? [] : [{ role: "assistant", content: record.content }];
  return [...callMessages("", calls), ...text];
}

export function questionMessage(message: string, attachments: readonly Attachment[]): ModelMessage {
  const notes = attachments.map(
    ({ filename, mimetype }) =>
      `[Attachment "${filename}" (${mimetype}) could not be read: this oracle does not read attachments yet]`,
  );
  return { role: "user", content: [message, ...notes].join("\n") };
}

/** The finished steps of a turn; a call without an outcome is told as one whose outcome is unknown. */
export function stepMessages(steps: readonly Step[], calls: readonly Call[]): ModelMessage[] {
  return steps.flatMap((step, position) => {
    const own = calls.filter((call) => call.step === position).map(fromCall);
    if (own.length > 0) return callMessages(step.text, own);
    return step.text === "" ? [] : [{ role: "assistant" as const, content: step.text }];
  });
}

interface Outcome {
  readonly id: string;
  readonly name: string;
  readonly args: JsonValue;
  readonly result: { type: "text" | "error-text"; value: string } | { type: "json"; value: JsonValue };
}

function callMessages(text: string, outcomes: readonly Outcome[]): ModelMessage[] {
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
    output: result as { type: "text"; value: string },
  }));
  return [
    { role: "assistant", content: [...said, ...calls] },
    { role: "tool", content: results },
  ];
}

function fromCall({ eventId, modelCallId, name, args, output, error, status }: Call): Outcome {
  const known = status === "isRunning" ? { error: `The outcome of ${name} is unknown; it was not run again` } : {};
  return { id: modelCallId, name, args, result: resultOf(eventId, { output, error, ...known }) };
}

function toOutcome({ id, name, args, output, error }: ToolCallRecord): Outcome {
  return { id, name, args, result: resultOf(id, { output, error }) };
}

/** What an action gives is told as its JSON text (contract/oracle.md section 8.5), any other result as what it is. */
function resultOf(
  eventId: string,
  outcome: { output?: string | undefined; error?: string | undefined },
): Outcome["result"] {
  if (outcome.error !== undefined) return { type: "error-text", value: outcome.error };
  if (eventId.startsWith("ag_")) return { type: "text", value: outcome.output ?? "null" };
  const value = JSON.parse(outcome.output ?? "null") as JsonValue;
  return typeof value === "string" ? { type: "text", value } : { type: "json", value };
}
