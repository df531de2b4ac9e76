/** Reads objects page by page. An object that changes between two of its pages is read again from its first one. */
import type { BackedUpClass } from "../../shared/backup-classes.ts";
import { sentPage, type StoredPage } from "./contents.ts";
import type { Operator } from "./operator.ts";

/** How often an object is read again. */
const ATTEMPTS = 5;
/** Objects of one request. */
const OBJECTS = 50;

interface Reading {
  readonly name: string;
  readonly attempt: number;
  readonly cursor?: string;
  readonly mark?: string;
}

export async function* readObjects(
  operator: Operator,
  backup: string,
  of: BackedUpClass,
  names: readonly string[],
  onChanged: () => void,
): AsyncGenerator<StoredPage> {
  let waiting: Reading[] = names.map((name) => ({ name, attempt: 0 }));
  while (waiting.length > 0) {
    const asked = waiting.slice(0, OBJECTS);
    const objects = asked.map(({ name, cursor }) => ({ name, ...(cursor === undefined ? {} : { cursor }) }));
    const lines = await operator.lines("/staff/backups/objects", { backup, class: of, objects });
    const again: Reading[] = [];
    for (const [index, line] of lines.entries()) {
      const reading = asked[index];
      const { page } = sentPage.parse(line);
      if (reading === undefined) continue;
      const { name, attempt, cursor, mark } = reading;
      const hasChanged = mark !== undefined && page?.mark !== mark;
      if (hasChanged && attempt < ATTEMPTS) {
        again.push({ name, attempt: attempt + 1 });
        continue;
      }
      if (hasChanged) onChanged();
      if (page === null) {
        // Deleted meanwhile: an empty object takes the place of its first pages.
        if (attempt > 0) yield emptyPage(of, name, attempt);
        continue;
      }
      const { next, mark: newMark, ...content } = page;
      yield { ...content, class: of, name, attempt, isLast: next === null };
      // After the last attempt, its other pages are read as they are.
      const goesOn = attempt < ATTEMPTS ? { mark: newMark } : {};
      if (next !== null) again.push({ name, attempt, cursor: next, ...goesOn });
      else if (attempt === ATTEMPTS && cursor !== undefined) onChanged();
    }
    waiting = [...again, ...waiting.slice(lines.length)];
  }
}

function emptyPage(of: BackedUpClass, name: string, attempt: number): StoredPage {
  return { class: of, name, attempt, page: 0, schema: [], numbers: [], tables: [], rows: [], isLast: true };
}
