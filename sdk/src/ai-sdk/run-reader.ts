/**
 * Follows a run and returns its frames as a stream of chunks, from the moment at which the oracle has accepted the
 * message.
 */
import type { UIMessageChunk } from "ai";
import { pageEnvironment } from "../core/environment.ts";
import { errorOf } from "../core/errors.ts";
import type { OracleHttp } from "../core/http.ts";
import { followRun, type FollowRunOptions, type RunFrame, type RunOutcome } from "../core/run-stream.ts";
import { createRunChunks, type OracleMessageMetadata } from "./run-chunks.ts";

export interface ReadRunOptions {
  readonly http: OracleHttp;
  readonly start: FollowRunOptions["start"];
  /** Stops reading; the run continues. */
  readonly left: AbortController;
  /**
   * For a run that is read from its beginning: nothing is shown until the frame `until` has arrived and these questions
   * are answered. `isContinued`: the reader's message already contains the run's parts, and they are replaced.
   */
  readonly replay?: { readonly until: number; readonly answers: readonly string[]; readonly isContinued: boolean };
  onAccepted?(): void;
  readonly onFrame: (frame: RunFrame) => void;
  readonly onOver: () => void;
}

/** Rejects if the oracle refuses the message. Later errors are in the stream. */
export function readRun(options: ReadRunOptions): Promise<ReadableStream<UIMessageChunk>> {
  const { http, start, left, replay } = options;
  const chunks = createRunChunks();
  const held: UIMessageChunk[] = [];
  let isHeld = replay !== undefined;
  // Set synchronously, because a stream calls `start` during its construction.
  let output: ReadableStreamDefaultController<UIMessageChunk> | undefined;
  const stream = new ReadableStream<UIMessageChunk>({
    start: (controller) => void (output = controller),
    cancel() {
      output = undefined;
      left.abort();
    },
  });

  let accept: () => void = () => undefined;
  let refuse: (error: Error) => void = () => undefined;
  const accepted = new Promise<ReadableStream<UIMessageChunk>>((resolve, reject) => {
    accept = () => resolve(stream);
    refuse = reject;
  });

  function show(shown: readonly UIMessageChunk[]): void {
    for (const chunk of shown) output?.enqueue(chunk);
  }

  function close(): void {
    output?.close();
    output = undefined;
  }

  function isCaughtUp(id: number): boolean {
    const asked = chunks.openQuestions();
    return replay === undefined || (id >= replay.until && !replay.answers.some((answer) => asked.includes(answer)));
  }

  function onOutcome({ kind }: RunOutcome): void {
    if (kind === "left") refuse(new DOMException("The request was aborted.", "AbortError"));
    if (kind !== "lost") return close();
    // The AI SDK recognizes this word in a TypeError and knows that the chat can be resumed.
    onFailure(new TypeError("The network was lost; the reply will be in the transcript."));
  }

  function onFailure(error: unknown): void {
    const failure = errorOf(error);
    refuse(failure);
    output?.error(failure);
    output = undefined;
  }

  followRun({
    http,
    start,
    signal: left.signal,
    onAccepted({ runId, requestId }) {
      options.onAccepted?.();
      const messageMetadata: OracleMessageMetadata = { runId, requestId };
      const begin = { type: replay?.isContinued === true ? "reset-step" : "start-step" } as const;
      held.push({ type: "start", messageId: runId, messageMetadata }, begin);
      if (!isHeld) show(held);
      accept();
    },
    onReconnecting: () => undefined,
    wake: pageEnvironment().page.onWake,
    onFrame(frame) {
      options.onFrame(frame);
      const shown = chunks.read(frame);
      if (!isHeld) show(shown);
      else if (frame.event === "done" || isCaughtUp(frame.id)) {
        isHeld = false;
        show([...held, ...chunks.all()]);
      }
      if (isHeld || frame.event === "done" || !chunks.isWaiting()) return;
      // The AI SDK accepts answers to questions only after a stream has ended. The run waits at the oracle.
      show([{ type: "finish", finishReason: "tool-calls" }]);
      close();
      left.abort();
    },
  })
    .then(onOutcome, onFailure)
    .finally(options.onOver);
  return accepted;
}
