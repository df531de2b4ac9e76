/**
 * Parsed documents kept for the next request with the same text. Small ones only, so that whoever sends ever new large
 * documents cannot fill the memory; clients send variables.
 */
export interface DocumentCache<Value> {
  get(text: string): Value | undefined;
  set(text: string, value: Value): void;
}

/** Documents remembered at once; the one that came first leaves first. */
export const KEPT_DOCUMENTS = 200;
/** Characters of a document that is worth keeping. */
export const KEPT_LENGTH = 4_096;

export function createDocumentCache<Value>(): DocumentCache<Value> {
  const kept = new Map<string, Value>();
  return {
    get: (text) => kept.get(text),
    set(text, value) {
      if (text.length > KEPT_LENGTH || kept.has(text)) return;
      const [oldest] = kept.keys();
      if (kept.size >= KEPT_DOCUMENTS && oldest !== undefined) kept.delete(oldest);
      kept.set(text, value);
    },
  };
}
