/** What the local model is going to do in one step, beat by beat. Data only: `play.ts` performs it. */
import type { JsonObject } from "../../../platform/json.ts";
import type { FailureKind } from "../../../../protocol/frames.ts";

export type Beat =
  | { readonly type: "text"; readonly delta: string }
  | { readonly type: "reasoning"; readonly delta: string }
  | { readonly type: "pause"; readonly milliseconds: number }
  | { readonly type: "call"; readonly toolName: string; readonly input: JsonObject }
  | { readonly type: "fail"; readonly kind: FailureKind };

export type Script = Iterable<Beat>;

/** One beat per word, each with the blanks that follow it, so that the deltas joined are the text. */
export function speak(text: string): Beat[] {
  return (text.match(/^\s+|\S+\s*/g) ?? []).map((delta) => ({ type: "text", delta }));
}
