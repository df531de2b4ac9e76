/**
 * Runs a program without blocking this process. A blocked process does not notice that a server has closed a connection, and sends
 * its next request over it.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";

export interface ProgramOptions {
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
  /** The program's standard input. */
  readonly input?: string;
}

export interface ProgramOutcome {
  /** Null when a signal ended it. */
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export async function runProgram(
  command: string,
  args: readonly string[],
  { cwd, env, input = "" }: ProgramOptions = {},
): Promise<ProgramOutcome> {
  const child = spawn(command, args, { cwd, env, stdio: "pipe" });
  // A program that does not read its input may have closed it.
  child.stdin.on("error", () => undefined);
  child.stdin.end(input);
  const ended = once(child, "close") as Promise<[number | null]>;
  const [stdout, stderr, [status]] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { status, stdout, stderr };
}
