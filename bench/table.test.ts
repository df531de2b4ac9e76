/** The printed table. */
import { expect, test } from "vitest";
import { rowOf } from "./rows.ts";
import { figure, tableOf } from "./table.ts";

const rows = [
  rowOf({
    what: "GET /sessions",
    unit: "requests/s",
    scale: "rate",
    samples: [2_000],
    baseline: { name: "bare object, one read", samples: [4_000] },
    aim: { ratio: 0.5 },
  }),
  rowOf({ what: "recovery", unit: "s", scale: "time", samples: [2.5], aim: { below: 2 } }),
];

test("numbers are aligned right, text left, and the aim is next to its ratio", () => {
  expect(tableOf(rows)).toEqual([
    "what                       ours    ±  baseline                         ratio  aim",
    "-".repeat(93),
    "GET /sessions  2,000 requests/s  0 %     4,000  bare object, one read   50 %  >= 50 %  met",
    "recovery                 2.50 s  0 %                                          < 2 s    MISSED",
  ]);
});

test("a row without an aim shows no result", () => {
  const [, , line] = tableOf([rowOf({ what: "x", unit: "ms", scale: "time", samples: [1] })]);
  expect(line).not.toMatch(/met|missed/i);
});

test("numbers have three significant digits", () => {
  expect(figure(12_345.6)).toBe("12,346");
  expect(figure(123.4)).toBe("123");
  expect(figure(12.34)).toBe("12.3");
  expect(figure(0.1234)).toBe("0.12");
  expect(figure(NaN)).toBe("-");
});
