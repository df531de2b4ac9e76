/**
 * What the local model reads of a prompt: the last user message with its readable attachments, the results of the tools
 * called since, the system prompt, and the user's preferences in it, which the user-preferences plugin wrote there.
 * Everything older is ignored, which keeps the model predictable.
 */
import type {
  LanguageModelV4CallOptions,
  LanguageModelV4Message,
  LanguageModelV4ToolResultOutput,
  LanguageModelV4ToolResultPart,
} from "@ai-sdk/provider";
import { parseJson } from "../../../platform/json.ts";
import type { OfferedTool } from "./tool-phrases.ts";

export interface Conversation {
  readonly systemPrompt: string;
  readonly userText: string;
  readonly attachmentTexts: readonly string[];
  /** Results that came after the model's last step, in the order of the calls; empty before the first step. */
  readonly toolResults: readonly { readonly toolName: string; readonly output: string }[];
  readonly tools: readonly OfferedTool[];
}

export function readConversation(options: LanguageModelV4CallOptions): Conversation {
  const { prompt } = options;
  const texts = userTexts(prompt.findLast((message) => message.role === "user"));
  const lastStep = prompt.findLastIndex((message) => message.role !== "tool");
  return {
    systemPrompt: prompt.flatMap((message) => (message.role === "system" ? [message.content] : [])).join("\n\n"),
    userText: texts[0] ?? "",
    attachmentTexts: texts.slice(1),
    toolResults: prompt
      .slice(lastStep + 1)
      .flatMap((message): readonly object[] => (message.role === "tool" ? message.content : []))
      .filter(isToolResult)
      .map((part) => ({ toolName: part.toolName, output: outputText(part.output) })),
    tools: (options.tools ?? []).map((tool) => ({
      name: tool.name,
      description: tool.type === "function" ? tool.description : undefined,
    })),
  };
}

/** The message itself first, then whatever else can be read as text: further text parts, inline text files, and of others a line. */
function userTexts(message: LanguageModelV4Message | undefined): readonly string[] {
  if (message?.role !== "user") return [];
  return message.content.flatMap((part) => {
    if (part.type === "text") return [part.text];
    const { data, mediaType } = part;
    if (data.type === "text") return [data.text];
    if (data.type !== "data") return [];
    const bytes = typeof data.data === "string" ? atob(data.data).length : data.data.byteLength;
    return [`${mediaType.startsWith("image") ? "Image" : "File"}: ${mediaType}, ${bytes} bytes`];
  });
}

function isToolResult(part: object): part is LanguageModelV4ToolResultPart {
  return "type" in part && part.type === "tool-result";
}

function outputText(output: LanguageModelV4ToolResultOutput): string {
  switch (output.type) {
    case "text":
    case "error-text":
      return output.value;
    case "json":
    case "error-json":
      return JSON.stringify(output.value);
    case "execution-denied":
      return output.reason ?? "denied";
    case "content":
      return output.value.map((part) => (part.type === "text" ? part.text : `[${part.type}]`)).join("\n");
  }
}

export type PreferenceField =
  | "agentName"
  | "userName"
  | "language"
  | "tone"
  | "length"
  | "format"
  | "formality"
  | "customInstructions";

export type Preferences = { readonly [field in PreferenceField]?: string };

const HEADING = "## User preferences";
const BULLET = /^- (\w+): (".*")\s*$/;

/** The section with its heading, without blank lines at its end; nothing when the prompt has none. */
export function preferenceSection(systemPrompt: string): string | undefined {
  return sectionOf(systemPrompt, HEADING);
}

const MEMORY_HEADING = "## What the user asked you to remember";

/** What the memory plugin wrote, likewise. */
export function memorySection(systemPrompt: string): string | undefined {
  return sectionOf(systemPrompt, MEMORY_HEADING);
}

function sectionOf(systemPrompt: string, heading: string): string | undefined {
  const lines = systemPrompt.split("\n");
  const start = lines.findIndex((line) => line.trim() === heading);
  if (start === -1) return undefined;
  const rest = lines.slice(start + 1);
  const end = rest.findIndex((line) => /^#{1,2} /.test(line));
  return [heading, ...(end === -1 ? rest : rest.slice(0, end))].join("\n").trimEnd();
}

/** Unknown fields are kept out by the readers' types; a bullet that is not a JSON string is passed over. */
export function readPreferences(section: string | undefined): Preferences {
  const preferences: Record<string, string> = {};
  for (const line of section?.split("\n") ?? []) {
    const [, field, quoted] = BULLET.exec(line) ?? [];
    const value = quoted === undefined ? undefined : parseJson(quoted);
    if (field !== undefined && value?.ok === true && typeof value.value === "string") preferences[field] = value.value;
  }
  return preferences;
}
