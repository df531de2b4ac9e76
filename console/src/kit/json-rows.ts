/**
 * Which rows a JSON tree shows: only open nodes, with long lists and texts in parts. A node is named by its JSON pointer (RFC
 * 6901), so open nodes stay open when the value is loaded again.
 */

import { stepOf } from "../api/json-pointer.ts";
import { exactNumber } from "./exact-json.ts";

/** Members, items or parts of a text shown at once, and added by "show more". */
export const SLICE = 100;
/** Characters: a longer text is shown by its beginning, and opens into parts of PART characters. */
export const LONG_TEXT = 300;
export const PART = 1_000;
/** Maximum rows open initially, at any depth: more would be slow to read and to render. */
export const ROWS_AT_FIRST = 200;

export type JsonKind = "object" | "array" | "string" | "number" | "boolean" | "null";

interface Place {
  /** Unique among the rows. */
  readonly id: string;
  /** The node's pointer; for a part or "show more", the pointer of its node. */
  readonly pointer: string;
  /** 1 for the document. */
  readonly level: number;
}

export interface NodeRow extends Place {
  readonly type: "node";
  /** Undefined for the document. */
  readonly name: string | undefined;
  readonly kind: JsonKind;
  readonly value: unknown;
  /** Members, items, or characters. */
  readonly size: number;
  readonly canOpen: boolean;
  readonly isOpen: boolean;
  /** Among its siblings, from 1. */
  readonly position: number;
  readonly siblings: number;
}

export interface PartRow extends Place {
  readonly type: "part";
  readonly text: string;
}

export interface MoreRow extends Place {
  readonly type: "more";
  readonly remaining: number;
}

export type JsonRow = NodeRow | PartRow | MoreRow;

/** What the user has opened and closed, and the nodes that show more. */
export interface TreeState {
  readonly open: ReadonlySet<string>;
  /** Number of shown children of a node, if it is not SLICE. */
  readonly shown: ReadonlyMap<string, number>;
}

export function rowsOf(value: unknown, { open, shown }: TreeState): readonly JsonRow[] {
  const rows: JsonRow[] = [];
  add(value, undefined, { id: "", pointer: "", level: 1 }, 1, 1);
  return rows;

  function add(node: unknown, name: string | undefined, place: Place, position: number, siblings: number): void {
    const kind = kindOf(node);
    const size = sizeOf(node);
    const canOpen = kind === "string" ? size > LONG_TEXT : size > 0 && (kind === "object" || kind === "array");
    const isOpen = canOpen && open.has(place.pointer);
    rows.push({ type: "node", ...place, name, kind, value: node, size, canOpen, isOpen, position, siblings });
    if (!isOpen) return;
    const count = childCount(node);
    const shownCount = Math.min(count, shown.get(place.pointer) ?? SLICE);
    const level = place.level + 1;
    for (let index = 0; index < shownCount; index += 1) {
      if (typeof node === "string") {
        const text = partOf(node, index);
        rows.push({ type: "part", id: `${place.pointer}#${index}`, pointer: place.pointer, level, text });
        continue;
      }
      const [key, child] = childAt(node, index);
      const pointer = `${place.pointer}/${stepOf(key)}`;
      add(child, key, { id: pointer, pointer, level }, index + 1, count);
    }
    if (shownCount < count)
      rows.push({
        type: "more",
        id: `${place.pointer}#more`,
        pointer: place.pointer,
        level,
        remaining: count - shownCount,
      });
  }
}

/** Nodes that are open initially: those above `depth`, from the top, until there are ROWS_AT_FIRST rows. */
export function openAtFirst(value: unknown, depth: number): ReadonlySet<string> {
  const open = new Set<string>();
  let rows = 1;
  let level: readonly (readonly [string, unknown])[] = [["", value]];
  for (let above = 0; above < depth; above += 1) {
    const below: (readonly [string, unknown])[] = [];
    for (const [pointer, node] of level) {
      if (typeof node !== "object" || node === null) continue;
      const count = Math.min(childCount(node), SLICE);
      if (count === 0 || rows + count > ROWS_AT_FIRST) continue;
      rows += count;
      open.add(pointer);
      for (let index = 0; index < count; index += 1) {
        const [key, child] = childAt(node, index);
        below.push([`${pointer}/${stepOf(key)}`, child]);
      }
    }
    level = below;
  }
  return open;
}

export function kindOf(value: unknown): JsonKind {
  if (value === null || value === undefined) return "null";
  if (exactNumber(value) !== undefined) return "number";
  if (Array.isArray(value)) return "array";
  const type = typeof value;
  return type === "string" || type === "number" || type === "boolean" ? type : "object";
}

/** Cached members by object, so that a large one is listed once instead of at each key press. */
const namesOf = new WeakMap<object, readonly string[]>();

function names(node: object): readonly string[] {
  const known = namesOf.get(node);
  if (known !== undefined) return known;
  const listed = Object.keys(node);
  namesOf.set(node, listed);
  return listed;
}

function sizeOf(node: unknown): number {
  if (exactNumber(node) !== undefined) return 0;
  if (typeof node === "string" || Array.isArray(node)) return node.length;
  return typeof node === "object" && node !== null ? names(node).length : 0;
}

function childCount(node: unknown): number {
  return typeof node === "string" ? Math.ceil(node.length / PART) : sizeOf(node);
}

function childAt(node: unknown, index: number): readonly [string, unknown] {
  if (Array.isArray(node)) return [String(index), node[index]];
  const members = node as Readonly<Record<string, unknown>>;
  const name = names(members)[index] ?? "";
  return [name, members[name]];
}

/** Cut between characters, never inside a surrogate pair. */
function partOf(text: string, index: number): string {
  return text.slice(cutAt(text, index * PART), cutAt(text, (index + 1) * PART));
}

function cutAt(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  return at > 0 && unit >= 0xdc00 && unit <= 0xdfff ? at + 1 : at;
}
