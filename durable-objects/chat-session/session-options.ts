/** What a chat session is given, and what it gives the work of its runs. */
import type { Logger } from "../../platform/log.ts";
import type { Result } from "../../platform/result.ts";
import type { EndedTurn } from "../../oracle/framework/ended-turn.ts";
import type { ObjectStorage } from "../../platform/object-schema.ts";
import type { SessionTouch } from "../../oracle/user-vault-rpc.ts";
import type { TitleMeter } from "../../oracle/models/model-port.ts";
import type { PublishToRoom } from "../../protocol/socket-events.ts";
import type { SessionMemory } from "../../oracle/runs/session-store.ts";
import type { RunRequest, Unstored } from "../../oracle/run-request.ts";
import type { ActiveRun } from "../../oracle/runs/active-run.ts";
import type { After } from "../../oracle/runs/frames.ts";
import type { RunReports } from "../../oracle/runs/run-reports.ts";
import type { Transcript } from "../../oracle/runs/transcript.ts";
import type { ApprovalRequest, Approvals } from "../../oracle/runs/approvals.ts";
import type { Questions, UserQuestion } from "../../oracle/runs/questions.ts";
import type { BegunRun } from "./sockets/session-sockets.ts";
import type { CallSockets, ClientCalls } from "../../oracle/runs/client-calls.ts";

/** What a run's work needs of its session. */
export interface SessionFacts {
  readonly owner: string;
  readonly sessionId: string;
  readonly transcript: Transcript;
  readonly memory: SessionMemory;
  readonly clientCalls: ClientCalls;
  readonly approvals: Approvals;
  readonly questions: Questions;
}

/** What is asked for before it is accepted. */
export interface AskedRun extends Unstored {
  readonly reports: RunReports;
  readonly runId: string;
  /** The number that it gets if no other comes before it. */
  readonly ordinal: number;
}

export interface SessionOptions {
  readonly storage: ObjectStorage;
  /** Erases the whole storage, alarm included. */
  readonly erase: () => Promise<void>;
  readonly now: () => number;
  readonly newId: () => string;
  readonly after: After;
  readonly every: (milliseconds: number, work: () => void) => () => void;
  /** Loads what every run needs; rejects while it cannot be loaded, as under a wrong configuration. */
  readonly prepare: () => Promise<unknown>;
  /** Whether the run may be accepted; undefined when nobody has to be asked. */
  readonly admit: (request: RunRequest, facts: SessionFacts, asked: AskedRun) => Promise<Result<null>> | undefined;
  /** Does the work of the run and ends it. */
  readonly runAgent: (active: ActiveRun, request: RunRequest, facts: SessionFacts, unstored: Unstored) => Promise<void>;
  /** The plugins that are notified of a run's end; asked when one is accepted, with the settings loaded. */
  readonly reporters: (client: string) => readonly string[];
  /** Tells one of them. */
  readonly report: (plugin: string, owner: string, ended: EndedTurn) => Promise<void>;
  /** A deleted session has nothing left to report: what is left of it can go. */
  readonly onReported: () => void;
  readonly title: (openingMessage: string, meter: TitleMeter) => Promise<string>;
  /** Reserves tokens of the payer's day for a title; whether there were enough. */
  readonly reserveTitle: (payer: string, runKey: string, most: number) => Promise<boolean>;
  /** The plugins that receive a title's usage; asked after a run, with the settings loaded. */
  readonly titleReporters: () => readonly string[];
  /** Whether each plugin lets a model be asked for a title, for at most that usage. */
  readonly coversTitle: (owner: string, most: EndedTurn) => Promise<boolean>;
  /** Updates the user vault. */
  readonly touch: (session: Pick<SessionFacts, "owner" | "sessionId">, change: SessionTouch) => Promise<void>;
  /** How long one run may take, milliseconds; asked once `prepare` has succeeded. */
  readonly timeLimit: () => number;
  readonly sockets: CallSockets & {
    /** Shows the question to that socket, or to every one of the session. */
    readonly askApproval: (request: ApprovalRequest, socketId?: string) => void;
    /** The same of a plugin's question. */
    readonly askUser: (question: UserQuestion, socketId?: string) => void;
    readonly count: () => number;
    readonly publish: PublishToRoom;
    readonly announceRun: (run: BegunRun) => void;
    closeAll(): void;
    dismiss(did: string, socketId: string): void;
  };
  /** Asks for an alarm by that time, Unix milliseconds. */
  readonly wakeAt: (time: number) => void;
  readonly background: (work: Promise<unknown>) => void;
  readonly log: Logger;
}
