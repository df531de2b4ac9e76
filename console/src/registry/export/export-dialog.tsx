/** Exports the filtered list as a file: selects the format, shows the progress, and can be cancelled. */
import { useEffect, useRef, useState } from "react";
import { authorizedFetch } from "../../api/api.ts";
import { useAnnounce } from "../../kit/announcer.tsx";
import { Dialog } from "../../kit/dialog.tsx";
import { ErrorPanel } from "../../kit/loaded.tsx";
import type { WaitReason } from "../../kit/patiently.ts";
import { saveFile } from "../../kit/save-file.ts";
import { kitTexts } from "../../texts/kit.ts";
import { grouped, plural } from "../../texts/number.ts";
import type { ListQuery } from "../list/list-filters.ts";
import { type ExportFormat, exportDomains, exportFormats } from "./export-run.ts";

const formats = {
  csv: "CSV, for spreadsheets. It can be imported again.",
  ndjson: "NDJSON, for programs: one domain on each line, with everything that the registry shows.",
};

const waitingTexts = {
  server: (seconds: number) => `The server is busy. The export continues in ${seconds} s.`,
  connection: (seconds: number) => `The connection was lost. The export tries again in ${seconds} s.`,
};

export interface ExportDialogProps {
  readonly query: ListQuery;
  readonly isFiltered: boolean;
  /** The size of the list, if known. */
  readonly total: number | undefined;
  readonly onClose: () => void;
}

const types = { csv: "text/csv;charset=utf-8", ndjson: "application/x-ndjson" } as const;
const PERCENT = 100;
/** Milliseconds between two updates of the count. */
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
      saveFile(`domains.${format}`, types[format], file);
      announce(`${plural(domains, "domain", "domains")} exported.`);
      onClose();
    } catch (error) {
      if (!signal.aborted) setFailure(error);
    }
  };
  const said =
    waiting === undefined ? `${grouped(count ?? 0)} domains read…` : waitingTexts[waiting.reason](waiting.seconds);
  return (
    <Dialog title="Export domains" onClose={onClose} className="confirm">
      <div className="stack">
        <p>{isFiltered ? exportTexts.filtered(total) : exportTexts.all(total)}</p>
        <fieldset className="choices stack tight" disabled={isRunning}>
          <legend>Format</legend>
          {exportFormats.map((choice) => (
            <label key={choice}>
              <input type="radio" name="format" checked={format === choice} onChange={() => setFormat(choice)} />
              {formats[choice]}
            </label>
          ))}
        </fieldset>
        {isRunning && (
          <div className="stack tight">
            <p role="status">{said}</p>
            <progress
              max={PERCENT}
              value={total === undefined ? undefined : Math.min(PERCENT, (count / Math.max(1, total)) * PERCENT)}
              aria-label="Progress of the export"
            />
          </div>
        )}
        {failure !== undefined && <ErrorPanel error={failure} />}
        <div className="row end wrap">
          <button type="button" onClick={onClose}>
            {kitTexts.cancel}
          </button>
          <button type="button" className="primary" aria-disabled={isRunning} onClick={() => void start()}>
            Export
          </button>
        </div>
      </div>
    </Dialog>
  );
}

const counted = (total: number | undefined): string =>
  total === undefined ? "The domains" : plural(total, "domain", "domains");

/** Words of the export of domains. */
const exportTexts = {
  all: (total: number | undefined) => `${counted(total)} of the registry, on all pages, oldest first.`,
  filtered: (total: number | undefined) =>
    `${counted(total)} with the search and filters of the list, on all pages, oldest first. A search sorts by relevance.`,
};
