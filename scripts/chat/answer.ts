/**
 * The text of an answer as the reader has seen it, and how each frame changes it. A restarted server may take back
 * what it had streamed beyond the last finished step (contract/oracle.md section 5.4), and an ending may replace the
 * text (section 4.3): a terminal cannot unprint, so a change that takes text back is a `replacement`.
 */
import type { TurnEvent } from "./wire.ts";

export type AnswerChange =
  | { readonly kind: "none" }
  | { readonly kind: "addition"; readonly text: string }
  /** The whole of what stands now, after `withdrawn` was taken back from the end of what was shown. */
  | { readonly kind: "replacement"; readonly text: string; readonly withdrawn: string };

export interface AnswerStep {
  /** The whole answer after the frame. */
  readonly text: string;
  readonly change: AnswerChange;
}

export function nextAnswer(shown: string, event: TurnEvent): AnswerStep {
  switch (event.event) {
    case "message":
      return { text: shown + event.data.content, change: { kind: "addition", text: event.data.content } };
    case "run":
      if (event.data.resumed !== true || event.data.partialLength === undefined) return unchanged(shown);
      return settle(shown, shown.slice(0, event.data.partialLength));
    case "done":
      if (event.data.status === "finished" || event.data.partialText === undefined) return unchanged(shown);
      return settle(shown, event.data.partialText);
    default:
      return unchanged(shown);
  }
}

/** From what was shown to what stands. */
function settle(shown: string, text: string): AnswerStep {
  if (text === shown) return unchanged(shown);
  if (text.startsWith(shown)) return { text, change: { kind: "addition", text: text.slice(shown.length) } };
  return { text, change: { kind: "replacement", text, withdrawn: shown.slice(commonLength(shown, text)) } };
}

function commonLength(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length += 1;
  return length;
}

function unchanged(text: string): AnswerStep {
  return { text, change: { kind: "none" } };
}
