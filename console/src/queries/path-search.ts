/** Finds listed paths by typed text: parts of the path or of the method's name, in any order. */
import type { QueryPath } from "./gateway-catalogue.ts";

export function searchPaths(paths: readonly QueryPath[], typed: string): readonly QueryPath[] {
  const text = typed.trim().toLowerCase();
  const words = text.split(/\s+/).filter((word) => word !== "");
  return paths
    .filter(({ path, name }) => {
      const searched = `${path} ${name}`.toLowerCase();
      return words.every((word) => searched.includes(word));
    })
    .map((query) => ({ query, rank: rankOf(query, text) }))
    .toSorted((one, other) => one.rank - other.rank)
    .map(({ query }) => query);
}

/** Lower is better. The chain's own modules precede its framework's, and current paths precede older releases'. */
function rankOf({ path, name, successor }: QueryPath, text: string): number {
  const lower = path.toLowerCase();
  const method = name.slice(name.lastIndexOf("/") + 1).toLowerCase();
  const isOwn = lower.startsWith("/cosmos") || lower.startsWith("/ibc") ? 1 : 0;
  return textRank(lower, method, text) * 4 + isOwn + (successor === undefined ? 0 : 2);
}

function textRank(path: string, method: string, text: string): number {
  if (text === "" || path === text) return 0;
  if (path.startsWith(text) || method === text) return 1;
  if (method.startsWith(text)) return 2;
  return path.includes(text) ? 3 : 4;
}
