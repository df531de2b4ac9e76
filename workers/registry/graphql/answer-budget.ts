/**
 * Limits the data that one request can read and return. The cost of a query counts fields, and one field can be 64 KiB
 * of metadata: without this limit, aliases over a page of large domains would make a response of a gigabyte.
 */
import type { ReadBudget } from "../lists/row-budget.ts";
import { refusedQuery } from "../store/refused-query.ts";

/**
 * Characters of rows and of data merged from them. The page that exceeds the limit is still used: 25 million at most.
 */
export const READ_LENGTH = 16 * 1024 * 1024;
/** Characters of the values in one response: two pages of 100 domains with the largest metadata. */
export const ANSWER_LENGTH = 16 * 1024 * 1024;

/** At most the budget plus one read is in memory at once. */
export interface AnswerBudget extends ReadBudget {
  /** Counts a value made from rows. Throws if the limit was already exceeded. */
  hold(value: object): void;
  /** Counts a value of the response. Throws if it exceeds the limit. */
  answer(value: unknown): void;
}

export function createAnswerBudget(): AnswerBudget {
  let held = 0;
  let answered = 0;
  let last: Promise<unknown> = Promise.resolve();
  const lengths = new WeakMap<object, number>();

  /** A response often contains one value several times, under several names. */
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
        "The query reads too much of large domains; ask for smaller or fewer pages",
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
