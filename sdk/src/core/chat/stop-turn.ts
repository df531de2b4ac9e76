/** Ends a session's turn on the oracle, whether this page follows it or not. */
import type { ActiveRun } from "../chat.ts";
import type { OracleHttp } from "../http.ts";
import type { ChatState } from "./chat-state.ts";
import type { Environment } from "../environment.ts";
import type { Queue } from "./queue.ts";
import type { ActiveTurn, TurnRunner } from "./turn-runner.ts";

/** Milliseconds that a turn has to end after the oracle has agreed to stop it; then its stream is left. */
const STOP_MS = 5000;

export interface StopOptions {
  readonly http: Pick<OracleHttp, "json">;
  readonly sessionId: string;
  readonly runner: TurnRunner;
  readonly queue: Queue;
  readonly state: ChatState;
  readonly environment: Environment;
  /** No turn was followed: what the oracle kept of it is in the transcript. */
  onIdle(): void;
}

/** Never throws: that the oracle could not be asked stands in the chat's `error`. */
export async function stopTurn({
  http,
  sessionId,
  runner,
  queue,
  state,
  environment,
  onIdle,
}: StopOptions): Promise<void> {
  const current = runner.active();
  // One that is tried again is no turn yet: it waits in the queue, where it can be cancelled.
  const active = current?.isRetry === true && !current.isAccepted ? undefined : current;
  const hadArrived = active?.isAccepted === true;
  // The user wants quiet: what waits is not sent right behind it.
  queue.pause();
  // Also that of an earlier attempt to stop.
  state.set({ error: undefined });
  const ended = active === undefined ? undefined : whenOver(active, runner, state, environment);
  if (active !== undefined) {
    active.isAborted = true;
    if (!hadArrived) active.controller.abort();
    state.set({ status: "ready" });
  }

  async function ask(): Promise<boolean> {
    const body = { sessionId };
    const { success } = await http.json<{ success: boolean }>("/messages/abort", { method: "POST", body });
    return success;
  }

  try {
    const isStopped = await ask();
    // A message that was on its way may have arrived behind the request to stop.
    if (!isStopped && active !== undefined && !hadArrived) {
      const path = `/sessions/${encodeURIComponent(sessionId)}/run`;
      const { run } = await http.json<{ run: ActiveRun | null }>(path);
      if (run !== null) await ask();
    }
    await ended;
  } catch (error) {
    state.failed(error);
  }
  active?.controller.abort();
  if (!hadArrived) onIdle();
}

/** Resolves once the turn is not followed any more, or after a while. */
function whenOver(active: ActiveTurn, runner: TurnRunner, state: ChatState, environment: Environment): Promise<void> {
  return new Promise((resolve) => {
    const cancel = environment.after(STOP_MS, done);
    const off = state.view({ mode: "immediate" }).subscribe(() => {
      if (runner.active() !== active) done();
    });
    function done(): void {
      cancel();
      off();
      resolve();
    }
  });
}
