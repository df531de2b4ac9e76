/** Why lines of an import failed: each reason once, with how many lines it stands for and the first of them, and a file of all. */
import { saveFile } from "../../kit/save-file.ts";
import { importTexts } from "../../texts/registry-import.ts";
import type { ImportProgress } from "./import-run.ts";

export function FailedLines({ progress }: { readonly progress: ImportProgress }) {
  const { failures, reasons, counts, importId } = progress;
  const shown = reasons.reduce((sum, { count }) => sum + count, 0);
  const save = (): void => {
    const report = failures.map((line) => `${JSON.stringify(line)}\n`).join("");
    saveFile(importTexts.reportName(importId), "application/x-ndjson", report);
  };
  return (
    <div className="stack tight">
      <h3>{importTexts.failedTitle}</h3>
      <p className="muted small">{importTexts.failedHint}</p>
      {/* Scrolls by keyboard too. */}
      <div className="table-frame failures" tabIndex={0} role="group" aria-label={importTexts.failedTitle}>
        <table>
          <thead>
            <tr>
              <th scope="col">{importTexts.columns.lines}</th>
              <th scope="col">{importTexts.columns.reason}</th>
            </tr>
          </thead>
          <tbody>
            {reasons.map(({ name, count, first }) => (
              <tr key={name}>
                <td>{importTexts.lines(count, first)}</td>
                <td className="wraps">{name}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p className="row wrap">
        {counts.failed > shown && <span className="muted small">{importTexts.failedMore(shown, counts.failed)}</span>}
        <button type="button" className="small" onClick={save}>
          {importTexts.download}
        </button>
      </p>
    </div>
  );
}
