/**
 * Code around a turn, its model calls and its tool calls. In a turn: `beforeAgent`; then per step `beforeModel`, `wrapModelCall`,
 * `afterModel` and per call `wrapToolCall`; finally `afterAgent`. Before hooks run in load order, after hooks in reverse; wrap
 * hooks nest, the first loaded outermost.
 */
import type { LanguageModelV4Message } from "@ai-sdk/provider";
import type { BudgetLimit, FailureKind } from "../../protocol/frames.ts";
import type { JsonObject, JsonValue } from "../../platform/json.ts";
import type { RuntimeContext } from "./context.ts";
import type { Effect } from "./tools.ts";
import type { ModelCallRequest, ModelCallResult } from "./model-call.ts";

/**
 * Ends the turn. `message`: sent to the user after any text already sent. `failure`: the turn fails with it; text already sent is
 * kept.
 */
export type EndTurn =
  | { readonly jumpTo: "end"; readonly message: string }
  | { readonly jumpTo: "end"; readonly failure: TurnFailure };

export interface TurnFailure {
  /** The kind that clients act on, such as `budget_exhausted` with the `limit` `credits`; `unknown` by default. */
  readonly kind: FailureKind;
  readonly limit?: BudgetLimit;
  /** A stable code for programs, in snake case. */
  readonly code: string;
  /** A sentence for the user that says what to do. */
  readonly message: string;
  readonly retryable: boolean;
}

/** If a hook throws, a notice and the log name it, and it is skipped for the rest of the turn, unless it is `required`. */
export interface AgentMiddleware {
  /** The name in logs and notices. */
  readonly name: string;
  /** Makes it a gate: when it throws, the turn fails. */
  readonly required?: boolean;
  /**
   * `wrapModelCall` may change the text of an answer, so the text is sent after it has returned instead of as it arrives. Without
   * this, only text that it appends is sent.
   */
  readonly rewritesText?: boolean;
  beforeAgent?(state: AgentState, ctx: RuntimeContext): Promise<EndTurn | void> | EndTurn | void;
  beforeModel?(state: AgentState, ctx: RuntimeContext): Promise<EndTurn | void> | EndTurn | void;
  wrapModelCall?(request: ModelCallRequest, next: CallModel, ctx: RuntimeContext): Promise<ModelCallResult | EndTurn>;
  afterModel?(state: AnsweredState, ctx: RuntimeContext): Promise<EndTurn | void> | EndTurn | void;
  wrapToolCall?(request: ToolCallRequest, next: CallTool, ctx: RuntimeContext): Promise<ToolCallResult | EndTurn>;
  /** Receives the text of the answer as it is sent to the user, part by part, without the text of sub-agents. It must be fast. */
  onText?(text: string, ctx: RuntimeContext): void;
  /** Called even when a hook ended the turn early; not when the turn failed or was stopped. */
  afterAgent?(state: AgentState, ctx: RuntimeContext): Promise<void> | void;
}

export interface AgentState {
  /** The messages for the model: earlier turns, the question, the finished steps of this turn. */
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

/** `output`: the tool's return value. `error`: why there is none, as a text for the model. */
export type ToolCallResult = { readonly output: JsonValue } | { readonly error: string };

export type CallModel = (request: ModelCallRequest) => Promise<ModelCallResult>;
export type CallTool = (request: ToolCallRequest) => Promise<ToolCallResult>;
