/**
 * Shows one turn from its first frame, or from where this terminal lost it, to its end, and keeps the state file in
 * step: after each frame that was shown its id is on disk, so that a kill at any moment loses and repeats nothing.
 */
import { nextAnswer } from "./answer.ts";
import { ChatFailure, exitCodes } from "./failure.ts";
import { followRun } from "./follow-run.ts";
import type { Frame } from "./frames.ts";
import type { OpenRun, OracleClient } from "./oracle-client.ts";
import type { Screen } from "./screen.ts";
import type { StateFile } from "./state-file.ts";
import { readEvent, type Ending } from "./wire.ts";

export interface TurnToShow {
  readonly url: string;
  readonly sessionId: string;
  readonly runId: string;
  /** The id of the last frame that was shown, and the answer up to it; 0 and "" for a turn that just began. */
  readonly lastId: number;
  readonly text: string;
  /** The stream that the turn was started on; undefined to join it. */
  readonly opened?: OpenRun;
}

export interface TurnSurroundings {
  readonly client: Pick<OracleClient, "join">;
  readonly screen: Screen;
  readonly stateFile: StateFile;
  /** With `--json`: takes each frame as it is, in place of the screen. */
  readonly printFrame: ((frame: Frame) => void) | undefined;
  wait(milliseconds: number): Promise<void>;
  readonly interrupted: AbortSignal;
}

export async function showTurn(turn: TurnToShow, surroundings: TurnSurroundings): Promise<Ending> {
  const { screen, stateFile, printFrame } = surroundings;
  const { url, sessionId, runId } = turn;
  let { lastId, text } = turn;
  let ending: Ending | undefined;
  const remember = () => {
    stateFile.write({ version: 1, url, sessionId, run: { runId, lastId, text, ended: ending !== undefined } });
  };

  remember();
  await followRun({
    client: surroundings.client,
    runId,
    opened: turn.opened,
    lastId,
    onFrame(frame) {
      printFrame?.(frame);
      const event = readEvent(frame);
      if (event === "unreadable") screen.note(`(a ${frame.event} frame that this client cannot read)`);
      if (event !== undefined && event !== "unreadable") {
        const answer = nextAnswer(text, event);
        text = answer.text;
        if (printFrame === undefined) screen.show(event, answer.change);
        if (event.event === "done") ending = event.data.status;
      }
      lastId = Math.max(lastId, frame.id ?? 0);
      remember();
      return frame.event === "done";
    },
    onLost: (wait) => screen.note(`Connection lost; joining again in ${wait / 1000} s ...`),
    wait: surroundings.wait,
    interrupted: surroundings.interrupted,
  });
  if (ending === undefined)
    throw new ChatFailure(exitCodes.turnFailed, "The server ended the turn without saying how.");
  return ending;
}
