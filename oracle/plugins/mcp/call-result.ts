/** A server's answer to a call, in the form that the model reads. */
import type { CallToolResult } from "@modelcontextprotocol/client";
import type { JsonValue } from "../../../platform/json.ts";

/** Maximum length of an error, UTF-16 units: it is a sentence, not a page. */
const MAX_ERROR_LENGTH = 4_000;

/** `output`: structured content if there is any, otherwise the texts, with a note for other content. */
export function outcomeOf(result: CallToolResult): { readonly output: JsonValue } | { readonly error: string } {
  const text = result.content.map(textOf).join("\n");
  if (result.isError === true) return { error: text.slice(0, MAX_ERROR_LENGTH) || "the tool failed without a message" };
  return { output: (result.structuredContent as JsonValue | undefined) ?? text };
}

function textOf(part: CallToolResult["content"][number]): string {
  switch (part.type) {
    case "text":
      return part.text;
    case "image":
    case "audio":
      return `[${part.type}, ${part.mimeType}, ${bytesOf(part.data)} bytes: not shown]`;
    case "resource_link":
      return `[link to ${part.uri}]`;
    case "resource":
      return "text" in part.resource ? part.resource.text : `[resource ${part.resource.uri}: not shown]`;
  }
}

function bytesOf(base64: string): number {
  return Math.floor((base64.length * 3) / 4) - (base64.endsWith("==") ? 2 : base64.endsWith("=") ? 1 : 0);
}
