/**
 * Shows one run from its first frame, or from where this terminal lost it, to its end. After each frame, its id is in the state
 * file, so that a kill at any moment loses and repeats nothing.
 */
import type { EventSourceMessage } from "eventsource-parser";
import { readFrame } from "../../protocol/frames.ts";
import type { EndedRunStatus } from "../../protocol/records.ts";
import { RequestError } from "../../sdk/src/core/errors.ts";
import { followRun, type FollowRunOptions, type RunFrame, type RunLimits } from "../../sdk/src/core/run-stream.ts";
import { ChatFailure, exitCodes } from "./command-line.ts";
import { failureOf, type ChatClient } from "./oracle-client.ts";
import type { Screen } from "./screen.ts";
import type { StateFile } from "./state-file.ts";
import { nextAnswer } from "./answer-change.ts";

/** Milliseconds: waits of 0.5, 1, 2, 4 and four times 8 s without a frame, enough for a development server to restart. */
const LIMITS: Partial<RunLimits> = { firstWait: 500, longestWait: 8_000, giveUp: 35_000 };
/** Always the maximum wait: a single terminal needs no jitter. */
const NO_JITTER = 1;

export interface RunToShow {
  readonly url: string;
  readonly sessionId: string;
  /** A message to send, or the run to join after the last shown frame. */
  readonly start: FollowRunOptions["start"];
  /** The answer up to that frame. */
  readonly text: string;
}

export interface ShowOptions {
  readonly client: Pick<ChatClient, "http">;
  readonly screen: Screen;
  readonly stateFile: StateFile;
  /** With `--json`: receives each frame unchanged, instead of the screen. */
  readonly printFrame: ((frame: object) => void) | undefined;
  wait(milliseconds: number): Promise<void>;
  readonly interrupted: AbortSignal;
}

export async function showRun(run: RunToShow, options: ShowOptions): Promise<EndedRunStatus> {
  const { screen, stateFile, printFrame, client, wait, interrupted } = options;
  const { url, sessionId, start } = run;
  let { runId, after: lastId } = "runId" in start ? start : { runId: undefined, after: 0 };
  let { text } = run;
  let ended = false;
  const save = () => {
    if (runId !== undefined) stateFile.write({ version: 1, url, sessionId, run: { runId, lastId, text, ended } });
  };

  function onFrame({ event: name, id, data }: RunFrame): void {
    const event = readFrame(name, data);
    if (event === "malformed") screen.note(`(a ${name} frame that this client cannot read)`);
    else if (event !== undefined) {
      const next = nextAnswer(text, event);
      text = next.text;
      if (printFrame === undefined) screen.show(event, next.change);
    }
    ended ||= name === "done";
    lastId = Math.max(lastId, id);
    save();
  }

  save();
  const outcome = await followRun({
    http: client.http,
    start,
    signal: interrupted,
    onAccepted(accepted) {
      ({ runId } = accepted);
      save();
    },
    onFrame,
    onMessage: (message) => printFrame?.(frameOf(message)),
    onReconnecting: () => undefined,
    wake: () => () => undefined,
    limits: LIMITS,
    random: () => NO_JITTER,
    async pause(milliseconds) {
      screen.note(`Connection lost; reconnecting in ${milliseconds / 1000} s ...`);
      await wait(milliseconds);
    },
  }).catch((error: unknown) => {
    throw failureOf(error, url);
  });
  if (outcome.kind === "done") return outcome.done.status;
  interrupted.throwIfAborted();
  if (outcome.kind === "lost" && outcome.error instanceof RequestError) throw failureOf(outcome.error, url);
  const advice = "Cannot reach the server. Its answer is not lost: try --resume later.";
  throw new ChatFailure(exitCodes.unreachable, advice);
}

function frameOf({ event = "message", id, data }: EventSourceMessage): object {
  const number = id !== undefined && /^[0-9]+$/.test(id) ? Number(id) : undefined;
  try {
    return { event, id: number, data: JSON.parse(data) as unknown };
  } catch {
    return { event, id: number, data };
  }
}
