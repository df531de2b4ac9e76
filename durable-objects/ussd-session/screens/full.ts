/**
 * The last reply of a session that can take no more input: the accumulated text has reached its limit. It says so, says to
 * dial again, and has what the caller was about to read.
 */
import { fill, type Dictionary, type Notice } from "../i18n/dictionary.ts";
import { line, type Screen, type ScreenId } from "./screen.ts";

/** Screens with something to read, rather than a question or a choice. */
const TOLD: ReadonlySet<ScreenId> = new Set<ScreenId>(["K", "OK", "S", "DR", "DID", "OA"]);

export function fullScreen({ id, blocks }: Screen, notice: Notice | undefined, dictionary: Dictionary): Screen {
  const reason = notice === undefined ? [] : [line(fill(dictionary.reasons[notice.reason].short, notice.values))];
  const told = TOLD.has(id) ? blocks.filter(({ kind }) => kind !== "option") : [];
  // What may be cut short stands last, and of the new account the Customer ID is all that matters.
  const full = line(dictionary.texts.sessionFull);
  const all = id === "K" ? [...told.slice(1, 2), full] : [...reason, full, ...told];
  return { id, end: true, blocks: all, back: false, exit: "never" };
}
