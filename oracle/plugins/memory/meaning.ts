/**
 * Semantic search for facts, if Vectorize and Workers AI are bound. The index contains vectors and ids, never texts: facts are read
 * from the user's own object, so deleted facts cannot be found. If it fails, the tool still searches by words.
 */
import { describeThrown, type Logger } from "../../../platform/log.ts";
import { hexOf, sha256 } from "../../../platform/digest.ts";

/** Multilingual, 1,024 dimensions; the index is created for these. */
export const EMBEDDING_MODEL = "@cf/baai/bge-m3";
/** Time limit of index and model together, milliseconds. */
export const MEANING_TIMEOUT_MS = 3_000;
/** Maximum number of facts per query. */
const FOUND = 10;
/** Cosine similarity below which a fact is unrelated to the query. */
export const LEAST_SCORE = 0.5;

/** Vectors deleted per call. */
const DELETED_AT_ONCE = 100;

/** The members in use of the binding `VECTORIZE`. */
export interface VectorIndex {
  upsert(vectors: { id: string; values: number[]; namespace: string; metadata: { fact: string } }[]): Promise<unknown>;
  query(
    vector: number[],
    options: { topK: number; namespace: string; returnMetadata: "all" },
  ): Promise<{ matches: { id: string; score: number; metadata?: Record<string, unknown> }[] }>;
  deleteByIds(ids: string[]): Promise<unknown>;
}

/** The members in use of the binding `AI`. */
export interface EmbeddingModel {
  run(model: string, input: { text: string[] }): Promise<unknown>;
}

export interface Meaning {
  /** Facts are added and removed after the turn; failures are logged. */
  add(id: string, fact: string): Promise<void>;
  remove(ids: readonly string[]): Promise<void>;
  /** As `remove`, but throws if the index does not answer. */
  erase(ids: readonly string[]): Promise<void>;
  /** Ids of facts with a similar meaning, best first; empty when the index does not answer. */
  search(question: string): Promise<readonly string[]>;
}

export interface MeaningParts {
  readonly index: VectorIndex;
  readonly model: EmbeddingModel;
  readonly userDid: string;
  readonly logger: Logger;
}

/** Undefined unless both are bound. */
export function meaningOf(
  env: object,
  { userDid, logger }: Pick<MeaningParts, "userDid" | "logger">,
): Meaning | undefined {
  const { VECTORIZE: index, AI: model } = env as { readonly VECTORIZE?: VectorIndex; readonly AI?: EmbeddingModel };
  return index === undefined || model === undefined ? undefined : createMeaning({ index, model, userDid, logger });
}

export function createMeaning({ index, model, userDid, logger }: MeaningParts): Meaning {
  async function guarded<Value>(work: () => Promise<Value>, otherwise: Value): Promise<Value> {
    try {
      return await withinTime(work());
    } catch (thrown) {
      logger.warn("memory-index-failed", { plugin: "memory", reason: describeThrown(thrown) });
      return otherwise;
    }
  }
  async function embed(text: string): Promise<number[]> {
    const answer = await model.run(EMBEDDING_MODEL, { text: [text] });
    const [values] = (answer as { readonly data?: readonly number[][] }).data ?? [];
    if (values === undefined || values.length === 0) throw new Error("the embedding model returned no vector");
    return values;
  }
  async function deleteVectors(ids: readonly string[]): Promise<void> {
    const namespace = await namespaceOf(userDid);
    for (let at = 0; at < ids.length; at += DELETED_AT_ONCE)
      await index.deleteByIds(ids.slice(at, at + DELETED_AT_ONCE).map((id) => vectorId(namespace, id)));
  }
  return {
    add: (id, fact) =>
      guarded<void>(async () => {
        const [namespace, values] = await Promise.all([namespaceOf(userDid), embed(fact)]);
        await index.upsert([{ id: vectorId(namespace, id), values, namespace, metadata: { fact: id } }]);
      }, undefined),
    remove: (ids) => guarded<void>(() => deleteVectors(ids), undefined),
    erase: (ids) => withinTime(deleteVectors(ids)),
    search: (question) =>
      guarded<readonly string[]>(async () => {
        const [namespace, vector] = await Promise.all([namespaceOf(userDid), embed(question)]);
        const { matches } = await index.query(vector, { topK: FOUND, namespace, returnMetadata: "all" });
        return matches
          .filter(({ score }) => score >= LEAST_SCORE)
          .map(({ metadata }) => metadata?.["fact"])
          .filter((id) => typeof id === "string");
      }, []),
  };
}

/** A user's namespace in the index: a digest of their DID, within the index's limit of 64 bytes. */
async function namespaceOf(did: string): Promise<string> {
  return hexOf((await sha256(did)).subarray(0, 16));
}

/** Unique in the whole index, since two users may remember equal facts. At most 64 bytes. */
function vectorId(namespace: string, id: string): string {
  return `${namespace}:${id}`;
}

/** The work continues afterwards: neither binding can be aborted. */
async function withinTime<Value>(work: Promise<Value>): Promise<Value> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error("the index took too long")), MEANING_TIMEOUT_MS);
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
