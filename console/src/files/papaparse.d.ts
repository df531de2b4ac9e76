/** The part of Papa Parse that `csv-rows.ts` uses. Its own types require Node's globals, which the console does not have. */
declare module "papaparse" {
  interface RowError {
    /** The row in `data`, from 0. */
    readonly row: number;
  }

  interface Parsed {
    readonly data: readonly string[][];
    readonly errors: readonly RowError[];
    /** How many characters the rows in `data` take. */
    readonly meta: { readonly cursor: number };
  }

  interface Parser {
    parse(input: string, baseIndex: number, ignoreLastRow: boolean): Parsed;
  }

  const Papa: {
    readonly Parser: new (options: { readonly delimiter: string; readonly newline: "\n" | "\r" }) => Parser;
  };
  export default Papa;
}
