/** Two tables side by side, in the order of their keys: which rows are equal, and which are not. Reads page by page. */
import { keyOf, readPage, type Column, type Database, type Row, type Table } from "../../shared/tables/table.ts";

export type Step =
  | { readonly kind: "equal" | "different"; readonly source: Row; readonly target: Row }
  | { readonly kind: "missing"; readonly source: Row }
  | { readonly kind: "extra"; readonly target: Row };

/** @param after the key after which the walk begins. */
export async function* walk(source: Database, target: Database, table: Table, after?: Row): AsyncGenerator<Step> {
  const [left, right] = [new Cursor(source, table, after), new Cursor(target, table, after)];
  for (;;) {
    const one = left.current ?? (await left.load());
    const other = right.current ?? (await right.load());
    if (one === undefined && other === undefined) return;
    const order = one === undefined ? 1 : other === undefined ? -1 : compareKeys(table, one, other);
    if (order < 0 && one !== undefined) yield { kind: "missing", source: one };
    else if (order > 0 && other !== undefined) yield { kind: "extra", target: other };
    else if (one !== undefined && other !== undefined)
      yield { kind: isEqual(one, other) ? "equal" : "different", source: one, target: other };
    if (order <= 0) left.advance();
    if (order >= 0) right.advance();
  }
}

class Cursor {
  readonly #database: Database;
  readonly #table: Table;
  #after: Row | undefined;
  #page: readonly Row[] = [];
  #at = 0;
  #isAtEnd = false;

  constructor(database: Database, table: Table, after: Row | undefined) {
    this.#database = database;
    this.#table = table;
    this.#after = after;
  }

  /** Undefined at the end of a page. */
  get current(): Row | undefined {
    return this.#page[this.#at];
  }

  /** The first row of the next page; undefined at the end of the table. */
  async load(): Promise<Row | undefined> {
    if (this.#isAtEnd) return undefined;
    this.#page = await readPage(this.#database, this.#table, this.#after);
    this.#at = 0;
    this.#checkOrder();
    const last = this.#page.at(-1);
    if (last === undefined) this.#isAtEnd = true;
    else this.#after = keyOf(this.#table, last);
    return this.current;
  }

  /** Rows in another order would look like differences, and a copy would act on them. */
  #checkOrder(): void {
    let before = this.#after;
    for (const row of this.#page) {
      if (before !== undefined && compareKeys(this.#table, before, row) >= 0)
        throw new Error(
          `${this.#database.place} returns the rows of ${this.#table.name} out of the order of their keys`,
        );
      before = row;
    }
  }

  advance(): void {
    this.#at += 1;
  }
}

/** As both engines order: integers by value, texts and bytes by their bytes. */
export function compareKeys({ columns, keyLength }: Table, one: Row, other: Row): number {
  for (let index = 0; index < keyLength; index += 1) {
    const order = compareValues(columns[index]?.kind ?? "text", one[index] ?? "", other[index] ?? "");
    if (order !== 0) return order;
  }
  return 0;
}

function compareValues(kind: Column["kind"], one: string, other: string): number {
  if (one === other) return 0;
  if (kind === "integer") return BigInt(one) < BigInt(other) ? -1 : 1;
  return Buffer.compare(Buffer.from(one), Buffer.from(other));
}

function isEqual(one: Row, other: Row): boolean {
  return one.every((value, index) => value === other[index]);
}
