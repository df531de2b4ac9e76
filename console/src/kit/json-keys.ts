/** What a key does in a JSON tree, as the ARIA practices have it for trees. */
import type { JsonRow } from "./json-rows.ts";

/** The row to go to, "act" to open, close or show more, or undefined for a key that is not the tree's. */
export function rowAfterKey(rows: readonly JsonRow[], index: number, key: string): JsonRow | "act" | undefined {
  const current = rows[index];
  if (current === undefined) return undefined;
  const isOpenable = current.type === "node" && current.canOpen;
  const isOpen = current.type === "node" && current.isOpen;
  switch (key) {
    case "ArrowDown":
      return rows[index + 1] ?? current;
    case "ArrowUp":
      return rows[index - 1] ?? current;
    case "Home":
      return rows[0];
    case "End":
      return rows.at(-1);
    case "ArrowRight":
      if (isOpen) return rows[index + 1] ?? current;
      return isOpenable ? "act" : current;
    case "ArrowLeft":
      return isOpen ? "act" : (parentOf(rows, index) ?? current);
    case "Enter":
    case " ":
      return isOpenable || current.type === "more" ? "act" : current;
    default:
      return key.length === 1 ? nextNamed(rows, index, key.toLowerCase()) : undefined;
  }
}

function parentOf(rows: readonly JsonRow[], index: number): JsonRow | undefined {
  const level = rows[index]?.level ?? 1;
  return rows.slice(0, index).findLast((row) => row.level === level - 1);
}

/** The next row whose name begins with what was typed, from the top again after the last. */
function nextNamed(rows: readonly JsonRow[], index: number, letter: string): JsonRow | undefined {
  const begins = (row: JsonRow): boolean => row.type === "node" && row.name?.toLowerCase().startsWith(letter) === true;
  return rows.slice(index + 1).find(begins) ?? rows.slice(0, index).find(begins);
}
