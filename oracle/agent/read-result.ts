/**
 * Long results of tools: the model is given the beginning, with a note that names the tool `read_result` for the rest. The
 * whole stays with the run, and with the transcript as far as that keeps it. The tool is there while the model is given a
 * result that was cut.
 */
import * as z from "zod";
import type { MessageRecord } from "../../protocol/records.ts";
import { parseJson } from "../../platform/json.ts";
import type { Call } from "../runs/step-store.ts";
import type { Past } from "../runs/transcript.ts";
import { NoOutput } from "./contributions.ts";
import { describeSchema } from "./arguments.ts";
import type { BoundTool, OwnTool, Toolbox } from "./bound-tool.ts";

/** How much of one result the model is given at once, bytes of its text as UTF-8: a quarter of a small window. */
export const SHOWN_RESULT_BYTES = 32 * 1024;
export const READ_RESULT = "read_result";
/** A UTF-16 unit has at most so many bytes in UTF-8. */
const BYTES_PER_UNIT = 3;

const schema = z.object({
  toolCallId: z.string().describe("As the note in the result gives it."),
  offset: z.int().min(0).default(0).describe("Where to read on, in bytes of the whole result."),
});

interface Kept {
  readonly id: string;
  readonly name: string;
  readonly output?: string | undefined;
}

export interface ResultReader {
  readonly toolbox: Toolbox;
  /** The calls with results as the model is given them. */
  calls(): readonly Call[];
  past(): Past;
}

export interface ResultReaderOptions {
  readonly toolbox: Toolbox;
  /** Those of the agent, with their whole results. */
  readonly calls: () => readonly Call[];
  readonly past: () => Past;
}

export function createResultReader({ toolbox, calls, past }: ResultReaderOptions): ResultReader {
  const tool = readTool();
  let given: { readonly whole: Past; readonly cut: Past } | undefined;
  let offered: { readonly others: readonly BoundTool[]; readonly all: readonly BoundTool[] } | undefined;

  function* kept(): Iterable<Kept> {
    for (const { eventId: id, name, output } of calls()) yield { id, name, output };
    // Those of sub-agents were never shown to this model.
    for (const { toolCalls = [] } of past().records) yield* toolCalls.filter(({ agent }) => agent === undefined);
  }

  function isNeeded(): boolean {
    for (const each of kept()) if (isCut(each)) return true;
    return false;
  }

  function readTool(): OwnTool {
    return {
      name: READ_RESULT,
      description: `Reads on in a tool's result of which only the beginning is shown: the next ${SHOWN_RESULT_BYTES} bytes from \`offset\`.`,
      schema,
      inputSchema: describeSchema(schema),
      effect: "read",
      call(args) {
        const { toolCallId, offset } = schema.parse(args);
        const found = [...kept()].find(({ id, output }) => id === toolCallId && output !== undefined);
        if (found === undefined) throw new NoOutput(`There is no result of ${JSON.stringify(toolCallId)} to read`);
        const bytes = encoder.encode(textOf(found.output ?? ""));
        const start = boundary(bytes, Math.min(offset, bytes.length));
        const end = boundary(bytes, Math.min(start + SHOWN_RESULT_BYTES, bytes.length));
        const text = decoder.decode(bytes.subarray(start, end));
        return { text, offset: start, nextOffset: end < bytes.length ? end : null, totalBytes: bytes.length };
      },
    };
  }

  return {
    calls: () => calls().map((call) => cut(call.eventId, call)),
    past() {
      const whole = past();
      if (given?.whole !== whole) given = { whole, cut: { ...whole, records: whole.records.map(cutRecord) } };
      return given.cut;
    },
    toolbox: {
      offered() {
        const others = toolbox.offered();
        if (offered?.others === others) return offered.all;
        if (!isNeeded()) return others;
        offered = { others, all: [...others.filter(({ name }) => name !== READ_RESULT), tool] };
        return offered.all;
      },
      find: (name) => (name === READ_RESULT && isNeeded() ? tool : toolbox.find(name)),
    },
  };
}

function cutRecord(record: MessageRecord): MessageRecord {
  const { toolCalls } = record;
  return toolCalls === undefined ? record : { ...record, toolCalls: toolCalls.map((call) => cut(call.id, call)) };
}

function cut<Cut extends { readonly name: string; readonly output?: string | undefined }>(id: string, call: Cut): Cut {
  if (!isCut({ id, ...call })) return call;
  const bytes = encoder.encode(textOf(call.output ?? ""));
  const end = boundary(bytes, SHOWN_RESULT_BYTES);
  const next = JSON.stringify({ toolCallId: id, offset: end });
  const note = `\n[The first ${end} of ${bytes.length} bytes. To read on, call ${READ_RESULT} with ${next}]`;
  return { ...call, output: JSON.stringify(decoder.decode(bytes.subarray(0, end)) + note) };
}

/** What `read_result` itself gave is never cut: it fits, but for what JSON adds. */
function isCut({ name, output }: Kept): boolean {
  if (output === undefined || name === READ_RESULT || output.length * BYTES_PER_UNIT <= SHOWN_RESULT_BYTES)
    return false;
  return encoder.encode(textOf(output)).length > SHOWN_RESULT_BYTES;
}

/** What the model reads: a text as it is, any other value as its JSON. */
function textOf(output: string): string {
  const parsed = parseJson(output);
  return parsed.ok && typeof parsed.value === "string" ? parsed.value : output;
}

/** The last place up to there that no character lies across. */
function boundary(bytes: Uint8Array, at: number): number {
  let place = at;
  while (place > 0 && ((bytes[place] ?? 0) & 0b1100_0000) === 0b1000_0000) place -= 1;
  return place;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: false, ignoreBOM: true });
