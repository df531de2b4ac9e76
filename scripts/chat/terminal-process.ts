/** The chat client bound to this process: its terminal, clock, network and Ctrl-C. Start reading at `run-chat.ts`. */
import { randomBytes } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { ChatProcess } from "./run-chat.ts";

export interface TerminalOptions extends Pick<ChatProcess, "environment" | "projectDirectory"> {
  /** Rewrites notes about the answer, such as the name of a command. */
  readonly wording?: (note: string) => string;
}

export function terminalProcess({
  environment,
  projectDirectory,
  wording = (note) => note,
}: TerminalOptions): ChatProcess {
  const interruption = new AbortController();
  process.once("SIGINT", () => interruption.abort());
  // The reader of the pipe has closed it, as `| head` does.
  process.stdout.on("error", () => interruption.abort());
  const coloured = (stream: NodeJS.WriteStream) => stream.isTTY && (environment["NO_COLOR"] ?? "") === "";
  return {
    environment,
    projectDirectory,
    terminal: {
      answer: (text) => void process.stdout.write(text),
      note: (text) => void process.stderr.write(wording(text)),
      colours: { answer: coloured(process.stdout), note: coloured(process.stderr) },
    },
    fetch,
    now: Date.now,
    wait: async (milliseconds) => await delay(milliseconds, undefined, { signal: interruption.signal }),
    randomSeed: () => new Uint8Array(randomBytes(32)),
    interrupted: interruption.signal,
  };
}
