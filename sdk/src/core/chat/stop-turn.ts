/** Ends a session's turn on the oracle, whether or not this page follows it. */
import type { ActiveRun } from "../chat.ts";
import type { OracleHttp } from "../http.ts";
import type { ChatState } from "./chat-state.ts";
import type { Environment } from "../environment.ts";
import type { Queue } from "./queue.ts";
import type { ActiveTurn, TurnRunner } from "./turn-runner.ts";

/** Milliseconds for a turn to end after the oracle has accepted the stop. After that, the client leaves the stream. */
const STOP_MS = 5000;

export interface StopOptions {
  readonly http: Pick<OracleHttp, "json">;
  readonly sessionId: string;
  readonly runner: TurnRunner;
  readonly queue: Queue;
  readonly state: ChatState;
  readonly environment: Environment;
  /** No turn was followed. The transcript contains the part that the oracle kept. */
  onIdle(): void;
}

/** Never throws. If the oracle cannot be reached, the chat's `error` is set. */
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
  // A message that is being resent is not a turn yet: it waits in the queue, where the user can cancel it.
  const active = current?.isRetry === true && !current.isAccepted ? undefined : current;
  const hadArrived = active?.isAccepted === true;
  // The user wants to stop, so the waiting messages are not sent.
  queue.pause();
  // Clears the error of an earlier attempt to stop, too.
  state.set({ error: undefined });
  const ended = active === undefined ? undefined : whenEnded(active, runner, state, environment);
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
    // A message in transit may have arrived after the stop request.
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

/** Resolves when the turn is no longer followed, or after the time limit. */
function whenEnded(active: ActiveTurn, runner: TurnRunner, state: ChatState, environment: Environment): Promise<void> {
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
