/** Cells that spreadsheets read as intended. */
import { expect, test } from "vitest";
import { csvRow } from "./csv-text.ts";

test("separators, quotes and line breaks are quoted; formulas get an apostrophe, as do cells that already have one [CN-276]", () => {
  expect(csvRow(["a,b", 'say "x"', "one\ntwo", null, -3])).toBe('"a,b","say ""x""","one\ntwo",,-3\r\n');
  expect(csvRow(["=1+1", "+254", "-x", "@a", "'=1", "'a"])).toBe("'=1+1,'+254,'-x,'@a,''=1,'a\r\n");
});
