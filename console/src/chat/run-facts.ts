/** The recorded facts about a conversation's last run and its socket, for the inspector. */
import type { KeptEntry } from "@twinedge/sdk/devtools";
import { membersOf, parsedJson } from "../../../shared/json-members.ts";

export interface RunFacts {
  /** How it ended; undefined while it runs. */
  readonly ended: string | undefined;
  /** From the acceptance of the message to the end, or to the last entry, milliseconds. */
  readonly tookMs: number;
  readonly toolCalls: number;
  readonly frames: number;
  readonly resumed: number;
}

type Entry = Pick<KeptEntry, "at" | "kind" | "name" | "count" | "detail">;

/** Undefined: no run was recorded since the page was opened. */
export function runFacts(entries: readonly Entry[]): RunFacts | undefined {
  const start = entries.findLastIndex(({ kind, name }) => kind === "frame" && name === "run");
  const accepted = entries.findLastIndex(({ kind, name }) => kind === "run" && name === "accepted");
  const first = Math.max(start, accepted);
  if (first === -1) return undefined;
  const from = accepted !== -1 && accepted < start ? accepted : first;
  const own = entries.slice(from);
  const frames = own.filter(({ kind }) => kind === "frame");
  const done = frames.find(({ name }) => name === "done");
  const calls = frames.filter(({ name }) => name === "tool_call" || name === "action_call");
  const [begin] = own;
  return {
    ended: done && (memberOf(done.detail, "status") ?? "done"),
    tookMs: ((done ?? own.at(-1))?.at ?? 0) - (begin?.at ?? 0),
    toolCalls: calls.filter(({ detail }) => memberOf(detail, "status") === "isRunning").length,
    frames: frames.reduce((sum, { count }) => sum + count, 0),
    resumed: frames.filter(({ name, detail }) => name === "run" && memberOf(detail, "resumed") !== undefined).length,
  };
}

/** The socket's last event, with its own name. */
export function lastSocketEvent(entries: readonly Entry[]): Entry | undefined {
  return entries.findLast(({ kind }) => kind === "socket");
}

/** A request's status and milliseconds. */
export function requestFacts({ kind, detail }: Entry): { readonly status: number; readonly ms: number } | undefined {
  if (kind !== "request") return undefined;
  const { status, ms } = parsed(detail);
  return typeof status === "number" && typeof ms === "number" ? { status, ms } : undefined;
}

/** A frame's data is nested in it. */
function memberOf(detail: string, name: string): string | undefined {
  const value = parsed(detail);
  const { data } = value;
  const found = (typeof data === "object" && data !== null ? membersOf(data) : value)[name];
  return typeof found === "string" || typeof found === "boolean" ? String(found) : undefined;
}

/** Parsed JSON if it is complete; long details are cut. */
export function parsed(detail: string): Readonly<Record<string, unknown>> {
  return membersOf(parsedJson(detail));
}
