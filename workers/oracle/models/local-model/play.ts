/**
 * Performs a script as the parts of a language model's stream: opens and closes blocks, waits, gives calls their ids.
 * A `fail` beat becomes an error in the stream, as a provider's failure in the middle of an answer does.
 */
import type { LanguageModelV4StreamPart, LanguageModelV4Usage } from "@ai-sdk/provider";
import { pause, type Timers } from "../timers.ts";
import { providerFailure } from "./provider-failure.ts";
import type { Script } from "./script.ts";

export interface Stage {
  readonly timers: Timers;
  readonly mintId: () => string;
  readonly signal: AbortSignal;
  readonly inputTokens: number;
}

export async function* play(script: Script, stage: Stage): AsyncGenerator<LanguageModelV4StreamPart> {
  yield { type: "stream-start", warnings: [] };
  let open: { readonly type: "text" | "reasoning"; readonly id: string } | undefined;
  let unified: "stop" | "tool-calls" | "error" = "stop";
  let blocks = 0;
  let words = 0;
  for (const beat of script) {
    stage.signal.throwIfAborted();
    if (open !== undefined && beat.type !== "pause" && beat.type !== open.type) {
      yield { type: `${open.type}-end`, id: open.id };
      open = undefined;
    }
    switch (beat.type) {
      case "text":
      case "reasoning":
        if (open === undefined) {
          open = { type: beat.type, id: `${beat.type}-${blocks}` };
          blocks += 1;
          yield { type: `${beat.type}-start`, id: open.id };
        }
        words += 1;
        yield { type: `${beat.type}-delta`, id: open.id, delta: beat.delta };
        break;
      case "pause":
        await pause(stage.timers, beat.milliseconds, stage.signal);
        break;
      case "call": {
        unified = "tool-calls";
        const id = stage.mintId();
        const input = JSON.stringify(beat.input);
        yield { type: "tool-input-start", id, toolName: beat.toolName };
        yield { type: "tool-input-delta", id, delta: input };
        yield { type: "tool-input-end", id };
        yield { type: "tool-call", toolCallId: id, toolName: beat.toolName, input };
        break;
      }
      case "fail":
        unified = "error";
        yield { type: "error", error: providerFailure(beat.kind) };
        break;
    }
  }
  if (open !== undefined) yield { type: `${open.type}-end`, id: open.id };
  yield { type: "finish", finishReason: { unified, raw: unified }, usage: usage(stage.inputTokens, words) };
}

/** Words stand for tokens: enough to show that usage is carried through. */
function usage(input: number, output: number): LanguageModelV4Usage {
  return {
    inputTokens: { total: input, noCache: input, cacheRead: undefined, cacheWrite: undefined },
    outputTokens: { total: output, text: output, reasoning: undefined },
  };
}
