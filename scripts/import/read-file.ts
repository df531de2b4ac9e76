/** A file of domains on disk: its format, how its columns are mapped, its items, and how many there are. */
import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import { guessedTargets, mappingFaults, type CsvMapping } from "../../console/src/files/csv-mapping.ts";
import type { FileItem } from "../../console/src/files/file-item.ts";
import { fileItems, type Reading } from "../../console/src/files/file-items.ts";
import { HEAD_BYTES, recognised } from "../../console/src/files/recognised.ts";
import type { Sending } from "./arguments.ts";

/** The columns of a table are not mapped as they must be. */
export class MappingProblem extends Error {}

export async function readingOf({ file, targets, everyRow }: Sending): Promise<Reading> {
  const format = await recognised(await headOf(file));
  if (format.kind !== "csv") {
    if (targets.size > 0 || Object.keys(everyRow).length > 0)
      throw new MappingProblem("--map and --set go with a CSV file");
    return format;
  }
  const { style, columns } = format;
  const unknown = [...targets.keys()].find((name) => !columns.includes(name));
  if (unknown !== undefined)
    throw new MappingProblem(`no column is named "${unknown}"; there are ${columns.join(", ")}`);
  const chosen = new Set(targets.values());
  const mapped = guessedTargets(columns).map((guess, at) => {
    const target = targets.get(columns[at] ?? "");
    // A member that the command line gives to one column is not guessed for another.
    return target ?? (guess !== "nothing" && chosen.has(guess) ? "ownName" : guess);
  });
  const mapping: CsvMapping = { columns, targets: mapped, everyRow };
  const [fault] = mappingFaults(mapping);
  if (fault?.kind === "missing")
    throw new MappingProblem(
      `no column fills ${fault.member}; name one with --map COLUMN=${fault.member}, or give all rows the same with --set ${fault.member}=VALUE`,
    );
  if (fault !== undefined)
    throw new MappingProblem(`several columns fill ${fault.member}; leave one out with --map COLUMN=nothing`);
  return { kind: "csv", style, mapping };
}

export function itemsOf(file: string, reading: Reading): AsyncGenerator<FileItem> {
  return fileItems(createReadStream(file), reading);
}

/** Blank lines and the names of the columns are counted, as they are numbered. */
export async function countItems(file: string, reading: Reading): Promise<number> {
  let count = 0;
  for await (const _ of itemsOf(file, reading)) count += 1;
  return count;
}

async function headOf(file: string): Promise<Uint8Array> {
  const handle = await open(file);
  try {
    const { buffer, bytesRead } = await handle.read({ buffer: new Uint8Array(HEAD_BYTES) });
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}
