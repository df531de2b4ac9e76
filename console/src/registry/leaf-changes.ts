/** Splits the changes of a record into the innermost members that differ, as people compare them. */
import { stepOf } from "../api/json-pointer.ts";
import { sameJson } from "../kit/same-json.ts";

export interface Change {
  /** JSON pointer. */
  readonly path: string;
  readonly from: unknown;
  readonly to: unknown;
}

type Members = Readonly<Record<string, unknown>>;

/** Empty objects and lists that come or go are no change that anybody wants to read. */
export function leafChanges(changes: readonly Change[]): readonly Change[] {
  return changes.flatMap(({ path, from, to }) => differences(path, from, to));
}

function differences(path: string, from: unknown, to: unknown): readonly Change[] {
  if (sameJson(from, to) || (isNothing(from) && isNothing(to))) return [];
  if (canOpen(from) && canOpen(to) && (isMembers(from) || isMembers(to))) {
    const [before, after] = [membersOf(from), membersOf(to)];
    const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
    return names.flatMap((name) =>
      differences(`${path}/${stepOf(name)}`, memberOf(before, name), memberOf(after, name)),
    );
  }
  return [{ path, from: from ?? null, to: to ?? null }];
}

/** A list is compared whole: its order means something, and its items move. */
function canOpen(value: unknown): boolean {
  return value === null || value === undefined || isMembers(value);
}

function isMembers(value: unknown): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value) && Object.keys(value).length > 0;
}

function membersOf(value: unknown): Members {
  return isMembers(value) ? value : {};
}

/** Of its own: a record may have a member `constructor`, as every object has. */
function memberOf(members: Members, name: string): unknown {
  return Object.hasOwn(members, name) ? members[name] : undefined;
}

function isNothing(value: unknown): boolean {
  if (value === null || value === undefined) return true;
  return typeof value === "object" && Object.keys(value).length === 0;
}
