/**
 * What the set-up of a file starts, and how it ends: after the file's tests, last first, also when the set-up failed half-way.
 * Then the one reported cause is what failed; there is no message about what was never started.
 */
import { afterAll } from "vitest";

type Disposable = { readonly dispose: () => unknown } | { readonly close: () => unknown };

/** Called at the top of a file or of a `describe`. What it answers takes what was started, and gives it back. */
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
