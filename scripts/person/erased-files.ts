/** The list of erased people as a file: one JSON object per line, of the oracle or of the phone gateway. */
import { parseJsonLine } from "./json-line.ts";

export type Surface = "oracle" | "phone";

export interface ErasedLine {
  readonly surface: Surface;
  /** The entry as the server has it. */
  readonly entry: object;
}

export function writeErased(surface: Surface, entry: object): string {
  return JSON.stringify({ surface, ...entry });
}

/** Throws a sentence for a line that is not part of a list. */
export function readErased(text: string): readonly ErasedLine[] {
  return text
    .split("\n")
    .map((line, index) => [line.trim(), index + 1] as const)
    .filter(([line]) => line !== "")
    .map(([line, number]) => {
      const { surface, ...entry } = parseJsonLine(line) ?? {};
      if (surface === "oracle" || surface === "phone") return { surface, entry };
      throw new Error(`line ${number} of the list is not an entry that list-erased printed`);
    });
}

export function chunksOf<Item>(items: readonly Item[], size: number): readonly (readonly Item[])[] {
  const count = Math.ceil(items.length / size);
  return Array.from({ length: count }, (_, index) => items.slice(index * size, (index + 1) * size));
}
