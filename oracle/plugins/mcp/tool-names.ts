/**
 * The model's name for a tool of a server: `server__tool`. It depends only on these two, so it is stable over turns. Characters
 * that providers refuse are replaced, and a hash keeps such a name unique.
 */
import { sha256Hex } from "../../../platform/digest.ts";

/** Providers' maximum length of a tool name, characters. */
export const MAX_TOOL_NAME_LENGTH = 64;
/** Hexadecimal digits of the hash. */
const HASH_LENGTH = 8;

/** The name that clients use in `mcpInvocations`. */
export function fullName(server: string, tool: string): string {
  return `${server}__${tool}`;
}

export async function modelName(server: string, tool: string): Promise<string> {
  const name = fullName(server, tool);
  const safe = name.replaceAll(/[^\w-]/gu, "_");
  if (safe === name && name.length <= MAX_TOOL_NAME_LENGTH) return name;
  const hash = (await sha256Hex(name)).slice(0, HASH_LENGTH);
  return `${safe.slice(0, MAX_TOOL_NAME_LENGTH - HASH_LENGTH - 1)}_${hash}`;
}
