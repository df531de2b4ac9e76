/** The members of an audit entry's change as texts, one for each member that differs. */
import { jsonText } from "../kit/json-text.ts";
import { sameJson } from "../kit/same-json.ts";
import type { AuditEntry } from "./staff-requests.ts";

export interface ChangedMember {
  readonly name: string;
  readonly before?: string;
  readonly after?: string;
}

export function changedMembers(change: AuditEntry["change"]): readonly ChangedMember[] {
  if (change === null) return [];
  if (change.omitted !== undefined)
    return [{ name: "change", after: `${change.omitted} characters, too long to store` }];
  const { before, after } = { before: change.before ?? {}, after: change.after ?? {} };
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return names
    .filter((name) => !sameJson(before[name], after[name]))
    .map((name) => ({
      name,
      ...(before[name] === undefined ? {} : { before: textOf(before[name]) }),
      ...(after[name] === undefined ? {} : { after: textOf(after[name]) }),
    }));
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : jsonText(value);
}
