/**
 * The limits of one run, its sub-agents included: tokens, tool calls, time, and repetitions of one call. Each model request must
 * also fit the remaining daily limits: its cost is reserved before it is sent, and its answer is bounded by the reservation;
 * `promptSize` estimates a prompt. Usage is stored with the run, so that a recovered run continues counting.
 */
import type { BudgetLimit } from "../../protocol/frames.ts";
import type { AgentMiddleware, ToolCallRequest } from "../framework/middleware.ts";
import { canonicalJson, isPlainJson } from "../../platform/json.ts";
import type { TokenGrant } from "../user-vault-rpc.ts";
import type { ActiveRun } from "../runs/active-run.ts";
import type { ModelCallUse } from "../runs/run-usage.ts";
import { type Call, type TokenUsage, CHARACTERS_PER_TOKEN } from "../runs/step-store.ts";
import type { RunLimits } from "../settings.ts";
import type { LanguageModelV4Message } from "@ai-sdk/provider";
import type { ModelCallRequest, ModelTool } from "../framework/model-call.ts";

/** The shortest useful answer, tokens: with less left, the model is not asked. */
export const SHORTEST_ANSWER_TOKENS = 256;
/** A reservation is used only until this long before its end, milliseconds, so that each request has ended when it expires. */
const GRANT_MARGIN_MS = 15 * 60_000;

export type RunBudget = ReturnType<typeof createRunBudget>;

/** A model request that is about to be sent. */
export interface PlannedCall {
  /** The id of the model's row. */
  readonly model: string;
  readonly prompt: PromptSize;
  /** The longest answer that the agent wants. */
  readonly maxOutputTokens: number;
  /** The size of the model's window, prompt and answer together. */
  readonly contextTokens: number;
}

/** The part of the daily limits that a run may use. */
export interface DayBudget {
  /** The reservation from when the run was counted. */
  readonly grant: TokenGrant | undefined;
  /** Raises the run's reservation to `most` in total, or to at least `least`; undefined when the day's tokens are used up. */
  readonly reserve: (wanted: { readonly most: number; readonly least: number }) => Promise<TokenGrant | undefined>;
  readonly now: () => number;
}

/** `day`: undefined when there are no daily limits. */
export function createRunBudget(
  { maxTokens, maxToolCalls }: Pick<RunLimits, "maxTokens" | "maxToolCalls">,
  active: Pick<
    ActiveRun,
    "calls" | "usage" | "addUsage" | "beginModelCall" | "settleModelCalls" | "modelCalls" | "isOverTime" | "closed"
  >,
  day?: DayBudget,
) {
  let grant = day?.grant;
  /** The reservation in progress. Another request waits for it, since both would count on the same tokens. */
  let reserving: Promise<unknown> = Promise.resolve();
  let waitingReservations = 0;
  /** Resolved when a request of the run is settled: its unused tokens are free for a waiting request. */
  let whenSettled = Promise.withResolvers<void>();

  const granted = (): number =>
    day === undefined ? Infinity : grant !== undefined && day.now() < grant.until - GRANT_MARGIN_MS ? grant.tokens : 0;

  function begin({ model, prompt }: PlannedCall, maxOutputTokens: number): ModelCallUse {
    const { tokens: promptTokens, most: mostPromptTokens } = prompt;
    return active.beginModelCall({ model, promptTokens, mostPromptTokens, maxOutputTokens });
  }

  /** The longest answer that the run's budget and the window allow. */
  function longestAnswer({ prompt, maxOutputTokens, contextTokens }: PlannedCall): number {
    const { inputTokens, outputTokens } = active.usage();
    const left = Math.min(maxTokens - inputTokens - outputTokens, contextTokens) - prompt.tokens;
    return Math.max(Math.min(SHORTEST_ANSWER_TOKENS, maxOutputTokens), Math.min(maxOutputTokens, left));
  }

  async function reserved({ reserve }: DayBudget, call: PlannedCall): Promise<ModelCallUse | undefined> {
    while (!active.closed) {
      const answer = longestAnswer(call);
      const prompted = active.modelCalls.committed() + call.prompt.most;
      if (prompted + answer <= granted()) return begin(call, answer);
      const settled = whenSettled.promise;
      grant = await reserve({ most: prompted + answer, least: prompted + Math.min(answer, SHORTEST_ANSWER_TOKENS) });
      if (grant !== undefined) return begin(call, Math.min(answer, grant.tokens - prompted));
      if (!active.modelCalls.areOpen()) return undefined;
      await settled;
    }
    return undefined;
  }

  /** Never rejects; resolves once that reservation is over. The last waiting request clears it. */
  async function settledBehind(begun: Promise<unknown>): Promise<void> {
    waitingReservations += 1;
    await Promise.allSettled([begun]);
    waitingReservations -= 1;
  }

  /** Reserves the cost of the request, and bounds its answer; undefined when the day's tokens are used up. */
  function beginModelCall(call: PlannedCall): ModelCallUse | Promise<ModelCallUse | undefined> {
    if (day === undefined) return begin(call, longestAnswer(call));
    const answer = longestAnswer(call);
    if (waitingReservations === 0 && active.modelCalls.committed() + call.prompt.most + answer <= granted())
      return begin(call, answer);
    const begun = reserving.then(() => reserved(day, call));
    reserving = settledBehind(begun);
    return begun;
  }

  function settleModelCalls(uses: readonly ModelCallUse[]): TokenUsage {
    const used = active.settleModelCalls(uses);
    whenSettled.resolve();
    whenSettled = Promise.withResolvers<void>();
    return used;
  }

  return {
    /** Tokens of a model call outside the run's own steps, such as a sub-agent's or a summary's. */
    spend: (tokens: TokenUsage): void => active.addUsage(tokens),
    /**
     * Counts the input of a model that a plugin calls itself, at the price of that row. Returns whether the run and the day had
     * enough left.
     */
    async spendInput(model: string, tokens: number): Promise<boolean> {
      if (active.closed || active.modelCalls.committed() + tokens > maxTokens) return false;
      const prompt = { tokens, most: tokens };
      const use = await beginModelCall({ model, prompt, maxOutputTokens: 0, contextTokens: Infinity });
      if (use === undefined) return false;
      use.sends();
      use.reported({ inputTokens: tokens, outputTokens: 0 });
      active.addUsage(settleModelCalls([use]));
      return true;
    },
    beginModelCall,
    settleModelCalls,
    /** Whether the stored call is within the run's limit of calls. */
    allows: ({ eventId }: Pick<Call, "eventId">): boolean =>
      active.calls.findIndex((call) => call.eventId === eventId) < maxToolCalls,
    /** Checked before each step, and before each further request of a step. */
    exhausted(): BudgetLimit | undefined {
      const { inputTokens, outputTokens } = active.usage();
      if (inputTokens + outputTokens >= maxTokens) return "tokens";
      if (active.calls.length > maxToolCalls) return "tools";
      return active.isOverTime() ? "time" : undefined;
    },
  };
}

export interface RepetitionOptions extends Pick<RunLimits, "maxIdenticalWrites" | "maxIdenticalReads"> {
  /** The calls of the run, its sub-agents' included, oldest first. */
  readonly calls: () => readonly Call[];
  /** Whether the user was asked about this call and did not approve it. */
  readonly isDenied: (call: Call) => boolean;
}

export function repetitionGuard({
  calls,
  isDenied,
  maxIdenticalWrites,
  maxIdenticalReads,
}: RepetitionOptions): AgentMiddleware {
  /** Arguments of admitted calls by call id, as parsed by the tool's schema, if they can be represented as JSON. */
  const passed = new Map<string, string>();

  function earlier({ toolCallId, name, args }: ToolCallRequest, read: string | undefined): readonly Call[] {
    const all = calls();
    const own = all.findIndex(({ eventId }) => eventId === toolCallId);
    const written = canonicalJson(all[own]?.args ?? args);
    return all.filter((call, index) => {
      if (index === own || call.name !== name || !counts(call)) return false;
      const isRunning = call.status === "isRunning";
      if (canonicalJson(call.args) === written) return !isRunning || index < own;
      return read !== undefined && passed.get(call.eventId) === read;
    });
  }

  function counts(call: Call): boolean {
    return call.status !== "error" || (call.effect === "write" && call.tries > 0) || isDenied(call);
  }

  return {
    name: "repetition-guard",
    required: true,
    async wrapToolCall(request, next) {
      const { name, toolCallId } = request;
      const read = isPlainJson(request.args) ? canonicalJson(request.args) : undefined;
      const same = earlier(request, read);
      if (same.some(isDenied))
        return { error: `${name} was not run: the user has not approved this call. Do not ask again.` };
      // The stored effect: other middleware cannot turn a write into a read.
      const effect = calls().find(({ eventId }) => eventId === toolCallId)?.effect ?? request.effect;
      if (same.length < (effect === "read" ? maxIdenticalReads : maxIdenticalWrites)) {
        if (read !== undefined) passed.set(toolCallId, read);
        return next(request);
      }
      if (same.some(({ status }) => status === "unknown" || status === "error"))
        return {
          error: `${name} was not run again: an earlier call with these arguments may have succeeded. Ask the user.`,
        };
      const times = same.length === 1 ? "once" : `${same.length} times`;
      return {
        error: `${name} was not run again: it was called with these arguments ${times} in this turn. Use the result, or change the arguments.`,
      };
    },
  };
}

/** Estimated tokens of an image or another file in a prompt: services count 300 to 1,600 for a large image. */
export const FILE_TOKENS = 1_600;
/** The most tokens that a service counts for a file: small models that bill an image as many tiles reach about 37,000. */
export const MOST_FILE_TOKENS = 40_000;
/** Tokens of each message and tool besides its texts: role and delimiters. */
const FRAME_TOKENS = 8;

/** The size of a prompt, tokens. */
export interface PromptSize {
  /** An estimate for typical text. */
  readonly tokens: number;
  /** An upper bound for any tokenizer: a token covers at least one byte of UTF-8. */
  readonly most: number;
}

type Prompt = Pick<ModelCallRequest, "system" | "messages" | "tools">;

/** Includes images and other files anywhere in the prompt. */
export function promptSize({ system, messages, tools }: Prompt): PromptSize {
  const size = { ascii: 0, other: 0, files: 0 };
  addText(size, system);
  for (const { content } of messages) addContent(size, content);
  for (const tool of tools) {
    const { ascii, other } = toolSize(tool);
    size.ascii += ascii;
    size.other += other;
  }
  const frames = (1 + messages.length + tools.length) * FRAME_TOKENS;
  return {
    // A character beyond ASCII is its own token in most tokenizers, and at most three bytes per unit.
    tokens: Math.ceil(size.ascii / CHARACTERS_PER_TOKEN) + size.other + size.files * FILE_TOKENS + frames,
    most: size.ascii + 3 * size.other + size.files * MOST_FILE_TOKENS + frames,
  };
}

interface TextSize {
  /** UTF-16 units. */
  ascii: number;
  other: number;
}

function addText(size: TextSize, text: string): void {
  let other = 0;
  for (let index = 0; index < text.length; index += 1) if (text.charCodeAt(index) > 0x7f) other += 1;
  size.other += other;
  size.ascii += text.length - other;
}

function addContent(size: TextSize & { files: number }, content: LanguageModelV4Message["content"]): void {
  if (typeof content === "string") return addText(size, content);
  for (const part of content) {
    if (part.type === "text" || part.type === "reasoning") addText(size, part.text);
    else if (part.type === "file" || part.type === "reasoning-file") size.files += 1;
    else if (part.type === "tool-call") addText(size, part.toolName + JSON.stringify(part.input ?? null));
    else if (part.type === "tool-result") {
      const { output } = part;
      // Files that a tool returned are counted, not measured: as JSON, their bytes would count as text.
      if (output.type !== "content") addText(size, JSON.stringify(output));
      else
        for (const each of output.value) {
          if (each.type === "text") addText(size, each.text);
          else size.files += 1;
        }
    }
  }
}

/** A tool does not change over the steps of its run. */
const toolSizes = new WeakMap<object, TextSize>();

function toolSize({ name, description, inputSchema }: ModelTool): TextSize {
  const known = toolSizes.get(inputSchema);
  if (known !== undefined) return known;
  const size = { ascii: 0, other: 0 };
  for (const text of [name, description, JSON.stringify(inputSchema)]) addText(size, text);
  toolSizes.set(inputSchema, size);
  return size;
}
