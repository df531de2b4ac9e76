/** A tool as its server lists it, and the hash by which a change under the same name is noticed. */
import type { Tool } from "@modelcontextprotocol/client";
import canonicalize from "canonicalize";
import { isJsonObject, type JsonObject } from "../../../platform/json.ts";
import type { Effect } from "../../framework/tools.ts";
import { modelName, sha256 } from "./tool-names.ts";

/** How many tools of one server are offered: each costs tokens in every request to the model. */
export const MAX_TOOLS = 128;
/** How large the tools of one server may be together, UTF-16 units of their JSON: they are kept as one value. */
export const MAX_LIST_SIZE = 120 * 1024;

export interface ListedTool {
  /** As its server knows it. */
  readonly name: string;
  readonly modelName: string;
  readonly effect: Effect;
  /** Of name, description and schema. */
  readonly hash: string;
  /** As it was listed: the client checks results by it. */
  readonly definition: Tool;
}

/** What a list comes to; `omitted` counts what is past a limit or repeats a name. */
export async function readTools(
  server: string,
  listed: readonly Tool[],
): Promise<{ readonly tools: readonly ListedTool[]; readonly omitted: number }> {
  const tools: ListedTool[] = [];
  const names = new Set<string>();
  let size = 0;
  for (const definition of listed) {
    const tool = await readTool(server, definition);
    size += JSON.stringify(definition).length;
    if (tools.length === MAX_TOOLS || size > MAX_LIST_SIZE) break;
    if (names.has(tool.modelName)) continue;
    names.add(tool.modelName);
    tools.push(tool);
  }
  return { tools, omitted: listed.length - tools.length };
}

async function readTool(server: string, definition: Tool): Promise<ListedTool> {
  const { name, description = "", annotations } = definition;
  const schema = schemaOf(definition);
  const isRead = annotations?.readOnlyHint === true || annotations?.idempotentHint === true;
  return {
    name,
    modelName: await modelName(server, name),
    effect: isRead ? "read" : "write",
    hash: await sha256(canonicalize({ name, description, schema }) ?? ""),
    definition,
  };
}

export function schemaOf({ inputSchema }: Tool): JsonObject {
  const schema: unknown = inputSchema;
  return isJsonObject(schema) ? schema : { type: "object" };
}
