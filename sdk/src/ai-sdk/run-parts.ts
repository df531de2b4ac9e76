/**
 * The parts of one assistant message, built from a run's frames: text, reasoning and calls in order of arrival. They
 * can be cut back after a server restart, and written out again as a few chunks. Plain data, modified in place.
 */
import type { UIMessageChunk } from "ai";

export interface TextPart {
  readonly kind: "text" | "reasoning";
  readonly id: string;
  text: string;
  open: boolean;
}

export interface CallPart {
  readonly kind: "call";
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
  outcome?: { readonly output: string } | { readonly error: string };
  /** The question whether the call may run. `approved` is set after the answer. */
  approval?: { readonly id: string; approved?: boolean };
}

export type Part = TextPart | CallPart;

/** The text shown so far. */
export function textOf(parts: readonly Part[]): string {
  return parts.map((part) => (part.kind === "text" ? part.text : "")).join("");
}

/**
 * The parts that a restarted server keeps: its finished steps, the last of which ended with a call. The interrupted
 * step is removed: its thinking, and its text beyond `length` UTF-16 units.
 */
export function cutTo(parts: readonly Part[], length: number): Part[] {
  const lastCall = parts.findLastIndex(({ kind }) => kind === "call");
  let left = length;
  return parts.filter((part, index) => {
    if (part.kind === "reasoning") return index < lastCall;
    if (part.kind === "call") return true;
    part.text = part.text.slice(0, left);
    left -= part.text.length;
    return part.text !== "";
  });
}

/** The parts with `text` as the whole text: cut if that is enough, otherwise replaced by one part after the others. */
export function withText(parts: readonly Part[], text: string, id: string): Part[] {
  let left = text;
  const kept = parts.filter((part) => {
    if (part.kind !== "text") return true;
    const isPrefix = left.startsWith(part.text);
    if (!isPrefix && !part.text.startsWith(left)) return false;
    part.text = isPrefix ? part.text : left;
    left = left.slice(part.text.length);
    return part.text !== "";
  });
  return left === "" ? kept : [...kept, { kind: "text", id, text: left, open: false }];
}

/** The chunks that show all parts to a reader that has none. */
export function chunksOf(parts: readonly Part[]): UIMessageChunk[] {
  return parts.flatMap((part) => (part.kind === "call" ? chunksOfCall(part) : chunksOfText(part)));
}

function chunksOfText({ kind, id, text, open }: TextPart): UIMessageChunk[] {
  return [
    { type: `${kind}-start`, id },
    { type: `${kind}-delta`, id, delta: text },
    ...(open ? [] : [{ type: `${kind}-end`, id } as const]),
  ];
}

function chunksOfCall(call: CallPart): UIMessageChunk[] {
  const { approval, outcome } = call;
  return [
    callBegun(call),
    ...(approval === undefined ? [] : [approvalAsked(call.id, approval.id)]),
    ...(approval?.approved === undefined ? [] : approvalGiven(call.id, approval.id, approval.approved)),
    ...(outcome === undefined || approval?.approved === false ? [] : [callEnded(call.id, outcome)]),
  ];
}

/** The oracle runs the calls. `providerExecuted` prevents the page from running them or waiting for them. */
export function callBegun({ id, name, input }: CallPart): UIMessageChunk {
  return {
    type: "tool-input-available",
    toolCallId: id,
    toolName: name,
    input,
    dynamic: true,
    providerExecuted: true,
  };
}

export function callEnded(toolCallId: string, outcome: NonNullable<CallPart["outcome"]>): UIMessageChunk {
  return "error" in outcome
    ? { type: "tool-output-error", toolCallId, errorText: outcome.error, dynamic: true, providerExecuted: true }
    : { type: "tool-output-available", toolCallId, output: outcome.output, dynamic: true, providerExecuted: true };
}

export function approvalAsked(toolCallId: string, approvalId: string): UIMessageChunk {
  return { type: "tool-approval-request", approvalId, toolCallId };
}

export function approvalGiven(toolCallId: string, approvalId: string, approved: boolean): UIMessageChunk[] {
  return [
    { type: "tool-approval-response", approvalId, approved, providerExecuted: true },
    ...(approved ? [] : [{ type: "tool-output-denied", toolCallId } as const]),
  ];
}
