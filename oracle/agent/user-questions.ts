/** `ctx.askUser`: a question of a plugin to the user, as an action that clients need not have announced. */
import { WEB_CLIENT } from "../../protocol/requests.ts";
import type { RuntimeContext } from "../framework/context.ts";
import { withoutSecrets } from "../../platform/secret-values.ts";
import { UNANSWERED, type Questions } from "../runs/questions.ts";
import type { Approvals } from "../runs/approvals.ts";
import type { RunRequest } from "../run-request.ts";
import type { ActiveRun } from "../runs/active-run.ts";
import { wantedCall } from "./arguments.ts";

/** How long a question may wait at most, milliseconds: a timer cannot be longer. */
const LONGEST_QUESTION_MS = 2 ** 31 - 1;

export interface AskUserOptions {
  readonly env: Env;
  readonly active: Pick<ActiveRun, "run" | "closed" | "signal" | "showQuestion">;
  readonly request: Pick<RunRequest, "capabilities">;
  readonly sessionId: string;
  readonly approvals: Pick<Approvals, "isSuperseded">;
  readonly questions: Pick<Questions, "ask" | "newId">;
}

export function createAskUser(options: AskUserOptions): RuntimeContext["askUser"] {
  const { env, active, request, sessionId, approvals, questions } = options;
  const { capabilities = WEB_CLIENT } = request;
  return async (name, args, { timeoutMs }) => {
    const { problem } = wantedCall({ id: "", name, args });
    if (problem !== undefined) throw new Error(problem);
    if (!(timeoutMs > 0)) throw new TypeError("timeoutMs is a number of milliseconds above 0");
    if (active.closed) throw new Error(ENDED);
    if (!capabilities.page) throw new Error(NO_PAGE);
    if (approvals.isSuperseded(active.run.ordinal)) return undefined;
    const { requestId } = active.run;
    const asked = withoutSecrets(env, { toolName: name, args });
    const question = { ...asked, id: questions.newId(crypto.randomUUID()), sessionId, requestId };
    active.showQuestion(question, { status: "isRunning" });
    const outcome = await questions.ask(question, Math.min(timeoutMs, LONGEST_QUESTION_MS), active.signal);
    if (active.signal.aborted) throw new Error(ENDED);
    if (outcome === undefined) {
      active.showQuestion(question, { status: "error", error: UNANSWERED });
      return undefined;
    }
    if ("error" in outcome) {
      active.showQuestion(question, { status: "error", error: outcome.error });
      throw new Error(outcome.error);
    }
    const { output } = outcome;
    const text = typeof output === "string" ? output : JSON.stringify(output);
    active.showQuestion(question, { status: "done", output: text });
    return output;
  };
}

const NO_PAGE = "The client has no page that shows questions";
const ENDED = "The turn has ended";
