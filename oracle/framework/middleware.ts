/**
 * Code around a turn, its model calls and its tool calls. In a turn: `beforeAgent`; then per step `beforeModel`,
 * `wrapModelCall`, `afterModel` and per call `wrapToolCall`; at last `afterAgent`. The before hooks run in load order,
 * the after hooks in reverse; the wrap hooks nest, the first loaded outermost.
 */
import type { LanguageModelV4Message } from "@ai-sdk/provider";
import type { BudgetLimit, FailureKind } from "../../protocol/frames.ts";
import type { JsonObject, JsonValue } from "../../platform/json.ts";
import type { RuntimeContext } from "./context.ts";
import type { Effect } from "./tools.ts";
import type { ModelCallRequest, ModelCallResult } from "./model-call.ts";

/**
 * Ends the turn. `message`: what the user is answered, after whatever was said before. `failure`: the turn fails with it; what was
 * said is kept.
 */
export type EndTurn =
  | { readonly jumpTo: "end"; readonly message: string }
  | { readonly jumpTo: "end"; readonly failure: TurnFailure };

export interface TurnFailure {
  /** What clients decide by, such as `budget_exhausted` with the `limit` `credits`; `unknown` otherwise. */
  readonly kind: FailureKind;
  readonly limit?: BudgetLimit;
  /** A stable word for programs, snake case. */
  readonly code: string;
  /** A sentence for the user that says what to do. */
  readonly message: string;
  readonly retryable: boolean;
}

/** One that throws is named in the log and in a notice and skipped for the rest of the turn, unless it is `required`. */
export interface AgentMiddleware {
  /** Names it in logs and notices. */
  readonly name: string;
  /** A gate: when it throws, the turn fails. */
  readonly required?: boolean;
  /**
   * `wrapModelCall` may change the text of an answer. The text is then sent when it has returned, not as it arrives;
   * without this, only text that it adds at the end is sent.
   */
  readonly rewritesText?: boolean;
  beforeAgent?(state: AgentState, ctx: RuntimeContext): Promise<EndTurn | void> | EndTurn | void;
  beforeModel?(state: AgentState, ctx: RuntimeContext): Promise<EndTurn | void> | EndTurn | void;
  wrapModelCall?(request: ModelCallRequest, next: CallModel, ctx: RuntimeContext): Promise<ModelCallResult | EndTurn>;
  afterModel?(state: AnsweredState, ctx: RuntimeContext): Promise<EndTurn | void> | EndTurn | void;
  wrapToolCall?(request: ToolCallRequest, next: CallTool, ctx: RuntimeContext): Promise<ToolCallResult | EndTurn>;
  /** Sees the text of the answer as the user is sent it, part by part; not that of sub-agents. It must be quick. */
  onText?(text: string, ctx: RuntimeContext): void;
  /** Also when the turn was ended early by a hook; not when it failed or was stopped. */
  afterAgent?(state: AgentState, ctx: RuntimeContext): Promise<void> | void;
}

export interface AgentState {
  /** What the model is given: past turns, the question, the finished steps of this turn. */
  readonly messages: readonly LanguageModelV4Message[];
  /** How many steps this agent has finished. */
  readonly step: number;
  /** The sub-agent; undefined for the main agent. */
  readonly agent?: string;
}

export interface AnsweredState extends AgentState {
  readonly result: ModelCallResult;
}

export interface ToolCallRequest {
  readonly toolCallId: string;
  readonly name: string;
  readonly args: JsonObject;
  readonly effect: Effect;
}

/** `output`: what the tool returned. `error`: why there is none, in words for the model. */
export type ToolCallResult = { readonly output: JsonValue } | { readonly error: string };

export type CallModel = (request: ModelCallRequest) => Promise<ModelCallResult>;
export type CallTool = (request: ToolCallRequest) => Promise<ToolCallResult>;
