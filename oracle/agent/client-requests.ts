/**
 * Requests of a run to its client and its user: client tool calls, approvals of calls, and plugins' questions. Each waits until it
 * is answered or the run ends.
 */
import { WEB_CLIENT } from "../../protocol/requests.ts";
import type { PluginTool, ToolContext, ClientSide } from "../framework/tools.ts";
import { canonicalJson, isJsonObject, isPlainJson, type JsonObject, type JsonValue } from "../../platform/json.ts";
import { describeThrown, type Logger } from "../../platform/log.ts";
import { withoutSecrets } from "../../platform/secret-values.ts";
import type { RunRequest } from "../run-request.ts";
import type { ActiveRun } from "../runs/active-run.ts";
import type { Call } from "../runs/step-store.ts";
import {
  APPROVAL_TIME_LIMIT_MS,
  approvalId,
  type ApprovalAnswer,
  type ApprovalRequest,
  type Approvals,
} from "../runs/approvals.ts";
import type { CallOutcome } from "../runs/call-outcomes.ts";
import type { Report } from "./hooks.ts";
import type { ApprovalRule } from "./bound-tool.ts";
import type { ClientCalls } from "../runs/client-calls.ts";
import { wantedCall } from "./arguments.ts";
import type { RuntimeContext } from "../framework/context.ts";
import { UNANSWERED, type Questions } from "../runs/questions.ts";

export interface ClientRequestOptions {
  readonly env: Env;
  readonly active: Pick<ActiveRun, "run" | "closed" | "signal" | "newCallId">;
  readonly request: Pick<RunRequest, "requestId" | "metadata" | "tools" | "agActions">;
  readonly sessionId: string;
  readonly clientCalls: Pick<ClientCalls, "make">;
}

interface WantedOfClient {
  readonly kind: ClientSide;
  readonly name: string;
  readonly args: JsonObject;
  readonly toolCallId: string;
}

const ENDED = "The turn has ended";
const ENDED_OUTCOME: CallOutcome = { error: ENDED };

const nouns: Readonly<Record<ClientSide, string>> = { browser: "browser tool", action: "action" };

/**
 * Client tool calls, from the model or from plugins through `ctx.callBrowserTool` and `ctx.callAction`. A plugin's call has a
 * separate id and no card.
 */
export function createClientRequests(options: ClientRequestOptions) {
  const { env, active, request, sessionId, clientCalls } = options;
  const { requestId, metadata, tools, agActions } = request;
  const { socketId } = metadata;
  const preferred = typeof socketId === "string" ? { socketId } : {};
  const declared: Readonly<Record<ClientSide, RunRequest["tools"]>> = { browser: tools, action: agActions };

  /** `staysInMemory`: the call cannot be resumed after a restart. */
  async function ask(wanted: WantedOfClient, staysInMemory = false): Promise<CallOutcome> {
    const made = active.closed
      ? undefined
      : clientCalls.make(
          active.run.ordinal,
          { ...withoutSecrets(env, wanted), sessionId, requestId, ...preferred },
          staysInMemory,
        );
    return (await unlessEnded(active, made)) ?? ENDED_OUTCOME;
  }

  async function askForPlugin(kind: ClientSide, name: string, args: JsonObject): Promise<JsonValue> {
    if (!declared[kind].some((tool) => tool.name === name))
      throw new Error(`This request declared no ${nouns[kind]} named ${name}`);
    const { problem } = wantedCall({ id: "", name, args });
    if (problem !== undefined) throw new Error(problem);
    const outcome = await ask({ kind, name, args, toolCallId: active.newCallId(kind) }, true);
    if ("error" in outcome) throw new Error(outcome.error);
    return outcome.output;
  }

  return {
    ask,
    callBrowserTool: (name: string, args: JsonObject): Promise<JsonValue> => askForPlugin("browser", name, args),
    callAction: (name: string, args: JsonObject): Promise<JsonValue> => askForPlugin("action", name, args),
  };
}

/** Returns the result of the wait; undefined if the run ends first. */
export async function unlessEnded<Value>(
  { closed, signal }: Pick<ActiveRun, "closed" | "signal">,
  wait: Promise<Value> | undefined,
): Promise<Value | undefined> {
  if (wait === undefined || closed) return undefined;
  const ended = Promise.withResolvers<undefined>();
  const giveUp = (): void => ended.resolve(undefined);
  signal.addEventListener("abort", giveUp);
  try {
    return await Promise.race([wait, ended.promise]);
  } finally {
    signal.removeEventListener("abort", giveUp);
  }
}

export interface ToolApprovalOptions {
  readonly env: Env;
  readonly active: Pick<ActiveRun, "run" | "closed" | "signal" | "showApproval">;
  readonly request: Pick<RunRequest, "requestId" | "capabilities">;
  readonly sessionId: string;
  readonly approvals: Approvals;
  /** Whether a hook has ended the run. */
  readonly isEnding: () => boolean;
  readonly log: Logger;
}

/** The tool's own approval rule, bound to its plugin's context; undefined when no call needs approval. */
export function approvalRule(
  { needsApproval = false }: PluginTool,
  context: Omit<ToolContext, "toolCallId">,
  report: Report,
): ApprovalRule | undefined {
  if (needsApproval === false) return undefined;
  if (needsApproval === "foreign-text") return () => context.holdsForeignText();
  if (typeof needsApproval !== "function") return () => true;
  return async (args, toolCallId) => {
    try {
      return await needsApproval(args, { ...context, toolCallId });
    } catch (thrown) {
      report(thrown);
      throw thrown;
    }
  };
}

interface Answered {
  readonly asked: ApprovalRequest;
  readonly answer: ApprovalAnswer;
}

/**
 * Asks the tool whether the call needs approval, asks the user, and waits. Only the approved arguments can run: they are compared
 * with those that the user was shown, even after a restart.
 */
export function createToolApproval(options: ToolApprovalOptions) {
  const { env, active, request, sessionId, approvals, isEnding, log } = options;
  const { capabilities = WEB_CLIENT } = request;
  /** Keyed by question id. */
  const answers = new Map<string, Promise<Answered | undefined>>();

  /** Fails closed: if the rule throws, or returns anything but `false`, the user is asked. */
  async function isNeeded(rule: ApprovalRule, { name, eventId }: Call, args: unknown): Promise<boolean> {
    try {
      const needed: unknown = await rule(args, eventId);
      return needed !== false;
    } catch (thrown) {
      log.warn("approval-rule-failed", { tool: name, reason: describeThrown(thrown) });
      return true;
    }
  }

  function show(asked: ApprovalRequest, answer: ApprovalAnswer): void {
    if (answer === "approved" || answer === "denied") {
      active.showApproval(asked, { status: "done", output: JSON.stringify({ approved: answer === "approved" }) });
    } else active.showApproval(asked, { status: "error", error: `${asked.toolName} ${reasons[answer]}` });
  }

  /** The question and the user's answer; undefined if the run ends first. All callers share one wait. */
  function answerTo(call: Call, id: string): Promise<Answered | undefined> {
    const known = answers.get(id);
    if (known !== undefined) return known;
    const wait = waitFor(call, id);
    answers.set(id, wait);
    return wait;
  }

  async function waitFor(call: Call, id: string): Promise<Answered | undefined> {
    const asked = approvals.find(id)?.request;
    const answer = await unlessEnded(active, approvals.whenAnswered(id));
    if (answer === undefined || asked === undefined) return undefined;
    // For a call that has already begun, the earlier process has shown the approval.
    if (call.tries === 0) show(asked, answer);
    return { asked, answer };
  }

  function cannotBeAsked({ name }: Call): CallOutcome {
    log.info("approval-not-possible", { tool: name });
    return { error: `${name} was not run: ${NOBODY_TO_ASK}` };
  }

  /** Why the call is refused; undefined when it may be made. */
  return async function refusalOf(call: Call, rule: ApprovalRule, args: unknown): Promise<CallOutcome | undefined> {
    const id = approvalId(call.eventId);
    if (approvals.find(id) === undefined) {
      if (!(await isNeeded(rule, call, args))) return undefined;
      if (active.closed || isEnding()) return ENDED_OUTCOME;
      if (!capabilities.approve) return cannotBeAsked(call);
      if (approvals.isSuperseded(active.run.ordinal))
        return { error: `${call.name} was not run: it ${reasons.superseded}` };
      const shown = asObject(args, env);
      if (shown === undefined) return { error: `${call.name} was not run: its arguments cannot be shown to the user` };
      // Middleware may make the call twice concurrently, so the user may already have been asked.
      if (approvals.find(id) === undefined) {
        const asked = { id, sessionId, requestId: request.requestId, toolName: call.name, args: shown };
        approvals.ask(active.run.ordinal, call.eventId, asked);
        active.showApproval(asked, { status: "isRunning" });
      }
    }
    const answered = await answerTo(call, id);
    if (answered === undefined) return ENDED_OUTCOME;
    const { asked, answer } = answered;
    if (answer !== "approved") return { error: `${call.name} was not run: it ${reasons[answer]}` };
    const now = asObject(args, env);
    if (now === undefined || canonicalJson(asked.args) !== canonicalJson(now))
      return { error: `${call.name} was not run: its arguments are not those that the user approved` };
    return undefined;
  };
}

/** The model repeats this text, so that the user knows where they can approve the call. */
const NOBODY_TO_ASK =
  "it needs the user's approval, which they cannot give here. Tell them to ask for this in the web application.";

const HOURS = APPROVAL_TIME_LIMIT_MS / (60 * 60 * 1000);

const reasons: Readonly<Record<Exclude<ApprovalAnswer, "approved">, string>> = {
  denied: "was not approved by the user",
  expired: `was not approved within ${HOURS} hours`,
  superseded: "was not approved: the user wrote another message instead",
  void: "was not approved: the question could not be completed",
};

/** The arguments as JSON without secrets, as the user sees them; undefined if JSON cannot represent them. */
function asObject(args: unknown, env: Env): JsonObject | undefined {
  try {
    if (!isPlainJson(args ?? {})) return undefined;
    const shown = withoutSecrets(env, JSON.parse(JSON.stringify(args ?? {})) as JsonValue);
    return isJsonObject(shown) ? shown : undefined;
  } catch {
    return undefined;
  }
}

/** Maximum wait for an answer, milliseconds: the upper bound of a timer. */
const LONGEST_QUESTION_MS = 2 ** 31 - 1;

export interface AskUserOptions {
  readonly env: Env;
  readonly active: Pick<ActiveRun, "run" | "closed" | "signal" | "showQuestion">;
  readonly request: Pick<RunRequest, "capabilities">;
  readonly sessionId: string;
  readonly approvals: Pick<Approvals, "isSuperseded">;
  readonly questions: Pick<Questions, "ask" | "newId">;
}

/** `ctx.askUser`: a plugin's question to the user, sent as an action that clients do not have to declare. */
export function createAskUser(options: AskUserOptions): RuntimeContext["askUser"] {
  const { env, active, request, sessionId, approvals, questions } = options;
  const { capabilities = WEB_CLIENT } = request;
  return async (name, args, { timeoutMs }) => {
    const { problem } = wantedCall({ id: "", name, args });
    if (problem !== undefined) throw new Error(problem);
    if (!(timeoutMs > 0)) throw new TypeError("timeoutMs must be a number of milliseconds above 0");
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
