/** The display names of tools. */
import { chatTexts } from "../texts/chat.ts";

/** A call's action, in the console's words; otherwise the tool's name and its server. */
export function calledWords(toolName: string): string {
  const { names } = chatTexts.tool;
  // A server may name its tool `constructor`, which every object inherits.
  return (Object.hasOwn(names, toolName) && names[toolName]) || toolWords(toolName);
}

export function toolWords(toolName: string): string {
  const of = ofServer(toolName);
  return of === undefined ? toolName : chatTexts.tool.ofServer(of.tool, of.server);
}

/** A tool of an MCP server is `server__tool`. */
export function ofServer(toolName: string): { readonly server: string; readonly tool: string } | undefined {
  const [, server, tool] = /^([a-z0-9-]{1,32})__(.+)$/.exec(toolName) ?? [];
  return server === undefined || tool === undefined ? undefined : { server, tool };
}
