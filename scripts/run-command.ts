/**
 * Runs a program of the project's own dependencies and collects its output. Used by tools that run other programs; the development
 * server, which keeps running, has its own (start/server.ts).
 */
import { spawn } from "node:child_process";
import { delimiter, join, resolve } from "node:path";

export const projectRoot = resolve(import.meta.dirname, "..");

export interface CommandOutcome {
  readonly code: number;
  /** Standard output and error, in order of arrival. */
  readonly output: string;
}

/** Compiled modules: from its second start on, a tool starts in half the time. */
const COMPILE_CACHE = join(projectRoot, "node_modules/.cache/node");

/** The project's own binaries first, so that they run on the project's own Node, whatever the system has. */
export function projectEnvironment(more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  const binaries = join(projectRoot, "node_modules/.bin");
  const path = `${binaries}${delimiter}${process.env["PATH"] ?? ""}`;
  return { NODE_COMPILE_CACHE: COMPILE_CACHE, ...process.env, PATH: path, ...more };
}

/**
 * Never rejects: a program that cannot be started has code 127 and an explanation in its output.
 *
 * @param user the account that runs it, for a tool that runs as root.
 */
export function runCommand(
  command: string,
  args: readonly string[],
  env = projectEnvironment(),
  user?: { readonly uid: number; readonly gid: number },
): Promise<CommandOutcome> {
  return new Promise((finish) => {
    const account = user === undefined ? {} : { uid: user.uid, gid: user.gid };
    const child = spawn(command, args, { cwd: projectRoot, env, stdio: ["ignore", "pipe", "pipe"], ...account });
    let output = "";
    const gather = (chunk: string): void => {
      output += chunk;
    };
    child.stdout.setEncoding("utf8").on("data", gather);
    child.stderr.setEncoding("utf8").on("data", gather);
    child.on("error", (error) => finish({ code: 127, output: error.message }));
    child.on("close", (code) => finish({ code: code ?? 1, output }));
  });
}
