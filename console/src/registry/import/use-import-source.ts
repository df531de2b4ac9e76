/** The source of an import: a file or pasted lines, its format, and the mapping of its columns. */
import { useEffect, useState } from "react";
import { guessedTargets, mappingFaults, type CsvMapping } from "../../files/csv-mapping.ts";
import type { Reading } from "../../files/file-items.ts";
import { FileProblem } from "../../files/file-problem.ts";
import { HEAD_BYTES, recognised, type FileFormat } from "../../files/recognised.ts";
import { fileTexts } from "../../texts/registry-files.ts";
import type { ImportSource } from "./import-run.ts";

type Looked =
  | { readonly file: File; readonly format: FileFormat }
  /** A sentence that describes its fault. */
  | { readonly file: File; readonly problem: string };

export interface LookedAt {
  readonly format: FileFormat | undefined;
  readonly problem: string | undefined;
  /** For a table. */
  readonly mapping: CsvMapping | undefined;
  readonly setMapping: (mapping: CsvMapping) => void;
  /** Undefined while the file is being examined, cannot be read, or has an incomplete mapping. */
  readonly source: ImportSource | undefined;
}

export function useImportSource(file: File | undefined): LookedAt {
  const [looked, setLooked] = useState<Looked>();
  const [chosen, setMapping] = useState<CsvMapping>();
  useEffect(() => {
    if (file === undefined) return undefined;
    let isCurrent = true;
    const read = async (): Promise<void> => {
      const found = await look(file);
      if (!isCurrent) return;
      setLooked(found);
      setMapping(undefined);
    };
    void read();
    return () => {
      isCurrent = false;
    };
  }, [file]);
  const current = looked?.file === file ? looked : undefined;
  const format = current !== undefined && "format" in current ? current.format : undefined;
  const mapping = format?.kind === "csv" ? (chosen ?? guessed(format.columns)) : undefined;
  const reading = format === undefined ? undefined : readingOf(format, mapping);
  return {
    format,
    problem: current !== undefined && "problem" in current ? current.problem : undefined,
    mapping,
    setMapping,
    source: file === undefined || reading === undefined ? undefined : { file, reading },
  };
}

function guessed(columns: readonly string[]): CsvMapping {
  return { columns, targets: guessedTargets(columns), everyRow: {} };
}

function readingOf(format: FileFormat, mapping: CsvMapping | undefined): Reading | undefined {
  if (format.kind !== "csv") return format;
  if (mapping === undefined || mappingFaults(mapping).length > 0) return undefined;
  return { kind: "csv", style: format.style, mapping };
}

async function look(file: File): Promise<Looked> {
  try {
    const head = new Uint8Array(await file.slice(0, HEAD_BYTES).arrayBuffer());
    return { file, format: await recognised(head) };
  } catch (error) {
    if (error instanceof FileProblem) return { file, problem: fileTexts.faults[error.fault](error.place) };
    // The file was moved or changed since it was selected.
    return { file, problem: fileTexts.gone };
  }
}
