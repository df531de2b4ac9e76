/**
 * The cost of a filter per row, in units of a few tenths of a microsecond: a plain comparison costs one. Measured on D1
 * with 20,000 domains; only the orders of magnitude matter.
 */
import { iidFilterColumns, type Column } from "./columns.ts";
import type { FilterInput } from "./filter/compile.ts";
import { valuesOf } from "./filter/json.ts";
import { likePieces } from "./filter/text.ts";

/** Characters of JSON read per unit. */
export const JSON_PER_UNIT = 8;

export interface RowWeight {
  /** Units per row. */
  readonly units: number;
  /** Units per statement, regardless of rows: lists sent by the caller are read once. */
  readonly fixed: number;
  /** How often the row's JSON is read; the cost of each read depends on its length. */
  readonly jsonReads: number;
}

/** Reading one row through an index. */
const ROW = 10;
/** Counting one entry of an index, without reading its row. */
const ENTRY = 3;
/** Parts of texts: one search each. */
const PART = 3;
/** A `like` that is matched piece by piece, and each of its pieces. */
const WALK = 10;
const PIECE = 7;
/** Steps of a walk read the list of pieces again; a column has at most about this many characters. */
const STEPS = 512;
/** Opening JSON, in addition to the cost of its length. */
const JSON_READ = 10;
/** Reading one value of a list sent by the caller. */
const LISTED = 3;

/** `filters` as coerced by the schema; the members of `condition` are equalities. */
export function rowWeight(
  filter: FilterInput | null | undefined,
  condition: FilterInput | null | undefined,
  columns: Readonly<Record<string, Column>>,
): RowWeight {
  const equalities = Object.keys(condition ?? {}).length;
  const { units, fixed, jsonReads } = weightOf(filter, columns);
  const isFree = units === 0 && equalities === 0;
  return { units: isFree ? ENTRY : ROW + units + equalities, fixed, jsonReads };
}

function weightOf(filter: FilterInput | null | undefined, columns: Readonly<Record<string, Column>>): RowWeight {
  let [units, fixed, jsonReads] = [0, 0, 0];
  const add = (other: RowWeight) => {
    units += other.units;
    fixed += other.fixed;
    jsonReads += other.jsonReads;
  };
  for (const [name, value] of Object.entries(filter ?? {})) {
    if (value === null || value === undefined) continue;
    if (name === "and" || name === "or") {
      for (const each of value as FilterInput[]) add(weightOf(each, columns));
    } else if (name === "not") add(weightOf(value as FilterInput, columns));
    else if (name === "iidById") add(weightOf(value as FilterInput, iidFilterColumns));
    else {
      const column = columns[name];
      for (const [operator, operand] of Object.entries(value)) {
        if (column !== undefined && operand !== null) add(operatorWeight(name, column, operator, operand));
      }
    }
  }
  return { units, fixed, jsonReads };
}

function operatorWeight(name: string, { kind }: Column, operator: string, operand: unknown): RowWeight {
  if (kind === "json") {
    const values = valuesOf(operator, operand);
    return { units: JSON_READ * values + readAgain(operand), fixed: 0, jsonReads: values };
  }
  const fixed = Array.isArray(operand) ? operand.length * LISTED : 0;
  if (kind === "text-list") {
    const again = operator === "overlaps" ? 0 : readAgain(operand);
    return { units: JSON_READ + again, fixed, jsonReads: name === "controller" ? 0 : 1 };
  }
  // An expression over the document.
  const jsonReads = name === "alsoKnownAs" ? 1 : 0;
  if (/like/i.test(operator)) {
    const pieces = likePieces(String(operand));
    const walked = pieces === 0 ? 0 : WALK + pieces * (PIECE + Math.min(pieces, STEPS));
    return { units: PART + walked, fixed, jsonReads };
  }
  return { units: /with|includes|in$|inInsensitive$/i.test(operator) ? PART : 1, fixed, jsonReads };
}

/** The cost of JSON from the caller that is read again for every row. */
function readAgain(operand: unknown): number {
  return Math.floor(JSON.stringify(operand).length / JSON_PER_UNIT);
}
