/**
 * The parts of one assistant message as a run's frames build them: text, reasoning and calls in the order in which they came.
 * They can be cut back, as a restarted server asks for, and written out again as a few chunks. Plain data, changed in place.
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
  /** The question whether the call may be made; `approved` once it is answered. */
  approval?: { readonly id: string; approved?: boolean };
}

export type Part = TextPart | CallPart;

/** The text shown so far. */
export function textOf(parts: readonly Part[]): string {
  return parts.map((part) => (part.kind === "text" ? part.text : "")).join("");
}

/**
 * What a restarted server keeps: its finished steps, the last of which ended with a call. Of the step that was broken off
 * nothing stays, neither thinking nor text beyond `length` UTF-16 units.
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

/** The same parts with `text` as the whole text: cut where that is enough, else in one part behind the others. */
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

/** What makes a reader that has none of the parts show them all. */
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

/** The oracle makes the calls: `providerExecuted` keeps the page from making them, or waiting for them, as well. */
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
