/**
 * A language model that plays a test's script, step by step, and records its requests. A step can wait at a gate, so
 * that a test can act in the middle of an answer without sleeping.
 */
import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4FinishReason,
  LanguageModelV4StreamPart,
} from "@ai-sdk/provider";
import type { JsonObject } from "../../../platform/json.ts";

/** A string is a text delta. `input` as a string is sent unchanged, for example as invalid JSON. */
export type Beat =
  | string
  | { readonly think: string }
  | { readonly call: string; readonly input: JsonObject | string }
  | { readonly wait: Gate }
  | { readonly fail: unknown }
  /** The call itself fails: nothing of this step is played. */
  | { readonly refuse: unknown }
  /** How the step ends, and its usage: input and output tokens. */
  | { readonly finish: LanguageModelV4FinishReason["unified"]; readonly used?: readonly [number, number] };

export interface Gate {
  readonly opened: Promise<void>;
  open(): void;
}

export function createGate(): Gate {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { opened: promise, open: resolve };
}

export interface ScriptedModel extends LanguageModelV4 {
  /** Its requests, one entry per step. */
  readonly asked: readonly LanguageModelV4CallOptions[];
  /** Adds steps to its script; after the last step, it fails. */
  plays(...steps: readonly (readonly Beat[])[]): void;
  /** Resolves after this many requests in all. */
  whenAsked(times: number): Promise<void>;
  /** Resolves after a request has been cancelled. */
  whenCancelled(): Promise<void>;
}

/** A model for `testOracle`: `scriptedModel([{ call: "get_weather", input: { city: "Lusaka" } }], ["It is sunny."])`. */
export function scriptedModel(...steps: readonly (readonly Beat[])[]): ScriptedModel {
  const model = createScriptedModel();
  model.plays(...steps);
  return model;
}

export function createScriptedModel(): ScriptedModel {
  const script: (readonly Beat[])[] = [];
  const asked: LanguageModelV4CallOptions[] = [];
  const waiting: { readonly times: number; readonly resolve: () => void }[] = [];
  const cancelled = Promise.withResolvers<void>();

  function step(options: LanguageModelV4CallOptions): ReadableStream<LanguageModelV4StreamPart> {
    const beats = script[asked.length];
    asked.push(options);
    options.abortSignal?.addEventListener("abort", () => cancelled.resolve());
    for (const { times, resolve } of waiting) if (asked.length >= times) resolve();
    const [first] = beats ?? [];
    if (typeof first === "object" && "refuse" in first) throw first.refuse;
    if (beats === undefined) throw new Error(`the script has no step ${asked.length}`);
    const parts = play(beats, options.abortSignal);
    return new ReadableStream<LanguageModelV4StreamPart>(
      {
        async pull(controller) {
          const next = await parts.next();
          if (next.done === true) controller.close();
          else controller.enqueue(next.value);
        },
      },
      { highWaterMark: 0 },
    );
  }

  return {
    specificationVersion: "v4",
    provider: "scripted",
    modelId: "scripted",
    supportedUrls: {},
    asked,
    doStream: async (options) => ({ stream: step(options) }),
    doGenerate: () => Promise.reject(new Error("a turn streams")),
    plays: (...steps) => void script.push(...steps),
    whenAsked: (times) =>
      new Promise((resolve) => {
        if (asked.length >= times) resolve();
        else waiting.push({ times, resolve });
      }),
    whenCancelled: () => cancelled.promise,
  };
}

async function* play(
  beats: readonly Beat[],
  signal: AbortSignal | undefined,
): AsyncGenerator<LanguageModelV4StreamPart> {
  yield { type: "stream-start", warnings: [] };
  let called = false;
  let end: Extract<Beat, { finish: unknown }> | undefined;
  for (const [index, beat] of beats.entries()) {
    signal?.throwIfAborted();
    const id = String(index);
    if (typeof beat === "string") {
      yield { type: "text-start", id };
      yield { type: "text-delta", id, delta: beat };
      yield { type: "text-end", id };
    } else if ("think" in beat) {
      yield { type: "reasoning-start", id };
      yield { type: "reasoning-delta", id, delta: beat.think };
      yield { type: "reasoning-end", id };
    } else if ("call" in beat) {
      called = true;
      const input = typeof beat.input === "string" ? beat.input : JSON.stringify(beat.input);
      yield { type: "tool-call", toolCallId: `call-${crypto.randomUUID()}`, toolName: beat.call, input };
    } else if ("finish" in beat) {
      end = beat;
    } else if ("refuse" in beat) {
      throw new Error("a refusal is the first beat of its step");
    } else if ("wait" in beat) await passed(beat.wait, signal);
    else yield { type: "error", error: beat.fail };
  }
  const unified = end?.finish ?? (called ? "tool-calls" : "stop");
  const [input, output] = end?.used ?? [0, 0];
  const usage = {
    inputTokens: { total: input, noCache: input, cacheRead: undefined, cacheWrite: undefined },
    outputTokens: { total: output, text: output, reasoning: undefined },
  };
  yield { type: "finish", finishReason: { unified, raw: unified }, usage };
}

/** A real model's request fails as soon as it is cancelled. */
function passed(gate: Gate, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.addEventListener("abort", () => reject(new DOMException("cancelled", "AbortError")));
    gate.opened.then(resolve, reject);
  });
}
