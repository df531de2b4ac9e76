/**
 * The name under which the model calls a tool of a server: `server__tool`. It depends on nothing but these two, so that it is
 * the same in every turn. What model providers refuse is replaced, and a hash keeps such a name from being another's.
 */
import { sha256Hex } from "../../../platform/digest.ts";

/** What model providers take for a name, characters. */
export const MAX_TOOL_NAME_LENGTH = 64;
/** Of the hash, hexadecimal digits. */
const HASH_LENGTH = 8;

/** As clients name it in `mcpInvocations`. */
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
