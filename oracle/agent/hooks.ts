/**
 * The middleware of a run, in the order that docs/plugins/guide/turns.md describes: before hooks in load order, after hooks in
 * reverse, wrap hooks as an onion. A hook that throws is skipped for the rest of the run, or fails the run if it is required. The
 * end of the run aborts hooks that hang. Without middleware, this module costs nothing.
 */
import type {
  AgentMiddleware,
  AgentState,
  AnsweredState,
  EndTurn,
  ToolCallRequest,
  ToolCallResult,
} from "../framework/middleware.ts";
import type { RuntimeContext } from "../framework/context.ts";
import type { FinishReason } from "../../protocol/records.ts";
import { isJsonObject } from "../../platform/json.ts";
import { describeThrown, type Logger } from "../../platform/log.ts";
import { endFailure, type Verdict } from "../run-request.ts";
import type { ActiveRun } from "../runs/active-run.ts";
import { middlewareFailed } from "../runs/failures.ts";
import type { ModelCallRequest, ModelCallResult } from "../framework/model-call.ts";

/** A middleware bound to the context of its plugin. */
export interface BoundMiddleware {
  readonly middleware: AgentMiddleware;
  readonly context: RuntimeContext;
  /** Undefined for built-in middleware. */
  readonly report?: Report;
}

/** Reports an error thrown by a plugin to the author of the oracle; never throws. */
export type Report = (thrown: unknown) => void;

/** Thrown when a hook has ended the run; passes through models, tools and sub-agents up to the end of the run. */
export class EndedByHook extends Error {
  override readonly name = "EndedByHook";
}

/** The hooks of a run in order: how often each runs, and in which order of the plugins. */
export const HOOK_ORDER = [
  { hook: "beforeAgent", runs: "once, before the first step", order: "load order" },
  { hook: "beforeModel", runs: "in each step, before the request to the model", order: "load order" },
  { hook: "wrapModelCall", runs: "in each step, around the model", order: "first loaded outermost" },
  { hook: "afterModel", runs: "in each step, after the model's response", order: "reverse load order" },
  { hook: "wrapToolCall", runs: "around each tool call of a step", order: "first loaded outermost" },
  { hook: "afterAgent", runs: "once, after the last step", order: "reverse load order" },
] as const satisfies readonly { hook: HookName; runs: string; order: string }[];

export type HookName = Exclude<keyof AgentMiddleware, "name" | "required" | "rewritesText" | "onText">;
type BeforeHook = "beforeAgent" | "beforeModel";

export interface HooksOptions {
  readonly active: Pick<ActiveRun, "run" | "signal" | "noticeOnce" | "decide">;
  /** Called as soon as a hook has ended the run. */
  readonly onVerdict: () => void;
  readonly log: Logger;
}

export type Hooks = ReturnType<typeof createHooks>;

export function createHooks({ active, onVerdict, log }: HooksOptions) {
  const { signal } = active;
  const skipped = new Set<AgentMiddleware>();
  /** A recovered run may already have a verdict. */
  let verdict = active.run.verdict ?? undefined;

  function decide(decision: Verdict): never {
    if (verdict === undefined || weightOf(decision) > weightOf(verdict)) {
      verdict = decision;
      active.decide(decision);
      onVerdict();
    }
    throw new EndedByHook();
  }

  function end({ middleware }: BoundMiddleware, hook: HookName, ended: EndTurn): never {
    log.info("middleware-ended-turn", { middleware: middleware.name, hook });
    return decide("message" in ended ? { message: ended.message } : { failure: endFailure.parse(ended.failure) });
  }

  function fault({ middleware, report }: BoundMiddleware, hook: HookName, thrown: unknown): void {
    const { name, required = false } = middleware;
    report?.(thrown);
    log.error("middleware-failed", { middleware: name, hook, required, reason: describeThrown(thrown) });
    if (required) decide({ gate: name });
    if (skipped.has(middleware)) return;
    skipped.add(middleware);
    active.noticeOnce(middlewareFailed(name));
  }

  /** Runs one hook of each middleware in turn. */
  async function run(
    hook: BeforeHook | "afterModel" | "afterAgent",
    bound: readonly BoundMiddleware[],
    state: AgentState | AnsweredState,
  ): Promise<void> {
    for (const each of bound) {
      const { middleware, context } = each;
      if (middleware[hook] === undefined || skipped.has(middleware)) continue;
      let answer: EndTurn | void;
      try {
        // Only `afterModel` reads the result, and it always gets one.
        answer = await unlessCut(signal, () => middleware[hook]?.(state as AnsweredState, context));
        if (hook === "afterAgent" && isEndTurn(answer)) throw new TypeError("afterAgent cannot end the turn");
      } catch (thrown) {
        if (signal.aborted) throw thrown;
        fault(each, hook, thrown);
        continue;
      }
      if (isEndTurn(answer)) end(each, hook, answer);
      // A gate that returns an invalid answer may have meant to stop the run.
      if (hook !== "afterAgent" && answer !== undefined && answer !== null) fault(each, hook, unreadableAnswer(hook));
    }
  }

  /** Wraps the call in every middleware with this hook. */
  function wrap<Request, Answer>(
    hook: "wrapModelCall" | "wrapToolCall",
    bound: readonly BoundMiddleware[],
    innermost: (request: Request) => Promise<Answer>,
    { call, isAnswer }: Wrapping<Request, Answer>,
  ): (request: Request) => Promise<Answer> {
    return bound
      .filter(({ middleware }) => middleware[hook] !== undefined)
      .reduceRight((next, each) => (request) => around(each, request, next), innermost);

    async function around(
      each: BoundMiddleware,
      request: Request,
      next: (request: Request) => Promise<Answer>,
    ): Promise<Answer> {
      if (skipped.has(each.middleware)) return next(request);
      /** The result of `next`; the last one if it was called more than once. */
      let inner: Promise<Answer> | undefined;
      let isOver = false;
      const asked = (given: Request): Promise<Answer> => {
        if (isOver || signal.aborted) return Promise.reject(new Error("the call is over"));
        inner = next(given);
        inner.catch(() => undefined);
        return inner;
      };
      try {
        const answer = await unlessCut(signal, () => call(each, request, asked));
        if (isEndTurn(answer)) end(each, hook, answer);
        if (!isAnswer(answer)) throw new TypeError(`${hook} returned no result`);
        return answer;
      } catch (thrown) {
        if (signal.aborted || thrown instanceof EndedByHook) throw thrown;
        // Rethrows a failure of `next`, which is not the middleware's fault.
        const answer = await inner;
        fault(each, hook, thrown);
        return answer ?? (await next(request));
      } finally {
        isOver = true;
      }
    }
  }

  /** Middleware whose `onText` threw; its other hooks still run. */
  const deaf = new Set<AgentMiddleware>();

  return {
    /** How a hook has ended the run; undefined while it continues. */
    verdict: (): Verdict | undefined => verdict,
    before: (hook: BeforeHook, bound: readonly BoundMiddleware[], state: AgentState): Promise<void> =>
      run(hook, bound, state),
    afterModel: (bound: readonly BoundMiddleware[], state: AnsweredState): Promise<void> =>
      run("afterModel", bound.toReversed(), state),
    afterAgent: (bound: readonly BoundMiddleware[], state: AgentState): Promise<void> =>
      run("afterAgent", bound.toReversed(), state),
    modelCall: (
      bound: readonly BoundMiddleware[],
      innermost: (request: ModelCallRequest) => Promise<ModelCallResult>,
    ) => wrap("wrapModelCall", bound, innermost, modelCalls),
    toolCall: (bound: readonly BoundMiddleware[], innermost: (request: ToolCallRequest) => Promise<ToolCallResult>) =>
      wrap("wrapToolCall", bound, innermost, toolCalls),
    /** Notifies middleware of text that was sent to the user. */
    onText(bound: readonly BoundMiddleware[], text: string): void {
      for (const { middleware, context, report } of bound) {
        if (middleware.onText === undefined || skipped.has(middleware) || deaf.has(middleware)) continue;
        try {
          middleware.onText(text, context);
        } catch (thrown) {
          deaf.add(middleware);
          report?.(thrown);
          const { name, required = false } = middleware;
          log.error("middleware-failed", {
            middleware: name,
            hook: "onText",
            required,
            reason: describeThrown(thrown),
          });
        }
      }
    },
    /** Whether text must be withheld until middleware has seen it. */
    rewritesText: (bound: readonly BoundMiddleware[]): boolean =>
      bound.some(
        ({ middleware }) =>
          middleware.rewritesText === true && middleware.wrapModelCall !== undefined && !skipped.has(middleware),
      ),
  };
}

const finishReasons: ReadonlySet<unknown> = new Set<FinishReason>([
  "stop",
  "length",
  "content_filter",
  "tool_calls",
  "other",
]);

interface Wrapping<Request, Answer> {
  readonly call: (
    bound: BoundMiddleware,
    request: Request,
    next: (request: Request) => Promise<Answer>,
  ) => Promise<Answer | EndTurn> | undefined;
  /** Validates the parts of a plugin's answer that the run relies on. */
  readonly isAnswer: (value: unknown) => value is Answer;
}

const modelCalls: Wrapping<ModelCallRequest, ModelCallResult> = {
  call: ({ middleware, context }, request, next) => middleware.wrapModelCall?.(request, next, context),
  isAnswer: (value): value is ModelCallResult =>
    isJsonObject(value) &&
    typeof value["text"] === "string" &&
    finishReasons.has(value["finishReason"]) &&
    Array.isArray(value["toolCalls"]) &&
    value["toolCalls"].every(
      (each) =>
        isJsonObject(each) &&
        typeof each["id"] === "string" &&
        typeof each["name"] === "string" &&
        isJson(each["args"]),
    ),
};

const toolCalls: Wrapping<ToolCallRequest, ToolCallResult> = {
  call: ({ middleware, context }, request, next) => middleware.wrapToolCall?.(request, next, context),
  isAnswer: (value): value is ToolCallResult =>
    isJsonObject(value) && ("error" in value ? typeof value["error"] === "string" : isJson(value["output"])),
};

/** Whether the value can be stored and sent. */
function isJson(value: unknown): boolean {
  try {
    return JSON.stringify(value) !== undefined;
  } catch {
    return false;
  }
}

/** A failed gate outweighs a failure, which outweighs a message. */
function weightOf(verdict: Verdict): number {
  return "gate" in verdict ? 2 : "failure" in verdict ? 1 : 0;
}

/** An end must have a message, so that the user never gets an empty answer. */
function isEndTurn(value: unknown): value is EndTurn {
  if (!isJsonObject(value) || value["jumpTo"] !== "end") return false;
  if (value["message"] === undefined) return endFailure.safeParse(value["failure"]).success;
  return typeof value["message"] === "string" && value["message"].trim() !== "";
}

function unreadableAnswer(hook: HookName): TypeError {
  return new TypeError(`${hook} must return nothing or {jumpTo: "end"} with a message or a failure`);
}

/** Returns the result of the work. Rejects as soon as the signal fires; later results are dropped. */
export async function unlessCut<Value>(signal: AbortSignal, work: () => Promise<Value> | Value): Promise<Value> {
  signal.throwIfAborted();
  const begun = work();
  // Most hooks answer at once: listening to the signal would cost more than they do.
  if (!isThenable(begun)) return begun;
  const cut = Promise.withResolvers<never>();
  const stop = (): void => cut.reject(signal.reason);
  signal.addEventListener("abort", stop, { once: true });
  try {
    const running = Promise.resolve(begun);
    running.catch(() => undefined);
    return await Promise.race([running, cut.promise]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

function isThenable<Value>(value: Promise<Value> | Value): value is Promise<Value> {
  return typeof value === "object" && value !== null && "then" in value;
}
