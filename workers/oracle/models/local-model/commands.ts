/** The slash commands of the local model (contract/oracle.md section 10.6). Limits are ours. */
import type { FailureKind } from "../../../../protocol/frames.ts";
import { isJsonObject } from "../../../platform/json.ts";
import { parseJson } from "../../../platform/parse-json.ts";
import { speak, type Beat, type Script } from "./script.ts";

/** More than a benchmark of streaming needs, and still an answer that a transcript can hold. */
export const MAX_SLOW_PARTS = 10_000;
/** Milliseconds between two parts; longer silences would end in the time-outs that real models are held to. */
export const MAX_SLOW_PAUSE_MS = 60_000;
const DEFAULT_SLOW_PAUSE_MS = 100;
/** Calls in one message: each is stored three times and its result is echoed, so a message could otherwise grow a hundredfold. */
export const MAX_CALLS = 32;

const failureKinds: readonly FailureKind[] = [
  "rate_limit",
  "billing",
  "auth",
  "timeout",
  "server",
  "network",
  "unknown",
];

/** The script of a command, or nothing when the text is not one. */
export function commandScript(text: string, toolNames: ReadonlySet<string>): Script | undefined {
  const [, command, rest = ""] = /^\/(tool|slow|think|fail)(?:\s+([\s\S]*))?$/.exec(text.trim()) ?? [];
  switch (command) {
    case "tool":
      return callTools(text.trim(), toolNames);
    case "slow":
      return speakSlowly(rest);
    case "think":
      return [{ type: "reasoning", delta: rest }, ...speak("Done.")];
    case "fail":
      return [...speak("Starting "), { type: "fail", kind: failureKind(rest.trim()) }];
    default:
      return undefined;
  }
}

/** One call per line that starts with `/tool`; other lines continue the JSON of the call above them. */
function callTools(text: string, toolNames: ReadonlySet<string>): Script {
  const calls = text.split(/^\/tool[ \t]*/m).filter((call) => call !== "");
  if (calls.length > MAX_CALLS) return speak(`One message may hold at most ${MAX_CALLS} calls.`);
  return calls.flatMap((call): Beat[] => {
    const [, toolName, json = ""] = /^(\S+)\s*([\s\S]*)$/.exec(call) ?? [];
    if (toolName === undefined) return [];
    // Said rather than called: the SDK would turn it into an error that only the model gets to read.
    if (!toolNames.has(toolName)) return speak(`There is no tool named ${toolName}.\n`);
    const input = json.trim() === "" ? { ok: true as const, value: {} } : parseJson(json);
    if (!input.ok || !isJsonObject(input.value)) return speak(`The input of ${toolName} must be a JSON object.\n`);
    return [{ type: "call", toolName, input: input.value }];
  });
}

function* speakSlowly(parameters: string): Generator<Beat> {
  const [count = "1", pause = ""] = parameters.trim().split(/\s+/);
  const parts = bounded(count, 1, MAX_SLOW_PARTS);
  const milliseconds = bounded(pause, DEFAULT_SLOW_PAUSE_MS, MAX_SLOW_PAUSE_MS);
  for (let part = 1; part <= parts; part += 1) {
    if (part > 1 && milliseconds > 0) yield { type: "pause", milliseconds };
    yield { type: "text", delta: `part ${part} ` };
  }
}

function bounded(text: string, fallback: number, maximum: number): number {
  return /^\d+$/.test(text) ? Math.min(Number(text), maximum) : fallback;
}

function failureKind(text: string): FailureKind {
  return failureKinds.find((kind) => kind === text) ?? "unknown";
}
