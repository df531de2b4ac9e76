/**
 * What a step changed, as JSON pointers (contract/registry.md sections 1.3 and 4.4). Members that follow from others
 * (`protocol`, `controller`, `name`, `entityVerified`) and those of the entry itself (`version`, `versionId`,
 * `updatedAt`) are not told again. Changes applied to the record before give the record after.
 */
import { isJsonObject } from "../../platform/json.ts";
import type { Change, DomainRecord } from "./domain.ts";
import { escapeToken } from "./json-pointer.ts";
import { representationOf } from "./representation.ts";
import { sameJson } from "./same-json.ts";

const untold = ["protocol", "controller", "name", "entityVerified", "version", "versionId", "updatedAt"];

/** The members that a history explains. */
export function explainedMembers(record: DomainRecord): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(representationOf(record)).filter(([member]) => !untold.includes(member)));
}

/** From nothing, every member that has a value. */
export function changesBetween(before: DomainRecord | undefined, after: DomainRecord): readonly Change[] {
  const from = before === undefined ? {} : explainedMembers(before);
  const to = explainedMembers(after);
  return objectChanges("", from, to).filter((change) => before !== undefined || change.to !== null);
}

function objectChanges(path: string, from: object, to: object): Change[] {
  const before = new Map<string, unknown>(Object.entries(from));
  const after = new Map<string, unknown>(Object.entries(to));
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((name) => {
    const place = `${path}/${escapeToken(name)}`;
    if (before.has(name) === after.has(name)) return changesOf(place, before.get(name), after.get(name));
    return [{ path: place, from: before.get(name) ?? null, to: after.get(name) ?? null }];
  });
}

function changesOf(path: string, from: unknown, to: unknown): Change[] {
  if (sameJson(from, to)) return [];
  if (isJsonObject(from) && isJsonObject(to)) return objectChanges(path, from, to);
  if (Array.isArray(from) && Array.isArray(to)) return listChanges(path, from, to);
  return [{ path, from, to }];
}

/** Item by item when items were replaced in place or added at the end, else the whole list: places would mislead. */
function listChanges(path: string, from: readonly unknown[], to: readonly unknown[]): Change[] {
  const grown = to.length > from.length && from.every((item, at) => sameJson(item, to[at]));
  if (to.length !== from.length && !grown) return [{ path, from, to }];
  return to.flatMap((item, at) =>
    at < from.length && sameJson(from[at], item) ? [] : [{ path: `${path}/${at}`, from: from[at] ?? null, to: item }],
  );
}
