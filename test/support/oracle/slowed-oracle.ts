/**
 * The real oracle as the phone gateway asks it: the deployed client over the deployed sessions and user vaults. A test writes what
 * the oracle's model answers, at the documented seam of models, and makes it hold its answers back. It takes the whole
 * service down by a fault: that wraps the real port, at the seam of platform/ports.ts, which also notes what was asked.
 */
import type { LanguageModelV4 } from "@ai-sdk/provider";
import { createOracleSurface } from "../../../workers/oracle/oracle-surface.ts";
import { openOraclePort } from "../../../workers/oracle/port.ts";
import { fail, type FailureCode } from "../../../platform/failure.ts";
import type { OracleAnswer, OraclePort } from "../../../platform/ports.ts";
import type { Result } from "../../../platform/result.ts";
import { valueOf } from "./chat-turns.ts";
import { ORACLE_SIGNING_SEED } from "./oracle-edge.ts";
import {
  createGate,
  createScriptedModel,
  type Beat,
  type Gate,
} from "../../../workers/oracle/testing/scripted-model.ts";

/** Looks a minute: the vaults count by the machine's clock while a test lets minutes pass in no time. */
const REQUESTS_PER_MINUTE = "1000000";
/** Milliseconds that a look waits for a model that answers, as deployed. */
const ANSWER_WAIT_MS = 5_000;

export interface SlowedOracle {
  /** What the oracle's sessions are to be given. */
  readonly model: LanguageModelV4;
  /** Questions that the oracle accepted, by job; a job asked twice is listed twice. */
  readonly asked: readonly { readonly jobId: string; readonly text: string }[];
  /** What the model answers a question with; while it is `running`, the model holds its answers back. */
  answers: OracleAnswer;
  /** What every call of the client fails with, when set. */
  fault: FailureCode | undefined;
  /** How often somebody looked for an answer. */
  readonly looks: number;
  /** The client over the objects of these bindings, and the audience of invocations for it. */
  open(bindings: object, clock?: () => number): Promise<{ readonly client: OraclePort; readonly audience: string }>;
}

export function createSlowedOracle(): SlowedOracle {
  const script = createScriptedModel();
  const asked: { jobId: string; text: string }[] = [];
  const held: { readonly beats: Beat[]; readonly gate: Gate }[] = [];
  let answers: OracleAnswer = { state: "answered", text: "All is well." };
  let looks = 0;

  function nextStep(): readonly Beat[] {
    if (answers.state !== "running") return [beatOf(answers)];
    const gate = createGate();
    const beats: Beat[] = [{ wait: gate }];
    held.push({ beats, gate });
    return beats;
  }

  async function guarded<Value>(call: () => Promise<Result<Value>>): Promise<Result<Value>> {
    return oracle.fault === undefined ? call() : fail(oracle.fault, "The oracle is down");
  }

  const oracle: SlowedOracle = {
    model: {
      ...script,
      doStream(options) {
        script.plays(nextStep());
        return script.doStream(options);
      },
    },
    asked,
    get answers() {
      return answers;
    },
    set answers(next) {
      answers = next;
      if (next.state === "running") return;
      for (const { beats, gate } of held.splice(0)) {
        beats.push(beatOf(next));
        gate.open();
      }
    },
    fault: undefined,
    get looks() {
      return looks;
    },
    async open(bindings, clock = Date.now) {
      const named = { ORACLE_SIGNING_SEED, ORACLE_RATE_LIMIT_PER_MINUTE: REQUESTS_PER_MINUTE };
      const env = { ...bindings, ...named } as unknown as Env;
      const fetch = () => Promise.reject(new Error("a phone's key needs nobody outside to be known"));
      const app = createOracleSurface({ config: { name: "Test oracle" } }, { fetch, clock });
      const parts = { env, runtime: () => app.runtime(env), clock };
      const { client: patient, audience } = valueOf(await openOraclePort({ ...parts, answerWaitMs: ANSWER_WAIT_MS }));
      // Nothing comes of waiting for a model that holds its answers back.
      const { client: hasty } = valueOf(await openOraclePort({ ...parts, answerWaitMs: 0 }));
      const client: OraclePort = {
        ask: (question) =>
          guarded(async () => {
            const accepted = await patient.ask(question);
            if (accepted.ok) asked.push({ jobId: question.jobId, text: question.text });
            return accepted;
          }),
        answer(jobId, invocation) {
          looks += 1;
          return guarded(() => (answers.state === "running" ? hasty : patient).answer(jobId, invocation));
        },
      };
      return { client, audience };
    },
  };
  return oracle;
}

function beatOf(answer: Exclude<OracleAnswer, { readonly state: "running" }>): Beat {
  return answer.state === "answered" ? answer.text : { fail: new Error(answer.reason) };
}
