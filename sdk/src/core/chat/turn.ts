/**
 * One turn as its frames tell it: a pure function from frames to messages. Applying the frames of a run in order gives the same
 * messages however many connections carried them, and a frame that comes again changes nothing.
 */
import { QUESTIONS } from "../client-tools.ts";
import type { CallStatus, ChatMessage, MessageKind, ToolCall } from "../messages.ts";
import type { RunFrame, RunIdentity } from "../run-stream.ts";
import type { FrameData } from "../wire.ts";

export interface Turn extends RunIdentity {
  /** The newest frame that was applied; 0 before the first. */
  readonly lastId: number;
  /** In order of their first appearance; one that no frame has touched keeps its identity. */
  readonly messages: readonly ChatMessage[];
  /** The calls that wait for the user, by the id of the question. */
  readonly questions: ReadonlyMap<string, OpenQuestion>;
  /** What the model thought, without the server's placeholder. */
  readonly reasoning: string;
  /** How often the server restarted and resumed it. */
  readonly resumed: number;
  /** The server sends its placeholder for thinking once at the start of each attempt. */
  readonly awaitsPlaceholder: boolean;
  /** The newest `error` frame: why the turn failed, or a notice if it goes on. */
  readonly notice: FrameData<"error"> | undefined;
  readonly done: FrameData<"done"> | undefined;
}

export interface OpenQuestion {
  readonly toolName: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** What a server shows until the model's own thinking arrives. */
export const THINKING = "Thinking...";

export function startTurn({ runId, requestId }: RunIdentity): Turn {
  return {
    runId,
    requestId,
    lastId: 0,
    messages: [],
    questions: new Map(),
    reasoning: "",
    resumed: 0,
    awaitsPlaceholder: true,
    notice: undefined,
    done: undefined,
  };
}

/** The text of the answer so far. */
export const textOf = (turn: Turn): string => turn.messages.find(({ id }) => id === turn.requestId)?.content ?? "";

export function applyFrame(turn: Turn, frame: RunFrame): Turn {
  if (turn.done !== undefined) return turn;
  // A run that ended before may send its `done` again, under the id that was read already.
  if (frame.id <= turn.lastId && frame.event !== "done") return turn;
  return { ...changed(turn, frame), lastId: Math.max(turn.lastId, frame.id) };
}

function changed(turn: Turn, frame: RunFrame): Turn {
  switch (frame.event) {
    case "run":
      return frame.data.resumed === true ? resumed(turn, frame.data) : turn;
    case "message":
      return withText(turn, textOf(turn) + frame.data.content, frame.data.timestamp);
    case "reasoning":
      return withReasoning(turn, frame.data);
    case "tool_call":
      return withCall(
        turn,
        "tool_call",
        `${turn.requestId}-ToolCall-${frame.data.eventId}`,
        frame.data.eventId,
        frame.data,
      );
    case "action_call":
      return QUESTIONS.includes(frame.data.toolName)
        ? withQuestion(turn, frame.data)
        : withCall(
            turn,
            "action_call",
            `${turn.requestId}-ActionCall-${frame.data.toolCallId}`,
            frame.data.toolCallId,
            frame.data,
          );
    case "error":
      return { ...withError(turn, frame.data), notice: frame.data };
    case "done":
      return ended(turn, frame.data);
    default:
      return turn;
  }
}

function resumed(turn: Turn, { attempt, partialLength }: FrameData<"run">): Turn {
  const text = textOf(turn);
  const cut = partialLength === undefined ? turn : withText(turn, text.slice(0, partialLength));
  return { ...cut, resumed: Math.max(turn.resumed + 1, attempt ?? 0), awaitsPlaceholder: true };
}

function withText(turn: Turn, content: string, timestamp?: string): Turn {
  if (content === "") return { ...turn, messages: turn.messages.filter(({ id }) => id !== turn.requestId) };
  const shown = turn.messages.find(({ id }) => id === turn.requestId);
  if (shown?.content === content) return turn;
  const createdAt = shown?.createdAt ?? timestamp;
  return put(turn, {
    ...base(turn, turn.requestId, "text"),
    content,
    isComplete: false,
    ...(createdAt === undefined ? {} : { createdAt }),
  });
}

function withReasoning(turn: Turn, { reasoning: piece, isComplete }: FrameData<"reasoning">): Turn {
  const isPlaceholder = turn.awaitsPlaceholder && piece === THINKING && !isComplete;
  const reasoning = isPlaceholder ? turn.reasoning : turn.reasoning + piece;
  const next = { ...turn, reasoning, awaitsPlaceholder: turn.awaitsPlaceholder && !isPlaceholder };
  const id = `${turn.requestId}-reasoning`;
  if (reasoning === "" && isComplete) return without(next, id);
  return put(next, {
    ...base(turn, id, "reasoning"),
    reasoning: reasoning === "" ? THINKING : reasoning,
    isReasoning: !isComplete,
    isComplete,
  });
}

interface CallData {
  readonly toolName: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly status: CallStatus;
  readonly output?: string | undefined;
  readonly error?: string | undefined;
  readonly agent?: string | undefined;
}

function withCall(turn: Turn, kind: MessageKind, id: string, callId: string, data: CallData): Turn {
  return put(turn, callMessage(base(turn, id, kind), callId, data));
}

/** A message that shows one call. */
export function callMessage(base: ChatMessage, callId: string, data: CallData): ChatMessage {
  const { toolName, args, status, output, error, agent } = data;
  const call: ToolCall = {
    id: callId,
    name: toolName,
    args,
    status,
    ...(output === undefined ? {} : { output }),
    ...(error === undefined ? {} : { error }),
    ...(agent === undefined ? {} : { agent }),
  };
  return { ...base, toolCalls: [call], isComplete: status !== "isRunning" };
}

function withQuestion(turn: Turn, { toolCallId, toolName, args, status }: FrameData<"action_call">): Turn {
  const questions = new Map(turn.questions);
  if (status === "isRunning") questions.set(toolCallId, { toolName, args });
  else questions.delete(toolCallId);
  return { ...turn, questions };
}

/** A turn has one message for what went wrong: the newest. */
function withError(turn: Turn, data: FrameData<"error">): Turn {
  return put(turn, {
    ...base(turn, `${turn.requestId}-error`, "error"),
    content: data.error,
    isComplete: true,
    createdAt: data.timestamp,
    payload: data,
  });
}

function ended(turn: Turn, done: FrameData<"done">): Turn {
  const kept = done.status === "finished" ? turn : withText(turn, done.partialText ?? textOf(turn));
  const shown = kept.reasoning === "" ? kept.messages.filter(({ kind }) => kind !== "reasoning") : kept.messages;
  const messages = shown.map((message) =>
    message.isComplete === true ? message : { ...message, isComplete: true, ...closed(message) },
  );
  return { ...kept, messages, questions: new Map(), done };
}

const closed = ({ kind }: ChatMessage): Partial<ChatMessage> => (kind === "reasoning" ? { isReasoning: false } : {});

function base({ runId }: Turn, id: string, kind: MessageKind): ChatMessage {
  return { id, type: "ai", kind, content: "", runId };
}

function put(turn: Turn, message: ChatMessage): Turn {
  const index = turn.messages.findIndex(({ id }) => id === message.id);
  const messages = index === -1 ? [...turn.messages, message] : turn.messages.with(index, message);
  return { ...turn, messages };
}

function without(turn: Turn, id: string): Turn {
  return { ...turn, messages: turn.messages.filter((message) => message.id !== id) };
}
