/**
 * The turns of a conversation: the messages that a turn's frames create, and the position of each turn among the stored
 * messages. Pure.
 *
 * Applying the frames of a run in order creates the same messages for any number of connections, and a repeated frame
 * changes nothing. A message of a turn is shown until its stored record is available, so that no message appears twice
 * or is missing.
 */
import type { CallStatus, ChatMessage, MessageKind, ToolCall } from "../chat.ts";
import { QUESTIONS } from "../client-tools.ts";
import type { RunFrame, RunIdentity } from "../run-stream.ts";
import type { FrameData } from "../wire.ts";

export interface Turn extends RunIdentity {
  /** The newest applied frame; 0 before the first. */
  readonly lastId: number;
  /** In order of first appearance. An unchanged message keeps its identity. */
  readonly messages: readonly ChatMessage[];
  /** The calls that wait for the user, by question id. */
  readonly questions: ReadonlyMap<string, OpenQuestion>;
  /** The model's thinking, without the server's placeholder. */
  readonly reasoning: string;
  /** How often the server restarted and resumed the turn. */
  readonly resumed: number;
  /** The server sends its placeholder for thinking once at the start of each attempt. */
  readonly awaitsPlaceholder: boolean;
  /** The newest `error` frame: why the turn failed, or a warning if it continues. */
  readonly notice: FrameData<"error"> | undefined;
  readonly done: FrameData<"done"> | undefined;
}

export interface OpenQuestion {
  readonly toolName: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** The text that a server shows until the model's own thinking arrives. */
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
  // A run that has already ended may send its `done` again with an id that was already read.
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

/** A turn has one message for its errors: the newest error. */
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

/** A turn that this page has sent, follows, or has received events of. */
export interface LocalTurn {
  requestId: string | undefined;
  /** The user's message, if this page sent the turn. */
  human: ChatMessage | undefined;
  turn: Turn | undefined;
  /** Data from the socket: components, and calls of a turn whose stream this page does not read. */
  extras: readonly ChatMessage[];
  /** The ids of the messages that were stored before the turn; undefined while they are unknown. */
  before?: ReadonlySet<string>;
  /** The transcript was read after the end of the turn. */
  isSettled: boolean;
}

export interface Shown {
  readonly messages: readonly ChatMessage[];
  /** The stored messages. The list keeps its identity until one of them changes or moves. */
  readonly stored: readonly ChatMessage[];
  /** All other messages. */
  readonly local: readonly ChatMessage[];
}

/**
 * The position of each turn. It changes only when messages are stored, or a turn appears, disappears, is accepted or
 * ends.
 */
export interface Plan {
  readonly stored: readonly ChatMessage[];
  readonly slots: readonly { readonly at: number; readonly turn: LocalTurn; readonly place: Place }[];
}

/** The position of a turn's stored records; -1 if they are not stored. */
interface Place {
  human: number;
  ai: number;
}

const NOWHERE: Place = { human: -1, ai: -1 };

export function plan(stored: readonly ChatMessage[], turns: readonly LocalTurn[]): Plan {
  const places = findPlaces(stored, turns);
  const slots = turns.map((turn) => {
    const place = places.get(turn) ?? NOWHERE;
    const last = Math.max(place.human, place.ai);
    return { at: last === -1 ? stored.length : last + 1, turn, place };
  });
  return { stored, slots: slots.toSorted((one, other) => one.at - other.at) };
}

/** Always costs one copy of the list. */
export function arrange({ stored, slots }: Plan): Shown {
  const local: ChatMessage[] = [];
  const parts: (readonly ChatMessage[])[] = [];
  let from = 0;
  for (const { at, turn, place } of slots) {
    const visible = visibleOf(turn, place);
    if (visible.length === 0) continue;
    parts.push(stored.slice(from, at), visible);
    local.push(...visible);
    from = at;
  }
  if (local.length === 0) return { messages: stored, stored, local };
  return { messages: parts.concat([stored.slice(from)]).flat(), stored, local };
}

/** Whether the turn has nothing left to show, after the transcript was read at its end. */
export function isOver(turn: LocalTurn, stored: readonly ChatMessage[]): boolean {
  return turn.isSettled && visibleOf(turn, findPlaces(stored, [turn]).get(turn) ?? NOWHERE).length === 0;
}

/** Whether the answer of that run is stored. The run has then ended, even if a part of its stream was not read. */
export function hasAnswer(stored: readonly ChatMessage[], runId: string): boolean {
  return stored.findLastIndex((message) => message.type === "ai" && message.runId === runId) !== -1;
}

function findPlaces(stored: readonly ChatMessage[], turns: readonly LocalTurn[]): ReadonlyMap<LocalTurn, Place> {
  const places = new Map<LocalTurn, Place>();
  const byRun = new Map<string, Place>();
  for (const local of turns) {
    const place = { ...NOWHERE };
    places.set(local, place);
    if (local.turn !== undefined) byRun.set(local.turn.runId, place);
  }
  const unnamed = turns.filter(({ human, turn }) => human !== undefined || turn !== undefined);
  for (const [index, message] of stored.entries()) {
    const named = message.runId === undefined ? undefined : byRun.get(message.runId);
    if (named !== undefined) named[message.type] = index;
    else claim(unnamed, places, message, index);
  }
  return places;
}

/**
 * A stored record without a matching local turn: either its acceptance has not arrived yet, or the server sends no run
 * id.
 */
function claim(
  turns: readonly LocalTurn[],
  places: ReadonlyMap<LocalTurn, Place>,
  message: ChatMessage,
  index: number,
): void {
  for (const local of turns) {
    const place = places.get(local);
    if (place === undefined || place[message.type] !== -1) continue;
    if (local.before === undefined ? !local.isSettled : local.before.has(message.id)) continue;
    const isOwn =
      message.type === "human"
        ? (local.turn === undefined || message.runId === undefined) && local.human?.content === message.content
        : message.runId === undefined && (local.turn?.done?.messageId === message.id || local.isSettled);
    if (!isOwn) continue;
    place[message.type] = index;
    return;
  }
}

function visibleOf({ human, turn, extras, isSettled }: LocalTurn, place: Place): readonly ChatMessage[] {
  const isStored = place.ai !== -1;
  const own = turn?.messages ?? [];
  const asked = human === undefined || place.human !== -1 ? [] : [human];
  // Failures and components are not part of the transcript.
  const left = isStored ? own.filter(({ kind }) => kind === "error") : own;
  const heard = extras.filter(({ kind }) => kind === "component" || (turn === undefined && !isSettled));
  return [...asked, ...left, ...heard];
}
