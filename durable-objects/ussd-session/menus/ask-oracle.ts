/**
 * A question to the oracle. It is asked once, under its job id; the answer may arrive while the caller waits, when they
 * look again, or on the next dial, which continues with that job.
 */
import { assign, setup } from "xstate";
import { readQuestion } from "../input/typed-input.ts";
import type { Login } from "../ports.ts";
import type { QuestionDraft } from "../rpc.ts";
import { line, menu, option, prompt, type Screen } from "../screen/screen.ts";
import { printableProse } from "../texts/characters.ts";
import type { Dictionary, Language } from "../texts/dictionary.ts";
import type { Effects } from "./effects.ts";
import {
  chose,
  effect,
  lookupOutput,
  menuActions,
  menuTransitions,
  menuTypes,
  typed,
  typedAt,
  whileWaiting,
  type ScreenSettings,
  type ServiceOutput,
  type WithMessage,
} from "./menu.ts";

const KEYS = { checkAgain: "1", askAgain: "1" } as const;

interface AskOracleInput {
  readonly login: Login;
  readonly language: Language;
  /** Prefix of the job ids of all questions asked here. */
  readonly key: string;
  readonly draft: QuestionDraft | null;
}

interface AskOracleOutput extends ServiceOutput {
  /** A question that has no answer yet. */
  readonly draft: QuestionDraft | null;
}

interface AskOracleContext extends Omit<AskOracleInput, "draft">, WithMessage {
  readonly asked: number;
  /** Null if nothing is asked. */
  readonly job: QuestionDraft | null;
  readonly question: string;
  readonly answer: string;
  readonly outcome: ServiceOutput;
}

function questionScreen({ texts }: Dictionary): Screen {
  return prompt("OQ", [line(texts.questionPrompt)]);
}

function workingScreen({ texts }: Dictionary): Screen {
  return menu("OW", [line(texts.oracleWorking), option(KEYS.checkAgain, texts.checkAgain)]);
}

function answerScreen({ texts }: Dictionary, { answer }: AskOracleContext, { answerPages }: ScreenSettings): Screen {
  const blocks = [{ kind: "prose", text: printableProse(answer) } as const, option(KEYS.askAgain, texts.askAgain)];
  return menu("OA", blocks, { maxPages: answerPages, informs: true });
}

const working = { tags: ["pending", "oracle"], meta: { input: "menu", screen: workingScreen } } as const;

/**
 * The draft that the caller can continue with: a question without its answer, or one whose answer they may not have
 * read.
 */
export function questionDraft({ job }: AskOracleContext): QuestionDraft | null {
  return job;
}

export function createAskOracleMachine(effects: Pick<Effects, "ask" | "awaitAnswer">) {
  return setup({
    types: menuTypes<{ context: AskOracleContext; input: AskOracleInput; output: AskOracleOutput }>(),
    actors: { ask: effect(effects.ask), awaitAnswer: effect(effects.awaitAnswer) },
    actions: {
      ...menuActions<AskOracleContext>(),
      /** Leaves no draft. */
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
    on: menuTransitions,
    states: {
      start: { always: [{ guard: "hasJob", target: "pending" }, { target: "ask" }] },
      ask: {
        meta: { input: "question", screen: questionScreen },
        entry: assign({ job: null, question: "", answer: "" }),
        on: {
          ENTER: [
            { guard: "isQuestion", target: "asking", actions: "keepQuestion" },
            { actions: { type: "showMessage", params: { key: "questionTooShort" } } },
          ],
          BACK: "done",
        },
      },
      asking: {
        ...working,
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
        ...working,
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
        meta: { input: "menu", screen: answerScreen },
        on: {
          ENTER: { guard: { type: "chose", params: KEYS.askAgain }, target: "ask" },
          BACK: { target: "done", actions: { type: "end", params: { event: "DONE" } } },
        },
      },
      done: { type: "final" },
    },
    output: ({ context: { outcome, job } }) => ({ ...outcome, draft: job }),
  });
}
