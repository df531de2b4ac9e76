/** Rows as a readable table: one per measure, ratios as percentages, with the aims. Pure. */
import type { Aim, Row } from "./rows.ts";

/** The table, without line endings. Text is aligned left, numbers right. */
export function tableOf(rows: readonly Row[]): readonly string[] {
  const cells = [headings, ...rows.map(cellsOf)];
  const widths = headings.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  const lines = cells.map((row) =>
    row
      .map((cell, column) => pad(cell, widths[column] ?? 0, column))
      .join("  ")
      .trimEnd(),
  );
  return [...lines.slice(0, 1), "-".repeat(Math.max(...lines.map(({ length }) => length))), ...lines.slice(1)];
}

const headings: readonly string[] = ["what", "ours", "±", "baseline", "", "ratio", "aim", ""];
/** Text columns; the others are numbers. */
const TEXT: ReadonlySet<number> = new Set([0, 4, 6, 7]);

function pad(cell: string, width: number, column: number): string {
  return TEXT.has(column) ? cell.padEnd(width) : cell.padStart(width);
}

function cellsOf({ what, value, unit, spread, baseline, aim, met }: Row): readonly string[] {
  return [
    what,
    `${figure(value)} ${unit}`,
    percentage(spread),
    baseline === undefined ? "" : figure(baseline.value),
    baseline?.name ?? "",
    baseline === undefined ? "" : percentage(baseline.ratio),
    aim === undefined ? "" : wordsOf(aim, unit),
    met === undefined ? "" : met ? "met" : "MISSED",
  ];
}

function wordsOf({ ratio, below }: Aim, unit: string): string {
  return [
    ...(ratio === undefined ? [] : [`>= ${percentage(ratio)}`]),
    ...(below === undefined ? [] : [`< ${below} ${unit}`]),
  ].join(", ");
}

function percentage(share: number): string {
  return Number.isFinite(share) ? `${Math.round(share * 100)} %` : "-";
}

/** Three significant digits: more would be noise. */
export function figure(value: number): string {
  if (!Number.isFinite(value)) return "-";
  const decimals = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  return value.toLocaleString("en-US", { minimumFractionDigits: decimals, maximumFractionDigits: decimals });
}
