/**
 * The finished model steps of an unfinished run and of its sub-agents, and their tool calls. They are used for recovery, and become
 * part of the transcript when the run ends. A damaged row is read as far as possible: it must not keep its run from ending.
 */
import * as z from "zod";
import { callStatus } from "../../protocol/frames.ts";
import { jsonObject, type JsonObject } from "../../protocol/json.ts";
import { finishReason, type FinishReason } from "../../protocol/records.ts";
import { readStoredJson } from "../../platform/json.ts";
import type { ModelUsage } from "../model-usage.ts";
import type { Effect } from "../framework/tools.ts";

export interface TokenUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Usage by model, each once; unknown in rows of an earlier version. */
  readonly models?: readonly ModelUsage[];
}

export const modelUsages = z.array(z.object({ model: z.string(), inputTokens: z.number(), outputTokens: z.number() }));

/** The models in the form that a row stores. */
export function storedModels({ models = [] }: TokenUsage): string | null {
  return models.length === 0 ? null : JSON.stringify(models);
}

export function toUsage(row: { input_tokens: number; output_tokens: number; models: string | null }): TokenUsage {
  const models = row.models === null ? undefined : readStoredJson(modelUsages, row.models);
  return {
    inputTokens: row.input_tokens,
    outputTokens: row.output_tokens,
    ...(models === undefined ? {} : { models }),
  };
}

/** Characters per token, low enough for most languages in Latin script. */
export const CHARACTERS_PER_TOKEN = 3;

/** A rough count for texts whose model does not report their tokens. */
export function estimateTokens(characters: number): number {
  return Math.ceil(characters / CHARACTERS_PER_TOKEN);
}

export interface Step {
  readonly text: string;
  readonly reasoning: string;
  readonly finishReason: FinishReason;
  readonly usage: TokenUsage;
}

/** `isRunning`: its outcome is awaited. `unknown`: it had begun when its process was lost, and is not retried. */
const storedStatus = z.enum([...callStatus.options, "unknown"]);

/** A tool call as the run stores it. `output` is the JSON text of the tool's result. */
export interface Call {
  readonly eventId: string;
  readonly step: number;
  readonly position: number;
  /** The model's id of the call. */
  readonly modelCallId: string;
  readonly name: string;
  readonly args: JsonObject;
  readonly status: z.output<typeof storedStatus>;
  readonly effect: Effect;
  /** In how many processes it has begun; 0 if it has not. */
  readonly tries: number;
  /** The sub-agent that makes the call: the main agent's model does not see it. */
  readonly agent?: string;
  /** Clients do not see the call. */
  readonly isHidden?: true;
  /** The call runs a sub-agent, which continues from its own steps after a restart. */
  readonly runsAgent?: true;
  /** For a sub-agent's call: the call that runs the sub-agent, and the step in which it is made. */
  readonly ofCall?: string;
  readonly ofStep?: number;
  readonly output?: string;
  readonly error?: string;
}

export type StepStore = ReturnType<typeof createStepStore>;

/** `run` is the run's ordinal. */
export function createStepStore(sql: SqlStorage) {
  return {
    addStep(run: number, position: number, { text, reasoning, finishReason: reason, usage }: Step): void {
      sql.exec(
        `INSERT INTO steps (run, position, text, reasoning, finish_reason, input_tokens, output_tokens, models)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
        run,
        position,
        text,
        reasoning,
        reason,
        usage.inputTokens,
        usage.outputTokens,
        storedModels(usage),
      );
    },

    steps: (run: number): readonly Step[] =>
      sql
        .exec<StepRow>(
          "SELECT text, reasoning, finish_reason, input_tokens, output_tokens, models FROM steps WHERE run = ? ORDER BY position",
          run,
        )
        .toArray()
        .map(toStep),

    /** A finished step of the sub-agent that the call runs. Its usage counts with the run. */
    addAgentStep(run: number, call: string, position: number, { text, finishReason: reason }: Step): void {
      sql.exec(
        "INSERT INTO agent_steps (run, call, position, text, finish_reason) VALUES (?, ?, ?, ?, ?)",
        run,
        call,
        position,
        text,
        reason,
      );
    },

    agentSteps: (run: number, call: string): readonly Step[] =>
      sql
        .exec<Pick<StepRow, "text" | "finish_reason">>(
          "SELECT text, finish_reason FROM agent_steps WHERE run = ? AND call = ? ORDER BY position",
          run,
          call,
        )
        .toArray()
        .map((row) => toStep({ ...row, reasoning: "", input_tokens: 0, output_tokens: 0, models: null })),

    putCall(run: number, call: Call): void {
      sql.exec(
        `INSERT OR REPLACE INTO calls (event_id, run, step, position, model_call_id, name, args, status, output, error,
           effect, tries, agent, hidden, runs_agent, of_call, of_step)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
        call.eventId,
        run,
        call.step,
        call.position,
        call.modelCallId,
        call.name,
        JSON.stringify(call.args),
        call.status,
        call.output ?? null,
        call.error ?? null,
        call.effect,
        call.tries,
        call.agent ?? null,
        call.isHidden === true ? 1 : 0,
        call.runsAgent === true ? 1 : 0,
        call.ofCall ?? null,
        call.ofStep ?? null,
      );
    },

    /** From here on, the call may have had its effect. */
    beginCall(eventId: string, tries: number): void {
      sql.exec("UPDATE calls SET tries = ? WHERE event_id = ?", tries, eventId);
    },

    calls: (run: number): readonly Call[] =>
      sql.exec<CallRow>("SELECT * FROM calls WHERE run = ? ORDER BY step, position", run).toArray().map(toCall),

    /** The run has ended and its record is stored. Calls of client tools (client-calls.ts) are deleted too. */
    clear(run: number): void {
      sql.exec("DELETE FROM steps WHERE run = ?", run);
      sql.exec("DELETE FROM agent_steps WHERE run = ?", run);
      sql.exec("DELETE FROM calls WHERE run = ?", run);
      sql.exec("DELETE FROM client_calls WHERE run = ?", run);
    },
  };
}

type StepRow = {
  text: string;
  reasoning: string;
  finish_reason: string | null;
  input_tokens: number;
  output_tokens: number;
  models: string | null;
};

type CallRow = {
  event_id: string;
  step: number;
  position: number;
  model_call_id: string;
  name: string;
  args: string;
  status: string;
  output: string | null;
  error: string | null;
  effect: string;
  tries: number;
  agent: string | null;
  hidden: number;
  runs_agent: number;
  of_call: string | null;
  of_step: number | null;
};

function toStep(row: StepRow): Step {
  const { text, reasoning, finish_reason } = row;
  return {
    text,
    reasoning,
    // Absent in steps of an older version.
    finishReason: finish_reason === null ? "stop" : finishReason.parse(finish_reason),
    usage: toUsage(row),
  };
}

const UNREADABLE = "The call can no longer be read";

function toCall(row: CallRow): Call {
  const args = readStoredJson(jsonObject(), row.args);
  const status = storedStatus.safeParse(row.status);
  const known = {
    eventId: row.event_id,
    step: row.step,
    position: row.position,
    modelCallId: row.model_call_id,
    name: row.name,
    args: args ?? {},
    // Any other value must count as a write, which is never repeated.
    effect: row.effect === "read" ? ("read" as const) : ("write" as const),
    tries: row.tries,
    ...(row.agent === null ? {} : { agent: row.agent }),
    ...(row.hidden === 1 ? { isHidden: true as const } : {}),
    ...(row.runs_agent === 1 ? { runsAgent: true as const } : {}),
    ...(row.of_call === null ? {} : { ofCall: row.of_call, ofStep: row.of_step ?? 0 }),
  };
  if (args === undefined || !status.success) return { ...known, status: "error", error: UNREADABLE };
  return {
    ...known,
    status: status.data,
    ...(row.output === null ? {} : { output: row.output }),
    ...(row.error === null ? {} : { error: row.error }),
  };
}
