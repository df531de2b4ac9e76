/**
 * The way from a version of a domain back to the version before it. The changes that clients read already contain most
 * of it; `undo` is the rest: the earlier values of members that undoing the changes does not restore, such as an object
 * whose removed member was not its last one (docs/decisions/020-history-as-differences.md).
 */
import { isJsonObject, type JsonObject } from "../../../platform/json.ts";
import type { Change, DomainRecord } from "./domain.ts";
import { nameOf } from "./metadata.ts";

/** Columns of the earlier version's own row. */
export interface EarlierVersion {
  readonly versionId: string;
  /** RFC 3339, as `updatedAt`. */
  readonly at: string;
}

/** Members of the earlier version. */
export type Undo = Readonly<Record<string, unknown>>;

/** Each member whose text differs is stored whole, so the result is exact for every pair of versions. */
export function undoOf(
  before: DomainRecord,
  after: DomainRecord,
  changes: readonly Change[],
  earlier: EarlierVersion,
): Undo {
  const guess = new Map<string, unknown>(Object.entries(undone(after, changes, {}, earlier)));
  return Object.fromEntries(
    Object.entries(before).filter(([member, value]) => JSON.stringify(value) !== JSON.stringify(guess.get(member))),
  );
}

/** The version before `after`; `changes` and `undo` belong to `after`. */
export function undone(
  after: DomainRecord,
  changes: readonly Change[],
  undo: Undo,
  { versionId, at }: EarlierVersion,
): DomainRecord {
  const reverted = changes.reduceRight<unknown>(
    (value, { path, from }) => replaced(value, tokensOf(path), from),
    after,
  );
  const record = reverted as DomainRecord;
  const derived = { name: nameOf(record.metadata), version: after.version - 1, versionId, updatedAt: at };
  return { ...record, ...derived, ...undo };
}

export const earlierOf = ({ versionId, updatedAt }: DomainRecord): EarlierVersion => ({ versionId, at: updatedAt });

function tokensOf(path: string): readonly string[] {
  return path
    .split("/")
    .slice(1)
    .map((token) => token.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** The value with `from` at the place; null removes a member below the record, and the last item of a list. */
function replaced(value: unknown, tokens: readonly string[], from: unknown, depth = 0): unknown {
  const [token, ...rest] = tokens;
  if (token === undefined) return from;
  if (Array.isArray(value)) {
    const items: readonly unknown[] = value;
    const at = Number(token);
    if (from === null && rest.length === 0 && at === items.length - 1) return items.slice(0, -1);
    return items.map((item, place) => (place === at ? replaced(item, rest, from, depth + 1) : item));
  }
  if (!isJsonObject(value)) return value;
  return withMember(value, token, (old) => replaced(old, rest, from, depth + 1), {
    removed: from === null && rest.length === 0 && depth > 0,
  });
}

/** `Object.fromEntries` also creates a member with the name `__proto__`. */
function withMember(
  object: JsonObject,
  name: string,
  change: (old: unknown) => unknown,
  { removed }: { readonly removed: boolean },
): unknown {
  const entries: readonly (readonly [string, unknown])[] = Object.entries(object);
  if (removed) return Object.fromEntries(entries.filter(([key]) => key !== name));
  if (!Object.hasOwn(object, name)) return Object.fromEntries([...entries, [name, change(undefined)] as const]);
  return Object.fromEntries(entries.map(([key, value]) => [key, key === name ? change(value) : value] as const));
}
