/**
 * A question to the oracle (contract/ussd.md section 5.7). It is asked once, under its job's id; the answer may come
 * while the caller waits, when they look again, or on the next dial, which goes on with the job that was left.
 */
import { assign, fromPromise, setup } from "xstate";
import type { QuestionDraft } from "../draft.ts";
import type { AskedQuestion, Effects, Lookup, Question } from "../effects.ts";
import { readQuestion } from "../input/entries.ts";
import type { Notice } from "../i18n/dictionary.ts";
import type { Language } from "../i18n/languages.ts";
import type { Login } from "../ports.ts";
import { answerScreen, ORACLE_KEYS, oracleWorkingScreen, questionScreen } from "../screens/oracle.ts";
import {
  chose,
  everyStep,
  machineTypes,
  typed,
  typedAt,
  whileWaiting,
  type Noticed,
  type PhoneEvent,
} from "./phone-event.ts";
import { lookupOutput, type ServiceOutput } from "./service-output.ts";
import type { Steps } from "./step.ts";

export interface AskOracleInput {
  readonly login: Login;
  readonly language: Language;
  /** Begins the job ids of all questions that are asked from here. */
  readonly key: string;
  readonly draft: QuestionDraft | null;
}

export interface AskOracleOutput extends ServiceOutput {
  /** Left without its answer. */
  readonly draft: QuestionDraft | null;
}

interface AskOracleContext extends Omit<AskOracleInput, "draft">, Noticed {
  readonly asked: number;
  /** Null: nothing is asked. */
  readonly job: QuestionDraft | null;
  readonly question: string;
  readonly answer: string;
  readonly outcome: ServiceOutput;
}

export const askOracleSteps: Steps<AskOracleContext> = {
  ask: { takes: "question", screen: questionScreen },
  asking: { takes: "menu", screen: oracleWorkingScreen },
  pending: { takes: "menu", screen: oracleWorkingScreen },
  answer: {
    takes: "menu",
    screen: (dictionary, { answer }, { answerPages }) => answerScreen(dictionary, { answer, maxPages: answerPages }),
  },
};

/** What there is to go on with: a question without its answer, or one whose answer may not have been read. */
export function questionDraft({ job }: AskOracleContext): QuestionDraft | null {
  return job;
}

export function createAskOracleMachine(effects: Pick<Effects, "ask" | "awaitAnswer">) {
  return setup({
    types: machineTypes as {
      context: AskOracleContext;
      input: AskOracleInput;
      events: PhoneEvent;
      output: AskOracleOutput;
      tags: "pending" | "oracle";
    },
    actors: {
      ask: fromPromise<Lookup<null>, Question>(({ input }) => effects.ask(input)),
      awaitAnswer: fromPromise<Lookup<string>, AskedQuestion>(({ input, signal }) =>
        effects.awaitAnswer(input, signal),
      ),
    },
    actions: {
      tell: assign((_, notice: Notice) => ({ notice })),
      forget: assign({ notice: undefined }),
      /** Nothing is left to go on with. */
      end: assign((_, outcome: ServiceOutput) => ({ outcome, job: null })),
      keepQuestion: assign(({ context, event }) => ({
        asked: context.asked + 1,
        question: typed(event),
        job: {
          kind: "question" as const,
          customerId: context.login.customerId,
          jobId: `${context.key}.${context.asked}`,
          askedAt: typedAt(event),
        },
      })),
    },
    guards: {
      chose,
      isQuestion: ({ event }) => readQuestion(typed(event)).ok,
      hasJob: ({ context }) => context.job !== null,
    },
  }).createMachine({
    id: "askOracle",
    context: ({ input: { draft, ...input } }) => ({
      ...input,
      asked: 0,
      job: draft,
      question: "",
      answer: "",
      outcome: { event: "DONE" },
    }),
    initial: "start",
    on: everyStep,
    states: {
      start: { always: [{ guard: "hasJob", target: "pending" }, { target: "ask" }] },
      ask: {
        entry: assign({ job: null, question: "", answer: "" }),
        on: {
          ENTER: [
            { guard: "isQuestion", target: "asking", actions: "keepQuestion" },
            { actions: { type: "tell", params: { reason: "questionTooShort" } } },
          ],
          BACK: "done",
        },
      },
      asking: {
        tags: ["pending", "oracle"],
        invoke: {
          src: "ask",
          input: ({ context: { login, language, job, question } }) => ({
            login,
            language,
            jobId: job?.jobId ?? "",
            text: question,
          }),
          onDone: [
            { guard: ({ event }) => event.output?.ok === true, target: "pending" },
            { target: "done", actions: { type: "end", params: ({ event }) => lookupOutput(event.output) } },
          ],
        },
        on: { ...whileWaiting, BACK: "done" },
      },
      pending: {
        tags: ["pending", "oracle"],
        invoke: {
          src: "awaitAnswer",
          input: ({ context: { login, job } }) => ({
            login,
            jobId: job?.jobId ?? "",
            askedAt: job?.askedAt ?? 0,
          }),
          onDone: [
            {
              guard: ({ event }) => event.output?.ok === true,
              target: "answer",
              actions: assign({
                answer: ({ event }) => (event.output?.ok ? event.output.value : ""),
                question: "",
              }),
            },
            { target: "done", actions: { type: "end", params: ({ event }) => lookupOutput(event.output) } },
          ],
        },
        on: { ...whileWaiting, BACK: "done" },
      },
      answer: {
        on: {
          ENTER: { guard: { type: "chose", params: ORACLE_KEYS.askAgain }, target: "ask" },
          BACK: { target: "done", actions: { type: "end", params: { event: "DONE" } } },
        },
      },
      done: { type: "final" },
    },
    output: ({ context: { outcome, job } }) => ({ ...outcome, draft: job }),
  });
}
