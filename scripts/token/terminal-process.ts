/** `npm run token` bound to this process; start reading at `run-token.ts`. */
import { randomBytes } from "node:crypto";
import { wrongUsage } from "../wrong-usage.ts";
import { tokenCommand } from "./arguments.ts";
import { exitCodes, runToken, type TokenProcess } from "./run-token.ts";

export interface TerminalOptions extends Pick<TokenProcess, "environment" | "projectDirectory"> {
  /** Rewrites printed lines, such as the name of a command. */
  readonly wording?: (line: string) => string;
}

/** Returns the exit code. */
export async function runTokenCommand(
  words: readonly string[],
  { environment, projectDirectory, wording = (line) => line }: TerminalOptions,
): Promise<number> {
  const { name, usage, parse } = tokenCommand;
  const options = parse(words, environment);
  if (options === "help") {
    process.stdout.write(wording(usage));
    return exitCodes.done;
  }
  if (options instanceof Error) {
    process.stderr.write(wrongUsage(wording(name), options));
    return exitCodes.usage;
  }
  return runToken(options, {
    environment,
    projectDirectory,
    print: (line) => void process.stdout.write(`${wording(line)}\n`),
    note: (line) => void process.stderr.write(`${wording(line)}\n`),
    fetch,
    now: Date.now,
    randomSeed: () => new Uint8Array(randomBytes(32)),
  });
}
