/**
 * Facts that a user asked to remember, stored in the plugin's texts. The id of a fact is derived from its words, so that a fact is
 * one row however often it is remembered, even by two sessions at once.
 */
import { isJsonObject, type JsonObject } from "../../../platform/json.ts";
import type { PluginTexts, StoredText } from "../../framework/storage.ts";
import { hexOf, sha256 } from "../../../platform/digest.ts";

/** Maximum length of a fact, UTF-16 units: a sentence or two. Longer texts belong in a document. */
export const FACT_LENGTH = 500;
/** The form of the ids that `idOf` returns. */
export const MEMORY_ID = /^m_[0-9a-f]{24}$/;

/** The origin of a fact: the message is the run's. */
export interface FactSource {
  readonly sessionId: string;
  readonly runId: string;
  readonly client: string;
  /** The turn contained text that the user did not write, so the user approved the fact. */
  readonly heldForeignText: boolean;
}

export interface Memory extends FactSource {
  readonly id: string;
  readonly fact: string;
  /** RFC 3339, in UTC. */
  readonly rememberedAt: string;
}

/** Line breaks and runs of blanks become one blank: a fact is always shown on one line. */
export function tidy(fact: string): string {
  return fact.toWellFormed().normalize("NFC").replace(/\s+/g, " ").trim();
}

/** Case and a final full stop do not make a different fact. */
export async function idOf(fact: string): Promise<string> {
  const words = tidy(fact)
    .toLowerCase()
    .replace(/[.!\s]+$/, "");
  return `m_${hexOf((await sha256(words)).subarray(0, 12))}`;
}

/** Stores the fact unless it exists: an existing row keeps its first source. */
export async function remember(
  texts: PluginTexts,
  fact: string,
  { sessionId, runId, client, heldForeignText }: FactSource,
): Promise<{ readonly id: string; readonly isNew: boolean }> {
  const id = await idOf(fact);
  if ((await texts.get(id)) !== undefined) return { id, isNew: false };
  await texts.put(id, tidy(fact), { sessionId, runId, client, heldForeignText });
  return { id, isNew: true };
}

/** Deletes all facts. `indexed`: the ids to remove from the index. */
export async function forgetAll(
  texts: PluginTexts,
  { hasIndex }: { readonly hasIndex: boolean },
): Promise<{ readonly deleted: number; readonly indexed: readonly string[] }> {
  const indexed = hasIndex ? await allIds(texts) : [];
  return { deleted: await texts.clear(), indexed };
}

/** The ids of all facts. */
export async function allIds(texts: PluginTexts): Promise<readonly string[]> {
  const ids: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await texts.list(cursor);
    ids.push(...page.texts.map(({ id }) => id));
    cursor = page.cursor;
  } while (cursor !== undefined);
  return ids;
}

export function memoryOf({ id, text, details, storedAt }: StoredText): Memory {
  return { id, fact: text, rememberedAt: storedAt, ...sourceOf(details) };
}

function sourceOf(details: JsonObject): FactSource {
  const of = (member: string): string => {
    const value = isJsonObject(details) ? details[member] : undefined;
    return typeof value === "string" ? value : "";
  };
  const heldForeignText = isJsonObject(details) && details["heldForeignText"] === true;
  return { sessionId: of("sessionId"), runId: of("runId"), client: of("client"), heldForeignText };
}
