/**
 * How much one request may read and answer. The cost of a query counts fields, and one
 * field may be 64 KiB of metadata: without this, aliases over a page of large domains make an answer of a gigabyte.
 */
import type { ReadBudget } from "../lists/row-budget.ts";
import { refusedQuery } from "../store/refused-query.ts";

/** Characters of rows, and of what is merged from them. The page that goes over is still used: 25 million at the most. */
export const READ_LENGTH = 16 * 1024 * 1024;
/** Characters of the values in one answer: two pages of 100 with the greatest metadata. */
export const ANSWER_LENGTH = 16 * 1024 * 1024;

/** Of reads no more than the budget and one read is held at once. */
export interface AnswerBudget extends ReadBudget {
  /** Counts what was made of rows. Throws when there was too much before. */
  hold(value: object): void;
  /** Counts a value that goes into the answer. Throws when it is too much. */
  answer(value: unknown): void;
}

export function createAnswerBudget(): AnswerBudget {
  let held = 0;
  let answered = 0;
  let last: Promise<unknown> = Promise.resolve();
  const lengths = new WeakMap<object, number>();

  /** The same value is often answered several times, under several names. */
  function lengthOf(value: unknown): number {
    if (typeof value === "string") return value.length;
    if (typeof value !== "object" || value === null) return 0;
    const length = lengths.get(value) ?? JSON.stringify(value).length;
    lengths.set(value, length);
    return length;
  }

  function checkHeld(): void {
    if (held > READ_LENGTH) {
      throw refusedQuery(
        "query_too_costly",
        "The query reads too much of large domains; ask for smaller pages, or for fewer",
      );
    }
  }

  async function readInTurn<Row extends object>(load: () => Promise<readonly Row[]>): Promise<readonly Row[]> {
    checkHeld();
    const rows = await load();
    for (const row of rows) {
      for (const value of Object.values(row)) held += typeof value === "string" ? value.length : 0;
    }
    return rows;
  }

  return {
    read(load) {
      const turn = last.then(() => readInTurn(load));
      last = turn.catch(() => undefined);
      return turn;
    },
    hold(value) {
      checkHeld();
      held += lengthOf(value);
    },
    answer(value) {
      answered += lengthOf(value);
      if (answered <= ANSWER_LENGTH) return;
      throw refusedQuery(
        "query_too_costly",
        `The answer would be larger than ${ANSWER_LENGTH} characters; ask for smaller pages or fewer fields`,
      );
    },
  };
}
