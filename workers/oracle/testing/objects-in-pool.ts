/** Operations on objects that only the test pool can do, and its bindings. */
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
  // An object must be in memory to be evicted.
  await runInDurableObject(object, () => undefined);
  await evictDurableObject(object);
}

/** The object loses its memory at once, in the middle of its work. Its connections break, which shows that it has lost its memory. */
export function kill(object: DurableObjectStub): void {
  // This call ends with the object: as an error or, while a stream is open, never.
  runInDurableObject(object, (_object, state) => state.abort("killed by the test")).catch(() => undefined);
}
