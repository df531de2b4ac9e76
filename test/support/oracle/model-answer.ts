/** Runs one step of a model through the AI SDK as the turn engine does, and collects its output. */
import type { LanguageModelV4 } from "@ai-sdk/provider";
import { jsonSchema, streamText, tool, type ModelMessage } from "ai";

export interface ModelAnswer {
  readonly deltas: readonly string[];
  readonly text: string;
  readonly reasoning: string;
  readonly calls: readonly { readonly id: string; readonly name: string; readonly input: unknown }[];
  /** The first error in the stream, or the error thrown while reading it. */
  readonly error: unknown;
  readonly usage: { readonly input: number | undefined; readonly output: number | undefined };
}

export interface Question {
  readonly model: LanguageModelV4;
  readonly messages: string | readonly ModelMessage[];
  readonly system?: string;
  readonly tools?: readonly string[];
  readonly maxRetries?: number;
  readonly signal?: AbortSignal;
  /** Called with each delta as it arrives. */
  readonly onDelta?: (delta: string) => void;
}

export async function askModel(question: Question): Promise<ModelAnswer> {
  const { messages, system, signal } = question;
  const { stream } = streamText({
    model: question.model,
    maxRetries: question.maxRetries ?? 0,
    messages: typeof messages === "string" ? [{ role: "user", content: messages }] : [...messages],
    tools: Object.fromEntries((question.tools ?? []).map((name) => [name, tool({ inputSchema: jsonSchema({}) })])),
    ...(system === undefined ? {} : { instructions: system }),
    ...(signal === undefined ? {} : { abortSignal: signal }),
    onError: () => undefined,
  });
  const deltas: string[] = [];
  const calls: { id: string; name: string; input: unknown }[] = [];
  let reasoning = "";
  let error: unknown;
  let usage: ModelAnswer["usage"] = { input: undefined, output: undefined };
  try {
    for await (const part of stream) {
      if (part.type === "text-delta") {
        deltas.push(part.text);
        question.onDelta?.(part.text);
      } else if (part.type === "reasoning-delta") reasoning += part.text;
      else if (part.type === "tool-call") calls.push({ id: part.toolCallId, name: part.toolName, input: part.input });
      else if (part.type === "error") error ??= part.error;
      else if (part.type === "finish")
        usage = { input: part.totalUsage.inputTokens, output: part.totalUsage.outputTokens };
    }
  } catch (thrown) {
    // A broken connection throws; an error that the service reports is part of the stream.
    error ??= thrown;
  }
  return { deltas, text: deltas.join(""), reasoning, calls, error, usage };
}
