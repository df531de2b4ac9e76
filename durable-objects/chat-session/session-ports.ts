/** What the core of a chat session is given by its object and what it offers to it; the core itself is session.ts. */
import type { Logger } from "../../workers/platform/log.ts";
import type { ObjectStorage } from "../schema.ts";
import type { SessionTouch } from "../user-store/rpc.ts";
import type { ActiveRun } from "./runs/active-run.ts";
import type { Outcome } from "./sockets/client-call-records.ts";
import type { CallSockets, ClientCalls } from "./sockets/client-calls.ts";
import type { ClientSide, PublishToRoom } from "./plugin.ts";
import type { ChatSessionRpc } from "./rpc.ts";
import type { After } from "./runs/frame-writer.ts";
import type { Transcript } from "./runs/transcript.ts";

/** What a turn's work needs to know of its session. */
export interface SessionFacts {
  readonly owner: string;
  readonly sessionId: string;
  readonly transcript: Transcript;
  readonly clientCalls: ClientCalls;
}

export interface ChatSessionParts {
  readonly storage: ObjectStorage;
  /** Erases the whole storage, alarm included. */
  readonly erase: () => Promise<void>;
  readonly now: () => number;
  readonly newId: () => string;
  readonly after: After;
  readonly every: (milliseconds: number, work: () => void) => () => void;
  /** Makes what every turn needs; rejects while it cannot be made, as under a wrong configuration. */
  readonly prepare: () => Promise<unknown>;
  /** Does a turn's work and ends the run. */
  readonly perform: (active: ActiveRun, facts: SessionFacts) => Promise<void>;
  readonly title: (openingMessage: string) => Promise<string>;
  /** Keeps the owner's vault true. */
  readonly touch: (facts: Pick<SessionFacts, "owner" | "sessionId">, change: SessionTouch) => Promise<void>;
  readonly sockets: CallSockets & { readonly publish: PublishToRoom; closeAll(): void };
  /** Asks to be woken by that time, Unix milliseconds: there is something to look after. */
  readonly wakeAt: (time: number) => void;
  readonly background: (work: Promise<unknown>) => void;
  readonly log: Logger;
}

/** All calls but that on a socket: sockets are the socket server's. */
export interface ChatSessionCore extends Omit<ChatSessionRpc, "dismissSocket"> {
  /** The alarm: picks up lost runs, ends late calls, prunes; answers when it wants to be woken next, Unix milliseconds. */
  watch(): number | undefined;
  /** The same time, with nothing done: what an object that has just been loaded may have asked for. */
  nextWatch(): number | undefined;
  owner(): string | undefined;
  id(): string;
  /** Picks up what should be running; nothing in a session that was never made. */
  wake(): void;
  /** A client's word on a call; why it is refused, if it is. */
  settleCall(kind: ClientSide, toolCallId: string, outcome: Outcome): string | undefined;
  socketJoined(): void;
  socketLeft(socketId: string): void;
}
