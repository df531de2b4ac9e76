/** Warns if the first domain of the selected file was imported before under another name: its domains would be created again. */
import { useQuery } from "@tanstack/react-query";
import { api } from "../../api/api.ts";
import { fileItems } from "../../files/file-items.ts";
import { firstItem } from "../../files/file-parts.ts";
import { Age } from "../../kit/age.tsx";
import { Icon } from "../../kit/icon.tsx";
import { fileChunks } from "./file-chunks.ts";
import type { ImportSource } from "./import-run.ts";

interface LikelyImportProps {
  readonly source: ImportSource;
  /** The name under which it would be imported. */
  readonly id: string;
  readonly onChoose: (id: string) => void;
}

export function LikelyImport({ source, id, onChoose }: LikelyImportProps) {
  const { file, reading } = source;
  const { data: earlier = [] } = useQuery({
    queryKey: ["get", "/v1/imports", "of-file", file.name, file.size, file.lastModified, reading],
    queryFn: ({ signal }) => importsOf(source, signal),
    // Checking or importing the file shows its faults.
    retry: false,
  });
  if (earlier.some((each) => each.id === id)) return null;
  const [newest] = earlier;
  if (newest === undefined) return null;
  return (
    <div className="notice warn" role="status">
      <Icon name="warning" />
      <div className="stack tight">
        <p>
          The first domain of this file was imported before. If you use another name, all its domains are created again.
        </p>
        <p className="row wrap">
          <strong className="wraps">{`Imported as ${newest.id}`}</strong> <Age at={newest.createdAt} />
        </p>
        <p>
          <button type="button" className="small" onClick={() => onChoose(newest.id)}>
            {`Continue ${newest.id}`}
          </button>
        </p>
      </div>
    </div>
  );
}

interface EarlierImport {
  readonly id: string;
  readonly createdAt: string;
}

/** Newest first. */
async function importsOf({ file, reading }: ImportSource, signal: AbortSignal): Promise<readonly EarlierImport[]> {
  const first = await firstItem(fileItems(fileChunks(file, signal), reading));
  if (first === undefined) return [];
  const query = { line: first.number, fingerprint: await fingerprintOf(first.text) };
  const { data } = await api.GET("/v1/imports", { params: { query }, signal });
  return data?.data ?? [];
}

async function fingerprintOf(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
