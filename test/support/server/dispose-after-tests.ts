/**
 * Stops everything that a file's set-up starts, after the file's tests, last first, even if the set-up failed half-way. Then only
 * the cause is reported, and no error about parts that were never started.
 */
import { afterAll } from "vitest";

type Disposable = { readonly dispose: () => unknown } | { readonly close: () => unknown };

/** Called at the top of a file or of a `describe`. The returned function registers a started part, and returns it. */
export function disposeAfterTests(): <Started extends Disposable>(started: Started) => Started {
  const all: Disposable[] = [];
  afterAll(async () => {
    for (const started of all.toReversed()) await end(started);
  });
  return (started) => {
    all.push(started);
    return started;
  };
}

async function end(started: Disposable): Promise<void> {
  await ("dispose" in started ? started.dispose() : started.close());
}
