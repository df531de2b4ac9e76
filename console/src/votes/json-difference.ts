/** Where two JSON values differ, as a short list of places with both values. */
import { stepOf } from "../api/json-pointer.ts";

export interface Difference {
  /** JSON pointer; items of lists that have ids are named by them. */
  readonly path: string;
  /** Undefined where there was, or is, nothing. */
  readonly from: unknown;
  readonly to: unknown;
}

export function differencesOf(from: unknown, to: unknown, path = ""): readonly Difference[] {
  if (isObject(from) && isObject(to)) return ofMembers(from, to, path);
  if (Array.isArray(from) && Array.isArray(to)) {
    const isNamed = haveNames(from) && haveNames(to);
    return ofMembers(membersOf(from, isNamed), membersOf(to, isNamed), path);
  }
  return isSame(from, to) ? [] : [{ path, from, to }];
}

type Members = Readonly<Record<string, unknown>>;

function ofMembers(from: Members, to: Members, path: string): readonly Difference[] {
  const names = new Set([...Object.keys(from), ...Object.keys(to)]);
  return [...names].flatMap((name) =>
    differencesOf(
      Object.hasOwn(from, name) ? from[name] : undefined,
      Object.hasOwn(to, name) ? to[name] : undefined,
      `${path}/${stepOf(name)}`,
    ),
  );
}

/** The id of an item, or a text itself. */
function nameOf(item: unknown): string | undefined {
  if (isObject(item)) return typeof item["id"] === "string" ? item["id"] : undefined;
  return typeof item === "string" ? item : undefined;
}

/** Whether each item has a name that no other has. */
function haveNames(list: readonly unknown[]): boolean {
  const names = list.map(nameOf);
  return !names.includes(undefined) && new Set(names).size === names.length;
}

/** Items by their names, or by their places. */
function membersOf(list: readonly unknown[], isNamed: boolean): Members {
  return Object.fromEntries(list.map((item, at) => [isNamed ? (nameOf(item) ?? at) : at, item]));
}

function isObject(value: unknown): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isSame(one: unknown, other: unknown): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other);
}
