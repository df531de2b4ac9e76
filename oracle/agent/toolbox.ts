/**
 * The tools that a model is offered: plugins' tools, and the built-in ones. Tools of visibility `always` are in every request.
 * On-demand tools are offered from the step after `load_capability` was called in the session. `read_result` is offered while the
 * model has seen only the beginning of a long result.
 */
import { APPROVE_TOOL } from "../../protocol/socket-events.ts";
import * as z from "zod";
import type { PluginDefinition } from "../framework/plugin.ts";
import type { BoundTool, ContributedTool, OwnTool, Toolbox } from "./bound-tool.ts";
import type { SessionMemory } from "../runs/session-store.ts";
import { describeSchema } from "./arguments.ts";
import type { MessageRecord } from "../../protocol/records.ts";
import { parseJson } from "../../platform/json.ts";
import type { Call } from "../runs/step-store.ts";
import type { Past } from "../runs/transcript.ts";
import { NoOutput } from "./contributions.ts";

export interface Capabilities extends Toolbox {
  /** Plugins whose tools are offered at the start of the run. */
  readonly present: readonly PluginDefinition[];
  /** Whether any tools can be loaded. */
  readonly hasMore: boolean;
}

export const LIST_CAPABILITIES = "list_capabilities";
const LOAD_CAPABILITY = "load_capability";

export function unknownTool(name: string): { readonly problem: string } {
  return { problem: `There is no such tool: ${name}` };
}

/**
 * The tools that list and load capabilities exist only while a plugin has on-demand tools. `loaded` holds the plugins that the
 * session has loaded, and grows.
 */
export function createCapabilities(
  contributed: readonly ContributedTool[],
  loaded: Set<string>,
  memory: Pick<SessionMemory, "loadPlugin">,
): Capabilities {
  const onDemand = contributed.filter(({ visibility }) => visibility === "on-demand");
  const loadable = new Map(onDemand.map(({ plugin }) => [plugin.name, plugin]));
  const metaTools = onDemand.length === 0 ? [] : [listTool(), loadTool()];
  const reserved = new Set(metaTools.map(({ name }) => name));
  let offered = gather();

  function gather(): readonly BoundTool[] {
    const seen = contributed.filter(
      ({ tool, plugin, visibility }) =>
        !reserved.has(tool.name) && (visibility === "always" || loaded.has(plugin.name)),
    );
    return [...metaTools, ...seen.map(({ tool }) => tool)];
  }

  function toolsOf(plugin: string): readonly string[] {
    return onDemand.filter((each) => each.plugin.name === plugin).map(({ tool }) => tool.name);
  }

  function listTool(): OwnTool {
    return metaTool(
      LIST_CAPABILITIES,
      "Lists what else this oracle can do once it is loaded: names, what each is for and when to use it.",
      z.object({}),
      () =>
        [...loadable.values()].map(({ name, manifest: { title, summary, whenToUse } }) => ({
          name,
          title,
          summary,
          whenToUse,
          loaded: loaded.has(name),
        })),
    );
  }

  function loadTool(): OwnTool {
    const schema = z.object({ names: z.array(z.string()).min(1) });
    return metaTool(
      LOAD_CAPABILITY,
      `Loads capabilities by the names that ${LIST_CAPABILITIES} gives. Their tools can be called from the next step on.`,
      schema,
      (args) => {
        const { names } = schema.parse(args);
        const known = names.filter((name) => loadable.has(name));
        for (const name of known) {
          memory.loadPlugin(name);
          loaded.add(name);
        }
        offered = gather();
        return {
          loaded: known.map((name) => ({ name, tools: toolsOf(name) })),
          unknown: names.filter((name) => !loadable.has(name)),
        };
      },
    );
  }

  return {
    present: [...new Set(contributed.filter(({ tool }) => offered.includes(tool)).map(({ plugin }) => plugin))],
    hasMore: metaTools.length > 0,
    offered: () => offered,
    find(name) {
      const tool = offered.find((each) => each.name === name);
      if (tool !== undefined) return tool;
      const later = onDemand.find((each) => each.tool.name === name);
      if (later === undefined) return unknownTool(name);
      const call = JSON.stringify({ names: [later.plugin.name] });
      return {
        problem: `${name} is not loaded: call ${LOAD_CAPABILITY} with ${call} first, then call it in the next step`,
      };
    },
  };
}

/** A fixed set of tools. */
export function createToolbox(tools: readonly BoundTool[]): Toolbox {
  return {
    offered: () => tools,
    find: (name) => tools.find((tool) => tool.name === name) ?? unknownTool(name),
  };
}

function metaTool(name: string, description: string, schema: z.ZodType, call: OwnTool["call"]): OwnTool {
  return { name, description, schema, inputSchema: describeSchema(schema), effect: "read", call };
}

/**
 * Whether results of this tool contain text that the user did not write. A tool that the run no longer has counts, since the origin
 * of its text is unknown.
 */
export function isForeignTool({ find }: Toolbox, name: string): boolean {
  if (name === APPROVE_TOOL) return false;
  const tool = find(name);
  if ("problem" in tool) return true;
  return "foreign" in tool && tool.foreign === true;
}

/** How much of one result the model gets at once, bytes of UTF-8: a quarter of a small window. */
export const SHOWN_RESULT_BYTES = 32 * 1024;
export const READ_RESULT = "read_result";
/** The most UTF-8 bytes of a UTF-16 unit. */
const BYTES_PER_UNIT = 3;

const schema = z.object({
  toolCallId: z.string().describe("As the note in the result gives it."),
  offset: z.int().min(0).default(0).describe("The offset to continue from, in bytes of the whole result."),
});

interface Kept {
  readonly id: string;
  readonly name: string;
  readonly output?: string | undefined;
}

export interface ResultReader {
  readonly toolbox: Toolbox;
  /** The calls with their results shortened for the model. */
  calls(): readonly Call[];
  past(): Past;
}

export interface ResultReaderOptions {
  readonly toolbox: Toolbox;
  /** The agent's calls with complete results. */
  readonly calls: () => readonly Call[];
  readonly past: () => Past;
}

/**
 * Long tool results: the model gets the beginning, with a note that names the tool `read_result` for the rest. The run keeps the
 * whole result, and the transcript as much as its limits allow.
 */
export function createResultReader({ toolbox, calls, past }: ResultReaderOptions): ResultReader {
  const tool = readTool();
  let given: { readonly whole: Past; readonly cut: Past } | undefined;
  let offered: { readonly others: readonly BoundTool[]; readonly all: readonly BoundTool[] } | undefined;

  function* kept(): Iterable<Kept> {
    for (const { eventId: id, name, output } of calls()) yield { id, name, output };
    // Results of sub-agents were never shown to this model.
    for (const { toolCalls = [] } of past().records) yield* toolCalls.filter(({ agent }) => agent === undefined);
  }

  function isNeeded(): boolean {
    for (const each of kept()) if (isCut(each)) return true;
    return false;
  }

  function readTool(): OwnTool {
    return {
      name: READ_RESULT,
      description: `Continues a tool's result that is shown only in part: returns the next ${SHOWN_RESULT_BYTES} bytes from \`offset\`.`,
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
  const note = `\n[The first ${end} of ${bytes.length} bytes. Call ${READ_RESULT} with ${next} to continue]`;
  return { ...call, output: JSON.stringify(decoder.decode(bytes.subarray(0, end)) + note) };
}

/** The output of `read_result` is never cut: it fits, apart from the JSON escapes. */
function isCut({ name, output }: Kept): boolean {
  if (output === undefined || name === READ_RESULT || output.length * BYTES_PER_UNIT <= SHOWN_RESULT_BYTES)
    return false;
  return encoder.encode(textOf(output)).length > SHOWN_RESULT_BYTES;
}

/** The text that the model reads: a string as it is, any other value as JSON. */
function textOf(output: string): string {
  const parsed = parseJson(output);
  return parsed.ok && typeof parsed.value === "string" ? parsed.value : output;
}

/** The last position up to `at` that splits no character. */
function boundary(bytes: Uint8Array, at: number): number {
  let place = at;
  while (place > 0 && ((bytes[place] ?? 0) & 0b1100_0000) === 0b1000_0000) place -= 1;
  return place;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: false, ignoreBOM: true });
