/**
 * Follows one run to its `done`, however often the connection drops (contract/oracle.md section 5.3): only `done` ends
 * a run, so a stream that closes without it is joined again behind the last frame that was seen.
 */
import { ChatFailure, exitCodes } from "./failure.ts";
import { readFrames, silenceLimit, type Frame } from "./frames.ts";
import type { OpenRun, OracleClient } from "./oracle-client.ts";

/**
 * Milliseconds before each try to join again, counted anew after every frame; after the last we give up. Forty seconds
 * in all: long enough for a development server to be started again.
 */
export const backOff = [500, 1000, 2000, 4000, 8000, 8000, 8000, 8000] as const;

export interface Following {
  readonly client: Pick<OracleClient, "join">;
  readonly runId: string;
  /** The open stream, or undefined to join first. */
  readonly opened: OpenRun | undefined;
  /** The id of the last frame that was seen; 0 before the first. */
  readonly lastId: number;
  /** Each new frame, once and in order; answers true when it was the last. */
  onFrame(frame: Frame): boolean;
  /** Before each wait, milliseconds. */
  onLost(wait: number): void;
  wait(milliseconds: number): Promise<void>;
  readonly interrupted: AbortSignal;
}

export async function followRun(following: Following): Promise<void> {
  const { client, runId, interrupted } = following;
  let run = following.opened;
  let lastId = following.lastId;
  let tries = 0;
  for (;;) {
    run ??= await tryToJoin(client, runId, lastId);
    if (run !== undefined) {
      for await (const frame of readFrames(run.body, silenceLimit)) {
        // A server that repeats itself is not shown twice. Of a run that has ended it may repeat `done`.
        if (frame.id !== undefined && frame.id <= lastId && frame.event !== "done") continue;
        lastId = Math.max(lastId, frame.id ?? 0);
        tries = 0;
        if (following.onFrame(frame)) return;
      }
      interrupted.throwIfAborted();
    }
    run = undefined;
    const wait = backOff[tries];
    if (wait === undefined) {
      throw new ChatFailure(
        exitCodes.unreachable,
        "Cannot reach the server. Its answer is not lost: try --resume later.",
      );
    }
    tries += 1;
    following.onLost(wait);
    await following.wait(wait);
  }
}

/** Undefined when the server is away or not yet ready; a run that is gone for good is thrown. */
async function tryToJoin(
  client: Pick<OracleClient, "join">,
  runId: string,
  after: number,
): Promise<OpenRun | undefined> {
  try {
    return await client.join(runId, after);
  } catch (error) {
    if (error instanceof ChatFailure && error.exitCode === exitCodes.unreachable) return undefined;
    throw error;
  }
}
