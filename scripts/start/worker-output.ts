/**
 * Turns what `wrangler dev` prints into the Worker's own log. Wrangler's start-up talk is held back and shown only when
 * the start fails; later its own lines, its marks before errors and its blank lines are dropped.
 */
import { stripVTControlCharacters } from "node:util";

const TALK = /^(?:\[wrangler:info\]|🪵)/u;
const MARK = /^\s*(?:✘ \[ERROR\]|▲ \[WARNING\]|⚠️?)\s+/u;
/** Printed by wrangler when the bundle cannot be made; the reasons follow it. */
export const BUILD_FAILURE = /Build failed with \d+ error/;
/** Printed by wrangler when one of its runtimes dies. */
export const RUNTIME_CRASH = /The Workers runtime crashed/;
/** Sent by in-wrangler.ts when the runtime that holds the port dies. */
export const PORT_HOLDER_DIED = "port-holder-died";

/** Without colours: esbuild colours its output in any case. */
export function plainLine(line: string): string {
  return stripVTControlCharacters(line);
}

/** The line as the developer sees it, or nothing. */
export function workerLine(line: string): string | undefined {
  if (line.trim() === "" || TALK.test(line)) return undefined;
  return line.replace(MARK, "");
}

/** The line when it is an event of the Worker's log, which may come among wrangler's start-up talk. */
export function workerEvent(line: string): readonly string[] {
  const shown = workerLine(line);
  return shown?.startsWith('{"level":') === true ? [shown] : [];
}
