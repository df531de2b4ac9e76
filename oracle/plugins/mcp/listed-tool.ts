/** A tool as its server lists it, and the hash that reveals a change under its old name. */
import type { Tool } from "@modelcontextprotocol/client";
import canonicalize from "canonicalize";
import { isJsonObject, type JsonObject } from "../../../platform/json.ts";
import type { Effect } from "../../framework/tools.ts";
import { type McpServer, MAX_TOOLS } from "./settings.ts";
import { sha256Hex } from "../../../platform/digest.ts";
import { modelName } from "./tool-names.ts";

/** Maximum size of one server's tools together, UTF-16 units of their JSON: they are stored as one value. */
export const MAX_LIST_SIZE = 120 * 1024;

export interface ListedTool {
  /** The server's own name of the tool. */
  readonly name: string;
  readonly modelName: string;
  /** Digest of the name, description, schema and annotations. */
  readonly hash: string;
  /** The digest without annotations, as earlier versions stored it. Undefined in a list that such a version stored. */
  readonly earlierHash?: string;
  /** As it was listed: the client validates results with it. */
  readonly definition: Tool;
}

/** The tools of a list; `omitted` counts tools beyond a limit, with a repeated name or that run only as a task. */
export async function readTools(
  server: string,
  listed: readonly Tool[],
): Promise<{ readonly tools: readonly ListedTool[]; readonly omitted: number }> {
  const tools: ListedTool[] = [];
  const names = new Set<string>();
  let size = 0;
  for (const definition of listed) {
    if (definition.execution?.taskSupport === "required") continue;
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
  const described = { name, description, schema: schemaOf(definition) };
  return {
    name,
    modelName: await modelName(server, name),
    // The member is always present, so that no current digest equals an earlier one.
    hash: await sha256Hex(canonicalize({ ...described, annotations: annotations ?? null }) ?? ""),
    earlierHash: await sha256Hex(canonicalize(described) ?? ""),
    definition,
  };
}

/** Whether the stored digest identifies this version of the tool. */
export function isVersion({ hash, earlierHash }: ListedTool, stored: string | undefined): boolean {
  return stored !== undefined && (stored === hash || stored === earlierHash);
}

type Trust = Pick<McpServer, "trusted" | "readOnlyTools" | "approval">;

/** Annotations are the server's own claim: they count only for a server that the operator trusts. */
function isReadOnly({ trusted, readOnlyTools }: Trust, { name, definition: { annotations } }: ListedTool): boolean {
  return readOnlyTools.includes(name) || (trusted && annotations?.readOnlyHint === true);
}

/** A read may be retried when its result is lost. */
export function effectOf(server: Trust, tool: ListedTool): Effect {
  const isRepeatable = server.trusted && tool.definition.annotations?.idempotentHint === true;
  return isRepeatable || isReadOnly(server, tool) ? "read" : "write";
}

/** Whether the user must approve each call. An idempotent write needs approval too. */
export function needsApproval(server: Trust, tool: ListedTool): boolean {
  return server.approval === "always" || (server.approval === "writes" && !isReadOnly(server, tool));
}

export function schemaOf({ inputSchema }: Tool): JsonObject {
  const schema: unknown = inputSchema;
  return isJsonObject(schema) ? schema : { type: "object" };
}
