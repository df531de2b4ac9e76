/** How a tool is called in front of people. */
import { chatTexts } from "../texts/chat.ts";

/** What a call of it has done, in words that this console knows; else the tool, and the server that it is of. */
export function calledWords(toolName: string): string {
  const { names } = chatTexts.tool;
  // A server may call its tool `constructor`, which every object has.
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
