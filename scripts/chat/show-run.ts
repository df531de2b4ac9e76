/**
 * Shows one run from its first frame, or from where this terminal lost it, to its end. After each frame its id is in the
 * state file, so that a kill at any moment loses and repeats nothing.
 */
import { readFrame } from "../../protocol/frames.ts";
import type { EndedRunStatus } from "../../protocol/records.ts";
import { ChatFailure, exitCodes } from "./command-line.ts";
import type { OpenRun, ChatClient } from "./oracle-client.ts";
import { followRun, type Frame } from "./run-stream.ts";
import type { Screen } from "./screen.ts";
import type { StateFile } from "./state-file.ts";
import { nextAnswer } from "./answer-change.ts";

export interface RunToShow {
  readonly url: string;
  readonly sessionId: string;
  readonly runId: string;
  /** The id of the last frame that was shown, and the answer up to it; 0 and "" for a run that just started. */
  readonly lastId: number;
  readonly text: string;
  /** The stream that started the run; undefined to open one. */
  readonly opened?: OpenRun;
}

export interface ShowOptions {
  readonly client: Pick<ChatClient, "join">;
  readonly screen: Screen;
  readonly stateFile: StateFile;
  /** With `--json`: receives each frame as it is, instead of the screen. */
  readonly printFrame: ((frame: Frame) => void) | undefined;
  wait(milliseconds: number): Promise<void>;
  readonly interrupted: AbortSignal;
}

export async function showRun(run: RunToShow, options: ShowOptions): Promise<EndedRunStatus> {
  const { screen, stateFile, printFrame, client, wait, interrupted } = options;
  const { url, sessionId, runId, opened } = run;
  let { lastId, text } = run;
  let status: EndedRunStatus | undefined;
  const save = () =>
    stateFile.write({ version: 1, url, sessionId, run: { runId, lastId, text, ended: status !== undefined } });

  function onFrame(frame: Frame): boolean {
    printFrame?.(frame);
    const event = readFrame(frame.event, frame.data);
    if (event === "malformed") screen.note(`(a ${frame.event} frame that this client cannot read)`);
    else if (event !== undefined) {
      const next = nextAnswer(text, event);
      text = next.text;
      if (printFrame === undefined) screen.show(event, next.change);
      if (event.event === "done") ({ status } = event.data);
    }
    lastId = Math.max(lastId, frame.id ?? 0);
    save();
    return frame.event === "done";
  }

  save();
  const onLost = (pause: number) => screen.note(`Connection lost; reconnecting in ${pause / 1000} s ...`);
  await followRun({ client, runId, opened, lastId, onFrame, onLost, wait, interrupted });
  if (status === undefined) throw new ChatFailure(exitCodes.runFailed, "The run ended without a status.");
  return status;
}
