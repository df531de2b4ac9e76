/**
 * Extracts the Worker's own log from the output of `wrangler dev`. Wrangler's start-up output is withheld and shown only if the
 * start fails; later, its own lines, its marks before errors and its blank lines are dropped.
 */
import { stripVTControlCharacters } from "node:util";

const TALK = /^(?:\[wrangler:info\]|🪵)/u;
const MARK = /^\s*(?:✘ \[ERROR\]|▲ \[WARNING\]|⚠️?)\s+/u;
/** Printed by wrangler if the bundle fails; the reasons follow it. */
export const BUILD_FAILURE = /Build failed with \d+ error/;
/** Printed by wrangler when one of its runtimes dies. */
export const RUNTIME_CRASH = /The Workers runtime crashed/;
/** Sent by in-wrangler.ts when the runtime that holds the port dies. */
export const PORT_HOLDER_DIED = "port-holder-died";

/** Without colours: esbuild colours its output in any case. */
export function plainLine(line: string): string {
  return stripVTControlCharacters(line);
}

/** The line as the developer sees it; undefined if it is not shown. */
export function workerLine(line: string): string | undefined {
  if (line.trim() === "" || TALK.test(line)) return undefined;
  return line.replace(MARK, "");
}

/** The line if it is an event of the Worker's log, which may appear among wrangler's start-up output. */
export function workerEvent(line: string): readonly string[] {
  const shown = workerLine(line);
  return shown?.startsWith('{"level":') === true ? [shown] : [];
}
