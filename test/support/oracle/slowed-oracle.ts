/**
 * The real oracle in the phone gateway's view: the deployed client over the deployed sessions and user vaults. A test scripts the
 * answers of the oracle's model, at the documented seam of models, and can make it withhold them. A fault takes the whole service
 * down: it wraps the real port, at the seam of platform/ports.ts, which also records requests.
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

/** Requests per minute, unlimited in practice: the vaults use the machine's clock, while a test advances minutes instantly. */
const REQUESTS_PER_MINUTE = "1000000";
/** How long a request waits for an answering model, milliseconds, as deployed. */
const ANSWER_WAIT_MS = 5_000;

export interface SlowedOracle {
  /** The model for the oracle's sessions. */
  readonly model: LanguageModelV4;
  /** Questions that the oracle accepted, by job; a repeated job is listed twice. */
  readonly asked: readonly { readonly jobId: string; readonly text: string }[];
  /** The model's answer to a question; while it is `running`, the model withholds its answers. */
  answers: OracleAnswer;
  /** The failure of every call of the client, when set. */
  fault: FailureCode | undefined;
  /** How often an answer was requested. */
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
      // Waiting for a model that withholds its answers would be useless.
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
