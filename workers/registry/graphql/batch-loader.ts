/** Collects the keys that resolvers ask for in one turn of the event loop and loads them together, each once. */

/** `load` answers what there is, in any order; a key that it leaves out has no value. */
export function createBatchLoader<Value>(
  load: (keys: readonly string[]) => Promise<ReadonlyMap<string, Value>>,
): (key: string) => Promise<Value | undefined> {
  const known = new Map<string, Promise<Value | undefined>>();
  let waiting: { readonly keys: string[]; readonly answer: Promise<ReadonlyMap<string, Value>> } | undefined;

  function join(key: string): Promise<ReadonlyMap<string, Value>> {
    if (waiting === undefined) {
      const keys: string[] = [];
      // Behind the microtasks of the resolvers that run now.
      const answer = Promise.resolve().then(() => {
        waiting = undefined;
        return load(keys);
      });
      waiting = { keys, answer };
    }
    waiting.keys.push(key);
    return waiting.answer;
  }

  return (key) => {
    const before = known.get(key);
    if (before !== undefined) return before;
    const value = join(key).then((values) => values.get(key));
    known.set(key, value);
    return value;
  };
}
