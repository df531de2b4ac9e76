/** Bulk import: a file or pasted lines, a name with which it can be resumed, its progress, and earlier imports. */
import { keepPreviousData } from "@tanstack/react-query";
import { type DragEvent, useMemo, useState, useSyncExternalStore } from "react";
import { apiHooks } from "../../api/api.ts";
import { type Member, members } from "../../files/csv-mapping.ts";
import { freeImportId, importIdOf, isImportId } from "../../files/import-id.ts";
import type { FileFormat } from "../../files/recognised.ts";
import { Age } from "../../kit/age.tsx";
import { BYTE_ORDER_MARK, csvRow } from "../../kit/csv-text.ts";
import { CursorPages } from "../../kit/cursor-pages.tsx";
import { Field } from "../../kit/field.tsx";
import { Icon } from "../../kit/icon.tsx";
import { LeaveGuard } from "../../kit/leave-guard.tsx";
import { Loaded } from "../../kit/loaded.tsx";
import { Person } from "../../kit/person.tsx";
import { saveFile } from "../../kit/save-file.ts";
import { BackLink, ScreenHeader } from "../../kit/screen-header.tsx";
import { useUrlState } from "../../kit/use-url-state.ts";
import { NeedsKey } from "../../session/needs-key.tsx";
import { useRights } from "../../session/use-caller.ts";
import { grouped, sizeWords } from "../../texts/number.ts";
import { fileTexts } from "../../texts/registry-files.ts";
import { importTexts, registryTexts } from "../../texts/registry.ts";
import { ColumnMapping } from "./column-mapping.tsx";
import { ImportProgressCard } from "./import-progress-card.tsx";
import { currentImport, isRunning, startImport, subscribeToImport } from "./import-run.ts";
import { LikelyImport } from "./likely-import.tsx";
import { useImportSource } from "./use-import-source.ts";

/** How many of the newest imports are loaded to detect taken names. */
const KNOWN = 100;

export default function ImportPage() {
  const [{ import: chosenId }, change] = useUrlState({ import: "" });
  const [file, setFile] = useState<File>();
  const [pasted, setPasted] = useState("");
  /** The pasted text when an import began; the import has it from then on. */
  const [begun, setBegun] = useState("");
  const [isMissing, setIsMissing] = useState(false);
  const progress = useSyncExternalStore(subscribeToImport, currentImport);
  const rights = useRights();
  const { data: known } = apiHooks.useQuery("get", "/v1/imports", { params: { query: { limit: KNOWN } } });
  const knownIds = new Set(known?.data.map(({ id }) => id));
  const id = chosenId === "" ? importIdOf(file?.name ?? (pasted === "" ? "" : "pasted-lines")) : chosenId;
  const running = isRunning(progress);
  const chosen = useMemo(
    () => file ?? (pasted.trim() === "" ? undefined : new File([pasted], "pasted-lines")),
    [file, pasted],
  );
  const { format, problem, mapping, setMapping, source } = useImportSource(chosen);
  const isLooking = chosen !== undefined && format === undefined && problem === undefined;
  const isBusy = running || isLooking;
  /** The progress card shows its result. */
  const isReported = progress?.importId === id && !progress.isCheck && progress.source.file === chosen;

  const choose = (next: File | undefined): void => {
    if (next === undefined) return;
    // The name belongs to the file that was imported under it.
    if (progress?.importId === chosenId && progress.source.file.name !== next.name)
      change({ import: "" }, { replace: true });
    setFile(next);
    setPasted("");
    setIsMissing(false);
  };
  const drop = (event: DragEvent): void => {
    event.preventDefault();
    choose(event.dataTransfer.files[0]);
  };
  const start = (isCheck: boolean): void => {
    setIsMissing(chosen === undefined);
    if (source === undefined || !isImportId(id)) {
      document.querySelector<HTMLElement>("main [aria-invalid=true]")?.focus();
      return;
    }
    change({ import: id }, { replace: true });
    if (!isCheck) setBegun(pasted);
    void startImport(id, source, isCheck);
  };
  return (
    <>
      <LeaveGuard
        isDirty={pasted.trim() !== "" && pasted !== begun}
        loss="The lines that you pasted have not been imported and will be lost."
      />
      <ScreenHeader
        title="Import domains"
        lead="Choose a CSV, JSON or NDJSON file with one domain in each row, object or line. A domain that fails does not stop the others."
        trail={<BackLink href="/registry">{registryTexts.backToList}</BackLink>}
      />
      <NeedsKey needs="apiKey">
        <div className="columns">
          <div className="stack">
            {rights?.isAdmin === false && (
              <p className="notice warn">
                An import needs a key with the scope registry:admin. Your key does not have it, so the registry will
                refuse the request.
              </p>
            )}
            <section className="card">
              <div className="drop" onDragOver={(event) => event.preventDefault()} onDrop={drop}>
                <Field
                  label="File"
                  hint={
                    file === undefined ? "Drop a file here, or choose one." : `${file.name}, ${sizeWords(file.size)}`
                  }
                  error={isMissing && chosen === undefined ? "Choose a file or paste lines first." : file && problem}
                >
                  {(ids) => (
                    <input
                      type="file"
                      accept=".csv,.tsv,.ndjson,.jsonl,.json,.txt,text/csv,application/json,application/x-ndjson"
                      onChange={(event) => choose(event.target.files?.[0])}
                      {...ids}
                    />
                  )}
                </Field>
                <p>
                  <button type="button" className="small" onClick={saveTemplate}>
                    Save a CSV template
                  </button>
                </p>
              </div>
              <details>
                <summary>Or paste lines</summary>
                <Field label="Lines" error={file === undefined ? problem : undefined}>
                  {(ids) => (
                    <textarea
                      className="code"
                      rows={6}
                      spellCheck={false}
                      value={pasted}
                      onChange={(event) => {
                        setPasted(event.target.value);
                        setFile(undefined);
                      }}
                      {...ids}
                    />
                  )}
                </Field>
              </details>
              {isLooking && <p role="status">Reading the first rows…</p>}
              {format !== undefined && (
                <p role="status">
                  <span className="muted">Recognised as</span> {formatText(format)}
                </p>
              )}
              {format?.kind === "csv" && mapping !== undefined && (
                <ColumnMapping mapping={mapping} example={format.example} onChange={setMapping} />
              )}
              <Field
                label="Name of the import"
                hint="The name identifies the import. Under the same name, each line becomes one domain, however often you send it."
                error={isImportId(id) ? undefined : "Use 1 to 64 letters, digits, dots, dashes and underscores."}
              >
                {(ids) => (
                  <input
                    type="text"
                    value={id}
                    spellCheck={false}
                    autoComplete="off"
                    onChange={(event) => change({ import: event.target.value }, { replace: true })}
                    {...ids}
                  />
                )}
              </Field>
              {source !== undefined && !running && !isReported && (
                <LikelyImport source={source} id={id} onChoose={(likely) => change({ import: likely })} />
              )}
              {knownIds.has(id) && !running && !isReported && (
                <KnownImport id={id} onAnother={() => change({ import: freeImportId(id, knownIds) })} />
              )}
              <div className="row end wrap">
                <button type="button" aria-disabled={isBusy} onClick={() => !isBusy && start(true)}>
                  Check only
                </button>
                <button
                  type="button"
                  className="primary"
                  aria-disabled={isBusy}
                  onClick={() => !isBusy && start(false)}
                >
                  Import
                </button>
              </div>
            </section>
            {progress !== undefined && <ImportProgressCard progress={progress} />}
          </div>
          <EarlierImports onChoose={(chosen) => change({ import: chosen })} />
        </div>
      </NeedsKey>
    </>
  );
}

function formatText(format: FileFormat): string {
  const { formats, separators } = fileTexts;
  if (format.kind !== "csv") return formats[format.kind];
  const { columns, style } = format;
  return `${formats.csv(columns.length)} ${importTexts.mapping.separated(separators[style.separator])}`;
}

/** An existing import with this name: its progress, and how to start another. */
function KnownImport({ id, onAnother }: { readonly id: string; readonly onAnother: () => void }) {
  const { data } = apiHooks.useQuery("get", "/v1/imports/{importId}", { params: { path: { importId: id } } });
  const done = data?.done.reduce((sum, { from, to }) => sum + to - from + 1, 0);
  if (done === undefined) return null;
  return (
    <div className="notice info">
      <Icon name="info" />
      <div className="stack tight">
        <p>{`This import was started before: ${grouped(done)} of its lines are already domains and will be skipped.`}</p>
        <p>
          <button type="button" className="small" onClick={onAnother}>
            Start another import instead
          </button>
        </p>
      </div>
    </div>
  );
}

const example: Readonly<Partial<Record<Member, string>>> = {
  name: "Kibera Clean Stoves",
  description: "2,000 stoves for households in Kibera",
  type: "Project",
  class: "did:ixo:protocol/clean-cooking",
  externalId: "KE-0042",
  validFrom: "2026-01-01",
  validUntil: "2030-12-31",
};

function csvTemplate(): string {
  const columns = members.filter((member) => example[member] !== undefined);
  return `${BYTE_ORDER_MARK}${csvRow(columns)}${csvRow(columns.map((member) => example[member] ?? ""))}`;
}

/** A table to fill in: the columns that most programmes need, and one example. */
function saveTemplate(): void {
  saveFile("domains-template.csv", "text/csv;charset=utf-8", csvTemplate());
}

/** Imports on a page. */
const PAGE = 10;

/** Earlier imports, newest first: who started them and when, and how to resume one. */
function EarlierImports({ onChoose }: { readonly onChoose: (id: string) => void }) {
  const [{ cursor }, change] = useUrlState({ cursor: "" });
  const query = apiHooks.useQuery(
    "get",
    "/v1/imports",
    { params: { query: { limit: PAGE, ...(cursor === "" ? {} : { cursor }) } } },
    { placeholderData: keepPreviousData },
  );
  return (
    <section className="card" aria-labelledby="earlier-heading">
      <h2 id="earlier-heading">Earlier imports</h2>
      <Loaded query={query} showsAge={false}>
        {({ data, page }) =>
          data.length === 0 ? (
            <p className="muted">No imports yet.</p>
          ) : (
            <div className="stack tight">
              <p className="muted small">Choose an import to continue it with its file.</p>
              <ul className="plain items">
                {data.map(({ id, createdAt, createdBy }) => (
                  <li key={id}>
                    <button type="button" className="link wraps" onClick={() => onChoose(id)}>
                      {id}
                    </button>
                    <p className="row wrap small muted">
                      <Age at={createdAt} /> <Person did={createdBy} />
                    </p>
                  </li>
                ))}
              </ul>
              <CursorPages
                cursor={cursor}
                next={page.nextCursor}
                isOld={query.isPlaceholderData}
                labels={{ first: "Newest imports", next: "Older imports" }}
                onChange={(next) => change({ cursor: next })}
              />
            </div>
          )
        }
      </Loaded>
    </section>
  );
}
