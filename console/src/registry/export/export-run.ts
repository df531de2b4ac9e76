/** Fetches all domains of the filtered list into a file: one stream, resumed after its last domain when it breaks off. */
import { patiently, type Waits } from "../../kit/patiently.ts";
import { responseLines } from "../../kit/response-lines.ts";
import type { Domain } from "../domain-record.ts";
import type { ListQuery } from "../list/list-filters.ts";
import { csvHead, csvRowOf } from "./domain-csv.ts";

export const exportFormats = ["csv", "ndjson"] as const;
export type ExportFormat = (typeof exportFormats)[number];

export interface Export extends Waits {
  /** Sends a GET to a path of the registry. */
  readonly ask: (path: string, signal: AbortSignal) => Promise<Response>;
  readonly query: ListQuery;
  readonly format: ExportFormat;
  readonly onCount: (domains: number) => void;
}

/** UTF-16 units that are buffered before they are passed to the browser, which may keep them on disk. */
const PIECE = 1_048_576;
/** Parameters of a list's page. An export has all pages, oldest first, or by relevance with a search. */
const ofPages: ReadonlySet<string> = new Set(["limit", "count", "sort", "cursor"]);

export async function exportDomains({ ask, query, format, signal, onWait, onCount }: Export): Promise<Blob> {
  const parts: Blob[] = [];
  let gathered = format === "csv" ? csvHead : "";
  let count = 0;
  let last: string | undefined;
  const readOn = async (progressed: () => void): Promise<void> => {
    const asked = filtersOf(query);
    if (last !== undefined) asked.set("cursor", last);
    const response = await ask(`/v1/export?${asked.toString()}`, signal);
    for await (const line of responseLines(response)) {
      const domain = JSON.parse(line) as Domain;
      last = domain.id;
      gathered += format === "csv" ? csvRowOf(domain) : `${line}\n`;
      count += 1;
      progressed();
      onCount(count);
      if (gathered.length < PIECE) continue;
      parts.push(new Blob([gathered]));
      gathered = "";
    }
  };
  await patiently({ signal, onWait }, readOn);
  return new Blob([...parts, gathered]);
}

function filtersOf(query: ListQuery): URLSearchParams {
  const filters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (ofPages.has(name)) continue;
    for (const one of Array.isArray(value) ? (value as readonly string[]) : [value]) filters.append(name, String(one));
  }
  return filters;
}
