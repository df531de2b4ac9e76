/** Numbers as a table whose middle column draws them: the chart and its alternative are one. */
import { grouped } from "../../texts/number.ts";

export interface BarRow {
  readonly label: string;
  readonly value: number;
}

export interface BarTableProps {
  readonly title: string;
  /** Heads of the first and the last column. */
  readonly labelHead: string;
  readonly valueHead: string;
  readonly rows: readonly BarRow[];
}

export function BarTable({ title, labelHead, valueHead, rows }: BarTableProps) {
  const largest = Math.max(1, ...rows.map(({ value }) => value));
  return (
    <table className="bar-table">
      <caption>{title}</caption>
      <thead className="hidden-visually">
        <tr>
          <th scope="col">{labelHead}</th>
          <th scope="col">{valueHead}</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ label, value }) => (
          <tr key={label}>
            <th scope="row">{label}</th>
            <td>
              <span className="bar-cell">
                <svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true" focusable="false">
                  <rect width={(value / largest) * 100} height="10" />
                </svg>
                <span className="number">{grouped(value)}</span>
              </span>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
