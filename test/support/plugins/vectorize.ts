/**
 * An in-memory mock of Vectorize and its embedding model with the parts that the memory plugin uses: the platform has no local
 * version. Vectors are stored in namespaces and compared by cosine similarity. A list of word meanings determines a text's
 * embedding.
 */
import type { EmbeddingModel, VectorIndex } from "../../../oracle/plugins/memory/meaning.ts";

export interface VectorizeInMemory {
  readonly index: VectorIndex;
  readonly model: EmbeddingModel;
  /** All vectors by id. */
  readonly vectors: ReadonlyMap<string, { readonly namespace: string; readonly values: readonly number[] }>;
  readonly asked: { readonly model: string; readonly text: readonly string[] }[];
  /** Makes both fail, or not answer, from now on. */
  fails: boolean;
  hangs: boolean;
}

/** `senses`: synonyms, one list per dimension. */
export function vectorizeInMemory(senses: readonly (readonly string[])[]): VectorizeInMemory {
  const vectors = new Map<string, { namespace: string; values: readonly number[]; metadata: { fact: string } }>();
  const asked: VectorizeInMemory["asked"] = [];
  const service = { fails: false, hangs: false };
  const answer = async <Value>(value: Value): Promise<Value> => {
    if (service.hangs) await new Promise<never>(() => undefined);
    if (service.fails) throw new Error("VECTOR_QUERY_ERROR (code = 40026)");
    return value;
  };
  const index: VectorIndex = {
    upsert(given) {
      for (const { id, values, namespace, metadata } of given) {
        if (id.length > 64 || namespace.length > 64) throw new Error("too long");
        vectors.set(id, { namespace, values, metadata });
      }
      return answer({ mutationId: "1" });
    },
    query(vector, { topK, namespace }) {
      const matches = [...vectors]
        .filter(([, each]) => each.namespace === namespace)
        .map(([id, { values, metadata }]) => ({ id, score: cosine(vector, values), metadata }))
        .toSorted((one, other) => other.score - one.score)
        .slice(0, topK);
      return answer({ matches });
    },
    deleteByIds(ids) {
      for (const id of ids) vectors.delete(id);
      return answer({ mutationId: "2" });
    },
  };
  const model: EmbeddingModel = {
    run(name, { text }) {
      asked.push({ model: name, text });
      const words = (text[0] ?? "").toLowerCase();
      const values = senses.map((sense) => (sense.some((word) => words.includes(word)) ? 1 : 0));
      return answer({
        shape: [1, senses.length],
        data: [values.some((each) => each > 0) ? values : senses.map(() => 0.01)],
      });
    },
  };
  return Object.assign(service, { index, model, vectors, asked });
}

function cosine(one: readonly number[], other: readonly number[]): number {
  const dot = (a: readonly number[], b: readonly number[]) => a.reduce((sum, each, at) => sum + each * (b[at] ?? 0), 0);
  return dot(one, other) / Math.sqrt(dot(one, one) * dot(other, other));
}
