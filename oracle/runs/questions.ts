/**
 * Questions that plugins ask the user in a run. Each is shown to every socket of the session and to each that joins while it is
 * open, and answered once. Questions are kept only in memory: the code that waits for the answer is lost with its process anyway.
 */
import type { JsonObject } from "../../platform/json.ts";
import type { Logger } from "../../platform/log.ts";
import type { After } from "./frames.ts";
import { NO_BROWSER, outcomeOf, type CallOutcome } from "./call-outcomes.ts";
import { CONNECTION_TIME_LIMIT_MS, type ArrivedResult } from "./client-calls.ts";

export interface UserQuestion {
  readonly id: string;
  readonly sessionId: string;
  readonly requestId: string;
  /** The action's name, as clients know it. */
  readonly toolName: string;
  readonly args: JsonObject;
}

export interface QuestionOptions {
  /** Shows the question to this socket, or to every socket of the session. */
  readonly ask: (question: UserQuestion, socketId?: string) => void;
  /** How many sockets are connected. */
  readonly listeners: () => number;
  readonly after: After;
  readonly log: Logger;
}

export type Questions = ReturnType<typeof createQuestions>;

const PREFIX = "uq_";

export function isQuestionId(id: string): boolean {
  return id.startsWith(PREFIX);
}

interface Open {
  readonly question: UserQuestion;
  /** Sockets whose client cannot show the question. */
  readonly unable: Set<string>;
  /** Whether a client was connected since the question was asked: a disconnected client may return to it. */
  wasShown: boolean;
  readonly resolve: (outcome: CallOutcome | undefined) => void;
}

export function createQuestions({ ask, listeners, after, log }: QuestionOptions) {
  const open = new Map<string, Open>();

  function end(id: string, outcome: CallOutcome | undefined): void {
    log.info("user-question-ended", { toolCallId: id, answered: outcome !== undefined && "output" in outcome });
    open.get(id)?.resolve(outcome);
    open.delete(id);
  }

  return {
    newId: (uuid: string): string => `${PREFIX}${uuid}`,

    /** Resolves with undefined if there is no answer in time or the run ends first. */
    ask(question: UserQuestion, timeoutMs: number, signal: AbortSignal): Promise<CallOutcome | undefined> {
      const { id } = question;
      const answered = Promise.withResolvers<CallOutcome | undefined>();
      open.set(id, { question, unable: new Set(), wasShown: listeners() > 0, resolve: answered.resolve });
      const callOffs = [
        after(timeoutMs, () => end(id, undefined)),
        after(Math.min(timeoutMs, CONNECTION_TIME_LIMIT_MS), () => {
          if (open.get(id)?.wasShown === false) end(id, NO_BROWSER);
        }),
      ];
      const stop = (): void => end(id, undefined);
      signal.addEventListener("abort", stop, { once: true });
      ask(question);
      return answered.promise.finally(() => {
        signal.removeEventListener("abort", stop);
        for (const callOff of callOffs) callOff();
      });
    },

    /**
     * A client's answer; returns why it is refused, if it is. A client that does not know the question sends an error
     * automatically, which counts only once no other client can answer.
     */
    finish({ kind, invocationId, socketId, outcome }: ArrivedResult): string | undefined {
      const asked = open.get(invocationId);
      if (asked === undefined) return "unknown call";
      if (kind !== "action") return "other kind";
      if ("error" in outcome && asked.unable.add(socketId).size < listeners()) return "not the last client";
      end(invocationId, outcomeOf({ kind, name: asked.question.toolName }, outcome));
      return undefined;
    },

    /** The user has written another message: ends all questions without an answer. */
    endAll(): void {
      for (const id of open.keys()) end(id, undefined);
    },

    socketJoined(socketId: string): void {
      for (const asked of open.values()) {
        asked.wasShown = true;
        ask(asked.question, socketId);
      }
    },
  };
}

/** The stream's text for an unanswered question. */
export const UNANSWERED = "The question was not answered in time";
