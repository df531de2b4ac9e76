/** Splits changes of JSON values into the innermost differing members and items, as people compare them. */
import { stepOf } from "../api/json-pointer.ts";
import { USUAL_DEPTH } from "./json-text.ts";
import { sameJson } from "./same-json.ts";

export interface JsonChange {
  /** JSON pointer, in which an item with an id, or a text item, is named by it. */
  readonly path: string;
  /** Undefined if there was, or is, no value. Null inside a split value also means that. */
  readonly from?: unknown;
  readonly to?: unknown;
  /** Whether the values are the names of reordered items instead of the items. */
  readonly isOrder?: true;
}

type Members = Readonly<Record<string, unknown>>;
type Items = ReadonlyMap<string, unknown>;
/** Compares the values of a member or an item on both sides, under its name. */
type Compare = (name: string, from: unknown, to: unknown) => void;

/** Maximum characters of a text that names its item. */
const LONGEST_NAME = 100;

/**
 * A value that only one side has is one change. An added or removed object is split into its non-empty members.
 */
export function innermostChanges(changes: readonly JsonChange[]): readonly JsonChange[] {
  return changes.flatMap(({ path, from, to }) => {
    const found: JsonChange[] = [];
    compare(found, { path, from: from ?? likeNone(to), to: to ?? likeNone(from) }, 1);
    const isWhole = [from, to].some((side) => (side ?? undefined) === undefined);
    return isWhole ? found.filter((change) => !isEmpty(change.from ?? change.to)) : found;
  });
}

/** @param depth levels so far: deeper values are compared as a whole. */
function compare(found: JsonChange[], { path, from, to }: JsonChange, depth: number): void {
  const compareInner: Compare = (name, before, after) => {
    if (before !== after) compare(found, { path: `${path}/${stepOf(name)}`, from: before, to: after }, depth + 1);
  };
  if (depth <= USUAL_DEPTH && isObject(from) && isObject(to)) return compareMembers(from, to, compareInner);
  if (sameJson(from, to)) return;
  if (depth > USUAL_DEPTH || !Array.isArray(from) || !Array.isArray(to)) return void found.push({ path, from, to });
  const [before, after] = [itemsByName(from), itemsByName(to)];
  if (before === undefined || after === undefined) return comparePlaces(from, to, compareInner);
  compareItems(before, after, compareInner);
  const stayed = [...before.keys()].filter((name) => after.has(name));
  const order = [...after.keys()].filter((name) => before.has(name));
  if (!sameJson(stayed, order)) found.push({ path, from: stayed, to: order, isOrder: true });
}

function compareMembers(from: Members, to: Members, compareInner: Compare): void {
  for (const name of Object.keys(from)) compareInner(name, from[name], Object.hasOwn(to, name) ? to[name] : undefined);
  for (const name of Object.keys(to)) if (!Object.hasOwn(from, name)) compareInner(name, undefined, to[name]);
}

function compareItems(from: Items, to: Items, compareInner: Compare): void {
  for (const [name, item] of from) compareInner(name, item, to.get(name));
  for (const [name, item] of to) if (!from.has(name)) compareInner(name, undefined, item);
}

/** Between the first and the last position that differ. */
function comparePlaces(from: readonly unknown[], to: readonly unknown[], compareInner: Compare): void {
  const shorter = Math.min(from.length, to.length);
  let first = 0;
  while (first < shorter && sameJson(from[first], to[first])) first += 1;
  let last = 0;
  while (last < shorter - first && sameJson(from.at(-1 - last), to.at(-1 - last))) last += 1;
  const itemAt = (list: readonly unknown[], at: number): unknown => (at < list.length - last ? list[at] : undefined);
  for (let at = first; at < Math.max(from.length, to.length) - last; at += 1)
    compareInner(String(at), itemAt(from, at), itemAt(to, at));
}

/** Undefined unless each item has a unique name. */
function itemsByName(list: readonly unknown[]): Items | undefined {
  const items = new Map<string, unknown>();
  for (const item of list) {
    const name: unknown = isObject(item) ? item["id"] : item;
    if (typeof name !== "string" || name.length > LONGEST_NAME || items.has(name)) return undefined;
    items.set(name, item);
  }
  return items;
}

/** The empty value with which an added or removed value is compared. */
function likeNone(value: unknown): unknown {
  return isObject(value) ? {} : undefined;
}

function isObject(value: unknown): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isEmpty(value: unknown): boolean {
  return value === null || (typeof value === "object" && Object.keys(value).length === 0);
}
