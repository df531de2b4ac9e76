/**
 * Converts the frames of one run to chunks of an AI SDK stream. Such streams only append. After a server restart, the code removes
 * text with `reset-step`, which removes the message's parts, and then sends the remaining parts again.
 */
import type { FinishReason, UIMessageChunk } from "ai";
import type { RunFrame } from "../core/run-stream.ts";
import type { FrameData } from "../core/wire.ts";
import {
  approvalAsked,
  approvalGiven,
  callBegun,
  callEnded,
  chunksOf,
  cutTo,
  textOf,
  withText,
  type CallPart,
  type Part,
} from "./run-parts.ts";

/** The data about its run in an assistant message, as `message.metadata`. */
export interface OracleMessageMetadata {
  readonly runId?: string;
  readonly requestId?: string;
  /** The outcome of the run; undefined while it runs. */
  readonly status?: FrameData<"done">["status"];
  /** The id of the stored record. */
  readonly messageId?: string;
  readonly createdAt?: string;
  /** The oracle needs a delegation for a requested action. */
  readonly delegationRequired?: true;
}

const APPROVE_TOOL = "approve_tool";
/** The text that every run sends before the model's thinking. */
const PLACEHOLDER = "Thinking...";

export interface RunChunks {
  /** The chunks for a frame. */
  read(frame: RunFrame): UIMessageChunk[];
  /** The chunks for the whole run so far, for a reader with an empty message. */
  all(): UIMessageChunk[];
  /** The ids of the unanswered questions. */
  openQuestions(): readonly string[];
  /** The run waits only for its user. */
  isWaiting(): boolean;
}

export function createRunChunks(): RunChunks {
  let parts: Part[] = [];
  let made = 0;
  let failure: FrameData<"error"> | undefined;
  let end: UIMessageChunk[] = [];

  const nextId = (): string => `part-${(made += 1)}`;
  const callOf = (id: string): CallPart | undefined =>
    parts.find((part): part is CallPart => part.kind === "call" && part.id === id);
  const openCalls = (): CallPart[] =>
    parts.filter((part): part is CallPart => part.kind === "call" && part.outcome === undefined);
  const again = (): UIMessageChunk[] => [{ type: "reset-step" }, ...chunksOf(parts)];

  function closeOpen(): UIMessageChunk[] {
    return parts.flatMap((part) => {
      if (part.kind === "call" || !part.open) return [];
      part.open = false;
      return [{ type: `${part.kind}-end`, id: part.id } as const];
    });
  }

  function append(kind: "text" | "reasoning", delta: string): UIMessageChunk[] {
    if (delta === "") return [];
    const last = parts.at(-1);
    if (last !== undefined && last.kind === kind && last.open) {
      last.text += delta;
      return [{ type: `${kind}-delta`, id: last.id, delta }];
    }
    const closed = closeOpen();
    const id = nextId();
    parts.push({ kind, id, text: delta, open: true });
    return [...closed, { type: `${kind}-start`, id }, { type: `${kind}-delta`, id, delta }];
  }

  function begin(call: CallPart): UIMessageChunk[] {
    const closed = closeOpen();
    parts.push(call);
    return [...closed, callBegun(call)];
  }

  function call(id: string, name: string, input: unknown, data: FrameData<"tool_call">): UIMessageChunk[] {
    const known = callOf(id);
    const part = known ?? { kind: "call", id, name, input };
    const begun = known === undefined ? begin(part) : [];
    if (data.status === "isRunning") return begun;
    part.outcome = data.status === "error" ? { error: data.error ?? "The call failed" } : { output: data.output ?? "" };
    return part.approval?.approved === false ? begun : [...begun, callEnded(id, part.outcome)];
  }

  /**
   * The question concerns a call that is already shown. For a call of a sub-agent, the question may be its first event.
   */
  function question({ toolCallId, args, status, output }: FrameData<"action_call">): UIMessageChunk[] {
    const asked = parts.find((part): part is CallPart => part.kind === "call" && part.approval?.id === toolCallId);
    if (status === "isRunning") {
      if (asked !== undefined) return [];
      const { toolName, args: input } = args;
      const name = typeof toolName === "string" ? toolName : APPROVE_TOOL;
      const isMeant = (part: Part): part is CallPart =>
        part.kind === "call" && part.name === name && part.outcome === undefined && part.approval === undefined;
      const shown = parts.findLast((part) => isMeant(part) && sameJson(part.input, input)) as CallPart | undefined;
      const part: CallPart = shown ?? { kind: "call", id: toolCallId, name, input };
      const begun = shown === undefined ? begin(part) : [];
      part.approval = { id: toolCallId };
      return [...begun, approvalAsked(part.id, toolCallId)];
    }
    if (asked?.approval === undefined || asked.approval.approved !== undefined) return [];
    const approved = status === "done" && isApproval(output);
    asked.approval.approved = approved;
    const answered = approvalGiven(asked.id, toolCallId, approved);
    // A part without a call, so no later frame would end it.
    if (!approved || asked.id !== toolCallId) return answered;
    asked.outcome = { output: output ?? "" };
    return [...answered, callEnded(asked.id, asked.outcome)];
  }

  function finish(done: FrameData<"done">): UIMessageChunk[] {
    const { runId, requestId, status, messageId, delegationRequired, partialText } = done;
    const closed = closeOpen();
    const isOther = status !== "finished" && partialText !== undefined && partialText !== textOf(parts);
    if (isOther) parts = withText(parts, partialText, nextId());
    const messageMetadata: OracleMessageMetadata = {
      runId,
      requestId,
      status,
      ...(messageId === undefined ? {} : { messageId }),
      ...(delegationRequired === undefined ? {} : { delegationRequired }),
    };
    const failed = status === "failed" || status === "interrupted";
    // Readers stop at an error, so the data about the run comes first.
    const error = [
      { type: "message-metadata", messageMetadata } as const,
      { type: "error", errorText: failure?.error ?? `The turn was ${status}.` } as const,
    ];
    end = [
      ...(failed ? error : []),
      ...(status === "aborted" ? [{ type: "abort" } as const] : []),
      { type: "finish", finishReason: finishReasonOf(done), messageMetadata },
    ];
    return [...closed, ...(isOther ? again() : []), ...end];
  }

  return {
    read({ event, data }) {
      switch (event) {
        case "run":
          if (data.resumed !== true) return [];
          parts = cutTo(parts, data.partialLength ?? 0);
          closeOpen();
          return again();
        case "message":
          return append("text", data.content);
        case "reasoning": {
          const isPlaceholder = parts.length === 0 && data.reasoning === PLACEHOLDER;
          const shown = isPlaceholder ? [] : append("reasoning", data.reasoning);
          return data.isComplete ? [...shown, ...closeOpen()] : shown;
        }
        case "tool_call":
          return call(data.eventId, data.toolName, withoutName(data), data);
        case "action_call":
          if (data.toolName === APPROVE_TOOL) return question(data);
          return call(data.toolCallId, data.toolName, data.args, { ...data, eventId: data.toolCallId });
        case "error":
          failure = data;
          // Only `done` ends a run. A warning is passed to `onData` and is not part of the message.
          return [{ type: "data-notice", data, transient: true }];
        case "done":
          return finish(data);
        default:
          return [];
      }
    },
    all: () => [...chunksOf(parts), ...end],
    openQuestions: () =>
      openCalls().flatMap(({ approval }) =>
        approval === undefined || approval.approved !== undefined ? [] : approval.id,
      ),
    isWaiting() {
      const asked = openCalls().map(({ approval }) => (approval === undefined ? "made" : approval.approved));
      return asked.includes(undefined) && asked.every((answer) => answer === undefined || answer === false);
    },
  };
}

/** `args` of a `tool_call` frame also contains the tool's name. */
function withoutName({ args, toolName }: FrameData<"tool_call">): Record<string, unknown> {
  const { toolName: name, ...rest } = args;
  return name === toolName ? rest : args;
}

function finishReasonOf({ status, finishReason }: FrameData<"done">): FinishReason {
  if (status === "failed") return "error";
  if (status === "interrupted") return "interrupted";
  if (finishReason === "content_filter") return "content-filter";
  if (finishReason === "tool_calls") return "tool-calls";
  return finishReason ?? "other";
}

function isApproval(output: string | undefined): boolean {
  try {
    const answer: unknown = JSON.parse(output ?? "null");
    return typeof answer === "object" && answer !== null && (answer as { approved?: unknown }).approved === true;
  } catch {
    return false;
  }
}

/** Whether two JSON values are equal, ignoring the order of their members. */
function sameJson(one: unknown, other: unknown): boolean {
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) return one === other;
  const names = Object.keys(one);
  if (names.length !== Object.keys(other).length || Array.isArray(one) !== Array.isArray(other)) return false;
  return names.every(
    (name) =>
      Object.hasOwn(other, name) &&
      sameJson((one as Record<string, unknown>)[name], (other as Record<string, unknown>)[name]),
  );
}
