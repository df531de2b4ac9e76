/** The effect of a run's frame on the answer in a terminal. */
import type { RunEvent } from "../../protocol/frames.ts";

export type AnswerChange =
  | { readonly kind: "none" }
  | { readonly kind: "addition"; readonly text: string }
  /** The whole answer so far, after `withdrawn` was removed from the end of what was shown. */
  | { readonly kind: "replacement"; readonly text: string; readonly withdrawn: string };

/**
 * The answer after a frame. A restarted server may withdraw what it had streamed beyond the last finished step, and a run
 * that did not finish may replace the text; a terminal cannot unprint, so both are a `replacement`.
 */
export function nextAnswer(shown: string, event: RunEvent): { readonly text: string; readonly change: AnswerChange } {
  switch (event.event) {
    case "message":
      return { text: shown + event.data.content, change: { kind: "addition", text: event.data.content } };
    case "run":
      return replaced(shown, event.data.resumed === true ? shown.slice(0, event.data.partialLength) : shown);
    case "done":
      return replaced(shown, event.data.status === "finished" ? shown : (event.data.partialText ?? shown));
    default:
      return replaced(shown, shown);
  }
}

function replaced(shown: string, text: string): ReturnType<typeof nextAnswer> {
  if (text === shown) return { text, change: { kind: "none" } };
  if (text.startsWith(shown)) return { text, change: { kind: "addition", text: text.slice(shown.length) } };
  let common = 0;
  while (common < text.length && shown[common] === text[common]) common += 1;
  return { text, change: { kind: "replacement", text, withdrawn: shown.slice(common) } };
}
