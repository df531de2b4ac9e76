/** Global ids of nodes as PostGraphile makes them: base64 of a JSON list of the collection's name and the key. */
import { parseJson } from "../../platform/parse-json.ts";

export type Collection = "entities" | "iids";

/** The id of the root query itself. */
export const QUERY_NODE_ID = "query";

export function nodeIdOf(collection: Collection, id: string): string {
  return btoa(JSON.stringify([collection, id]));
}

/** Undefined for what no node has as its id. */
export function parseNodeId(nodeId: string): { readonly collection: Collection; readonly id: string } | undefined {
  let text;
  try {
    text = atob(nodeId);
  } catch {
    return undefined;
  }
  const parsed = parseJson(text);
  if (!parsed.ok || !Array.isArray(parsed.value)) return undefined;
  const [collection, id, ...more] = parsed.value as unknown[];
  if ((collection !== "entities" && collection !== "iids") || typeof id !== "string" || more.length > 0)
    return undefined;
  return { collection, id };
}
