/** What only the test pool can do to an object, and the bindings that it gives. */
import { createExecutionContext, evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";

export function poolEnv(): Env {
  return env;
}

export function executionContext(): ExecutionContext {
  return createExecutionContext();
}

/** The object leaves memory once its work has ended, as when it is idle. */
export async function evict(object: DurableObjectStub): Promise<void> {
  // One that is not in memory cannot leave it.
  await runInDurableObject(object, () => undefined);
  await evictDurableObject(object);
}

/** The object loses its memory at once, in the middle of its work. Its connections break, which shows when it has. */
export function kill(object: DurableObjectStub): void {
  // This call ends with the object, as an error or, while a stream is open, not at all.
  runInDurableObject(object, (_object, state) => state.abort("killed by the test")).catch(() => undefined);
}
