/** The dependencies of a chat session, and those that it passes to the work of its runs. */
import type { ModelUsage } from "../../oracle/model-usage.ts";
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

/** The facts of a session that a run's work needs. */
export interface SessionFacts {
  readonly owner: string;
  readonly sessionId: string;
  readonly transcript: Transcript;
  readonly memory: SessionMemory;
  readonly clientCalls: ClientCalls;
  readonly approvals: Approvals;
  readonly questions: Questions;
}

/** A requested run before it is accepted. */
export interface AskedRun extends Unstored {
  readonly reports: RunReports;
  readonly runId: string;
  /** Its number, if no other run is accepted first. */
  readonly ordinal: number;
}

export interface SessionOptions {
  readonly storage: ObjectStorage;
  /** Erases the whole storage, including the alarm. */
  readonly erase: () => Promise<void>;
  readonly now: () => number;
  readonly newId: () => string;
  readonly after: After;
  readonly every: (milliseconds: number, work: () => void) => () => void;
  /** Loads what every run needs; rejects if it cannot, for example under a wrong configuration. */
  readonly prepare: () => Promise<unknown>;
  /** Asks whether the run can be accepted; undefined if there is no gate. */
  readonly admit: (request: RunRequest, facts: SessionFacts, asked: AskedRun) => Promise<Result<null>> | undefined;
  /** Does the work of the run and ends it. */
  readonly runAgent: (active: ActiveRun, request: RunRequest, facts: SessionFacts, unstored: Unstored) => Promise<void>;
  /** The plugins that are notified of a run's end. Called when a run is accepted, with the settings loaded. */
  readonly reporters: (client: string) => readonly string[];
  /** Sends the report to one plugin. */
  readonly report: (plugin: string, owner: string, ended: EndedTurn) => Promise<void>;
  /** A deleted session has nothing left to report, so its remaining data can be erased. */
  readonly onReported: () => void;
  readonly title: (openingMessage: string, meter: TitleMeter) => Promise<string>;
  /** Reserves tokens of the payer's day for a title; returns whether there were enough. */
  readonly reserveTitle: (payer: string, runKey: string, most: number) => Promise<boolean>;
  /** The plugins that receive a title's usage. Called after a run, with the settings loaded. */
  readonly titleReporters: () => readonly string[];
  /** Whether every plugin allows requesting a title, with at most that usage. */
  readonly coversTitle: (owner: string, most: EndedTurn) => Promise<boolean>;
  /** Updates the user vault. */
  readonly touch: (session: Pick<SessionFacts, "owner" | "sessionId">, change: SessionTouch) => Promise<void>;
  /** Time limit of one run in milliseconds. Called after `prepare` has succeeded. */
  readonly timeLimit: () => number;
  readonly sockets: CallSockets & {
    /** Shows the question to that socket, or to all sockets of the session. */
    readonly askApproval: (request: ApprovalRequest, socketId?: string) => void;
    /** Shows a plugin's question likewise. */
    readonly askUser: (question: UserQuestion, socketId?: string) => void;
    readonly count: () => number;
    readonly publish: PublishToRoom;
    readonly announceRun: (run: BegunRun) => void;
    closeAll(): void;
    dismiss(did: string, socketId: string): void;
  };
  /** Requests an alarm by that time, in Unix milliseconds. */
  readonly wakeAt: (time: number) => void;
  readonly background: (work: Promise<unknown>) => void;
  /** Counts an ended run, for `GET /metrics`. */
  readonly count: (run: CountedRun) => void;
  readonly log: Logger;
}

export interface CountedRun {
  readonly outcome: string;
  readonly durationMs: number;
  readonly models: readonly ModelUsage[];
}
