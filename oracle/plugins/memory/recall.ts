/** Searches a user's facts, by words and by meaning. */
import type { PluginTexts, StoredText } from "../../framework/storage.ts";
import type { Meaning } from "./meaning.ts";

/** Maximum facts in a search result. */
const FOUND_FACTS = 10;

export async function search(
  texts: PluginTexts,
  query: string,
  meaning: Meaning | undefined,
): Promise<readonly StoredText[]> {
  const [byWords, similar] = await Promise.all([texts.search(query, FOUND_FACTS), meaning?.search(query) ?? []]);
  const known = new Map(byWords.map((found) => [found.id, found]));
  // Reads similar facts that contain none of the words; facts deleted meanwhile are missing.
  const others = await Promise.all(similar.filter((id) => !known.has(id)).map((id) => texts.get(id)));
  const byMeaning = similar.flatMap((id) => known.get(id) ?? others.find((found) => found?.id === id) ?? []);
  return merged(byWords, byMeaning).slice(0, FOUND_FACTS);
}

/** Interleaved, so that neither search hides the other; each fact once. */
function merged(one: readonly StoredText[], other: readonly StoredText[]): readonly StoredText[] {
  const inTurns = Array.from({ length: Math.max(one.length, other.length) }, (_, at) => [one[at], other[at]]).flat();
  return unique(inTurns.filter((found) => found !== undefined));
}

function unique(facts: readonly StoredText[]): readonly StoredText[] {
  return [...new Map(facts.map((fact) => [fact.id, fact])).values()];
}
