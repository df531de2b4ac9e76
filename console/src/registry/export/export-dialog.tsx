/** Exports the filtered list as a file: which format, how far it is, and cancelling it. */
import { useEffect, useRef, useState } from "react";
import { authorizedFetch } from "../../api/api.ts";
import { useAnnounce } from "../../kit/announcer.tsx";
import { Dialog } from "../../kit/dialog.tsx";
import { ErrorPanel } from "../../kit/error-panel.tsx";
import type { WaitReason } from "../../kit/patiently.ts";
import { saveFile } from "../../kit/save-file.ts";
import { exportTexts } from "../../texts/registry-export.ts";
import { kitTexts } from "../../texts/kit.ts";
import type { ListQuery } from "../list/list-filters.ts";
import { exportDomains, exportFormats, type ExportFormat } from "./export-run.ts";

export interface ExportDialogProps {
  readonly query: ListQuery;
  readonly isFiltered: boolean;
  /** Of the list, if it is known. */
  readonly total: number | undefined;
  readonly onClose: () => void;
}

const types = { csv: "text/csv;charset=utf-8", ndjson: "application/x-ndjson" } as const;
const PERCENT = 100;
/** Milliseconds between two counts that are shown. */
const SHOWN_EVERY = 100;

interface Waiting {
  readonly seconds: number;
  readonly reason: WaitReason;
}

export default function ExportDialog({ query, isFiltered, total, onClose }: ExportDialogProps) {
  const [format, setFormat] = useState<ExportFormat>("csv");
  const [count, setCount] = useState<number>();
  const [waiting, setWaiting] = useState<Waiting>();
  const [failure, setFailure] = useState<unknown>();
  const abort = useRef<AbortController>(undefined);
  const announce = useAnnounce();
  useEffect(() => () => abort.current?.abort(), []);
  const isRunning = count !== undefined && failure === undefined;
  const start = async (): Promise<void> => {
    if (isRunning) return;
    const stopping = new AbortController();
    const { signal } = stopping;
    abort.current = stopping;
    setFailure(undefined);
    setCount(0);
    let [domains, shownAt] = [0, 0];
    try {
      const file = await exportDomains({
        ask: (path, stop) => authorizedFetch(`${location.origin}${path}`, { signal: stop }),
        query,
        format,
        signal,
        onCount: (read) => {
          domains = read;
          if (Date.now() - shownAt < SHOWN_EVERY) return;
          shownAt = Date.now();
          setCount(read);
        },
        onWait: (seconds, reason) => setWaiting(seconds === 0 ? undefined : { seconds, reason }),
      });
      signal.throwIfAborted();
      saveFile(exportTexts.fileName(format), types[format], file);
      announce(exportTexts.saved(domains));
      onClose();
    } catch (error) {
      if (!signal.aborted) setFailure(error);
    }
  };
  const said =
    waiting === undefined ? exportTexts.running(count ?? 0) : exportTexts.waiting[waiting.reason](waiting.seconds);
  return (
    <Dialog title={exportTexts.title} onClose={onClose} className="confirm">
      <div className="stack">
        <p>{isFiltered ? exportTexts.filtered(total) : exportTexts.all(total)}</p>
        <fieldset className="choices stack tight" disabled={isRunning}>
          <legend>{exportTexts.format}</legend>
          {exportFormats.map((choice) => (
            <label key={choice}>
              <input type="radio" name="format" checked={format === choice} onChange={() => setFormat(choice)} />
              {exportTexts.formats[choice]}
            </label>
          ))}
        </fieldset>
        {isRunning && (
          <div className="stack tight">
            <p role="status">{said}</p>
            <progress
              max={PERCENT}
              value={total === undefined ? undefined : Math.min(PERCENT, (count / Math.max(1, total)) * PERCENT)}
              aria-label={exportTexts.progress}
            />
          </div>
        )}
        {failure !== undefined && <ErrorPanel error={failure} />}
        <div className="row end wrap">
          <button type="button" onClick={onClose}>
            {kitTexts.cancel}
          </button>
          <button type="button" className="primary" aria-disabled={isRunning} onClick={() => void start()}>
            {exportTexts.start}
          </button>
        </div>
      </div>
    </Dialog>
  );
}
