/**
 * What is shown of a conversation: the stored messages and, each in its place, the turns that this page sent or follows. A
 * message of a turn is shown until its stored record is there, so that none is shown twice and none is missing.
 */
import type { ChatMessage } from "../messages.ts";
import type { Turn } from "./turn.ts";

/** A turn that this page sent, follows, or hears of. */
export interface LocalTurn {
  requestId: string | undefined;
  /** What the user wrote, of a turn that this page sent. */
  human: ChatMessage | undefined;
  turn: Turn | undefined;
  /** What arrived by the socket: components, and calls of a turn whose stream this page does not read. */
  extras: readonly ChatMessage[];
  /** The ids of the stored messages that were there before it; undefined as long as that is not known. */
  before?: ReadonlySet<string>;
  /** The transcript was read after its end. */
  isSettled: boolean;
}

export interface Shown {
  readonly messages: readonly ChatMessage[];
  /** The stored ones: the same list as long as none of them changed or moved. */
  readonly stored: readonly ChatMessage[];
  /** All others. */
  readonly local: readonly ChatMessage[];
}

/** Where each turn stands: the same as long as nothing was stored and no turn came, went, was taken or ended. */
export interface Plan {
  readonly stored: readonly ChatMessage[];
  readonly slots: readonly { readonly at: number; readonly turn: LocalTurn; readonly place: Place }[];
}

/** Where the records of a turn are stored; -1: not. */
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

/** Costs a copy of the list, whatever is in it. */
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

/** Whether nothing of it is left to show, now that the transcript was read after its end. */
export function isOver(turn: LocalTurn, stored: readonly ChatMessage[]): boolean {
  return turn.isSettled && visibleOf(turn, findPlaces(stored, [turn]).get(turn) ?? NOWHERE).length === 0;
}

/** Whether the answer of that run is stored: it has ended, whatever of its stream is still to be read. */
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
 * A record whose run no turn here has: that of a message which the server has taken and this page does not know it yet, or one
 * of a server that does not name runs.
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
  // A failure and a component are in no transcript.
  const left = isStored ? own.filter(({ kind }) => kind === "error") : own;
  const heard = extras.filter(({ kind }) => kind === "component" || (turn === undefined && !isSettled));
  return [...asked, ...left, ...heard];
}
