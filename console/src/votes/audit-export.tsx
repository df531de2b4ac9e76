/** Takes the whole audit trail away, as CSV or JSON: every proposal that the filters find, and not only what is on the screen. */
import { useRef, useState } from "react";
import { labelOf } from "../api/labels.ts";
import { ErrorPanel } from "../kit/error-panel.tsx";
import { saveFile } from "../kit/save-file.ts";
import { useRights } from "../session/use-rights.ts";
import { auditTexts } from "../texts/votes-audit.ts";
import {
  auditEntries,
  csvOf,
  matching,
  type AuditEntry,
  type AuditFilter,
  type LabelledEntry,
} from "./audit-entries.ts";
import { loadAll, type AuditQuery } from "./load-audit.ts";

export function AuditExport({ filters }: { readonly filters: AuditQuery & AuditFilter }) {
  const rights = useRights();
  const running = useRef<AbortController>(undefined);
  const [read, setRead] = useState<number>();
  const [failure, setFailure] = useState<unknown>();
  const save = async (format: "csv" | "json"): Promise<void> => {
    if (running.current !== undefined) return;
    const stopping = new AbortController();
    running.current = stopping;
    setFailure(undefined);
    setRead(0);
    try {
      const { isCut, ...source } = await loadAll(filters, stopping.signal, setRead);
      const count = source.proposals.length;
      const entries = matching(auditEntries(source), filters);
      const note = auditTexts.holds({ entries: entries.length, proposals: count, isCut, filters: { ...filters } });
      const labelled = await withLabels([exported(rights?.did ?? null, note), ...entries]);
      const name = auditTexts.fileName(count, isCut);
      if (format === "csv") saveFile(`${name}.csv`, "text/csv", csvOf(labelled));
      else saveFile(`${name}.json`, "application/json", `${JSON.stringify(labelled, null, 2)}\n`);
    } catch (error) {
      if (!stopping.signal.aborted) setFailure(error);
    }
    running.current = undefined;
    setRead(undefined);
  };
  return (
    <div className="stack tight">
      <div className="row wrap">
        {(["csv", "json"] as const).map((format) => (
          <button
            key={format}
            type="button"
            className="small"
            aria-disabled={read !== undefined}
            onClick={() => void save(format)}
          >
            {auditTexts.exports[format]}
          </button>
        ))}
        {read !== undefined && (
          <>
            <span className="muted small" role="status">
              {auditTexts.exporting(read)}
            </span>
            <button type="button" className="small" onClick={() => running.current?.abort()}>
              {auditTexts.stop}
            </button>
          </>
        )}
      </div>
      {failure !== undefined && <ErrorPanel error={failure} />}
    </div>
  );
}

/** The first entry of a file says how much it holds, to whoever reads it later. */
function exported(actor: string | null, note: string): AuditEntry {
  const at = new Date().toISOString();
  return { at, event: "exported", actor, domainId: "", proposalId: null, title: null, option: null, power: null, note };
}

async function withLabels(entries: readonly AuditEntry[]): Promise<readonly LabelledEntry[]> {
  const dids = [...new Set(entries.flatMap(({ actor }) => (actor === null || actor === "system" ? [] : [actor])))];
  const labels = new Map(await Promise.all(dids.map(async (did) => [did, await labelOf(did)] as const)));
  return entries.map((entry) => ({ ...entry, actorLabel: labels.get(entry.actor ?? "") ?? null }));
}
