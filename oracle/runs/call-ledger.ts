/**
 * The effects ledger of a run: each tool call is stored as a row before its handler starts, with its effect (read or write), and
 * ends once: settled by its outcome, or unknown when its process was lost after it had begun. Clients are shown calls from here,
 * after they are stored.
 */
import type { RunEvent } from "../../protocol/frames.ts";
import type { ClientSide, Effect } from "../framework/tools.ts";
import { type JsonObject, parseJson } from "../../platform/json.ts";
import type { ToolCallResult } from "../framework/middleware.ts";
import type { Run } from "./run-store.ts";
import type { Call, StepStore } from "./step-store.ts";

/** In how many processes a read may begin: it is retried once after a loss. */
export const READ_TRIES = 2;

/** Shown in the transcript and to clients for a call that never ended. */
export const INCOMPLETE_TOOL = "Tool did not complete";
export const INCOMPLETE_ACTION = "Action did not complete";

/** The transcript's text for a write that had begun and never ended. */
export function unknownOutcome(name: string): string {
  return `The outcome of ${name} is unknown: it did not complete`;
}

export interface CallStart {
  readonly modelCallId: string;
  readonly name: string;
  readonly args: JsonObject;
  readonly effect: Effect;
  /** Set when the client makes the call. */
  readonly runsIn?: ClientSide | undefined;
  /** The sub-agent that makes the call. */
  readonly agent?: string | undefined;
  /** Clients do not see the call. */
  readonly isHidden?: true | undefined;
  /** The call runs a sub-agent. */
  readonly runsAgent?: true | undefined;
}

/** For a sub-agent's calls: the call that runs it, and the number of its step. */
export interface AgentStep {
  readonly ofCall: string;
  readonly ofStep: number;
}

export interface CallLedgerOptions {
  readonly run: Run;
  /** No call of the run is stored. */
  readonly isNew: boolean;
  readonly sessionId: string;
  readonly store: Pick<StepStore, "calls" | "putCall" | "beginCall">;
  readonly newId: () => string;
  readonly emit: (event: RunEvent) => void;
}

export function createCallLedger({ run, isNew, sessionId, store, newId, emit }: CallLedgerOptions) {
  const calls = new Map((isNew ? [] : store.calls(run.ordinal)).map((call) => [call.eventId, call]));
  /** Calls that have begun in this process. */
  const begun = new Set<string>();

  function put(call: Call): Call {
    // Stored first: a call that cannot be stored must not keep the run from ending.
    store.putCall(run.ordinal, call);
    calls.set(call.eventId, call);
    return call;
  }

  function show(call: Call): Call {
    const { eventId, name: toolName, args, output, error, agent } = call;
    if (call.isHidden === true || call.status === "unknown") return call;
    const data = {
      sessionId,
      requestId: run.requestId,
      toolName,
      args: { ...args, toolName },
      status: call.status,
      ...(output === undefined ? {} : { output: plainOutput(output) }),
      ...(error === undefined ? {} : { error }),
      ...(agent === undefined ? {} : { agent }),
    };
    if (isAction(call)) emit({ event: "action_call", data: { ...data, toolCallId: eventId } });
    else emit({ event: "tool_call", data: { ...data, eventId } });
    return call;
  }

  /** The current row: a caller may hold one from before the call began. */
  const current = ({ eventId }: Call): Call | undefined => calls.get(eventId);

  function settle(call: Call, outcome: Pick<Call, "status" | "output" | "error">): void {
    show(put({ ...(current(call) ?? call), ...outcome }));
  }

  const newCallId = (runsIn?: ClientSide): string => `${runsIn === undefined ? "tc" : idPrefixes[runsIn]}_${newId()}`;

  return {
    newCallId,
    calls: (): readonly Call[] => [...calls.values()],

    add(step: number, starts: readonly CallStart[], agentStep?: AgentStep): readonly Call[] {
      const before = [...calls.values()].filter((call) => call.step === step).length;
      return starts.map(({ modelCallId, name, args, effect, runsIn, agent, isHidden, runsAgent }, index) =>
        show(
          put({
            eventId: newCallId(runsIn),
            step,
            position: before + index,
            modelCallId,
            name,
            args,
            status: "isRunning",
            effect,
            tries: 0,
            ...(isHidden === true ? { isHidden } : {}),
            ...(agent === undefined ? {} : { agent }),
            ...(runsAgent === true ? { runsAgent } : {}),
            ...agentStep,
          }),
        ),
      );
    },

    /**
     * Marks the call as begun; returns whether it may be made. A read may be repeated in the process where it began; a sub-agent
     * begins once in each process and continues from its own steps.
     */
    begin(call: Call): boolean {
      const { eventId, effect, tries, runsAgent } = current(call) ?? call;
      const isRepeated = begun.has(eventId);
      if (runsAgent === true) {
        if (isRepeated) return false;
      } else if (isClientCall(call) || effect === "write" ? tries > 0 : !isRepeated && tries >= READ_TRIES)
        return false;
      if (isRepeated) return true;
      begun.add(eventId);
      store.beginCall(eventId, tries + 1);
      calls.set(eventId, { ...(current(call) ?? call), tries: tries + 1 });
      return true;
    },

    end(call: Call, outcome: ToolCallResult): void {
      if ("error" in outcome) settle(call, { status: "error", error: outcome.error });
      else settle(call, { status: "done", output: JSON.stringify(outcome.output) });
    },

    lose(call: Call): void {
      settle(call, { status: "unknown" });
    },

    /** The run ends: closes running calls, so that clients do not show them as running. */
    closeOpen(): void {
      for (const call of calls.values()) {
        if (call.status !== "isRunning" && call.status !== "unknown") continue;
        if (isAction(call)) {
          settle(call, { status: "error", error: INCOMPLETE_ACTION });
          continue;
        }
        const shown: Call = { ...call, status: "done", output: JSON.stringify(INCOMPLETE_TOOL) };
        put(mayHaveChanged(call) ? { ...shown, output: JSON.stringify(unknownOutcome(call.name)) } : shown);
        show(shown);
      }
    },
  };
}

const idPrefixes: Readonly<Record<ClientSide, string>> = { browser: "bt", action: "ag" };

function isAction({ eventId }: Pick<Call, "eventId">): boolean {
  return eventId.startsWith(`${idPrefixes.action}_`);
}

/** A call that the user's client makes; the client or its own row knows the outcome. */
export function isClientCall({ eventId }: Pick<Call, "eventId">): boolean {
  return isAction({ eventId }) || eventId.startsWith(`${idPrefixes.browser}_`);
}

/** A read changes nothing; a browser tool may do anything in its page. */
function mayHaveChanged(call: Call): boolean {
  return call.tries > 0 && (call.effect === "write" || isClientCall(call));
}

/** On the wire, `output` is a string: a text as it is, any other value as its JSON text. */
function plainOutput(json: string): string {
  const parsed = parseJson(json);
  return parsed.ok && typeof parsed.value === "string" ? parsed.value : json;
}
