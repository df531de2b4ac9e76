/**
 * Returns control to the test. In the test pool, code that awaits a promise continues in the object that resolved it: a
 * tool that signals its test would take the test along, and killing that object would end the test too. While a turn
 * runs, a timer of the test calls waiting code back.
 */
const { setInterval, clearInterval } = globalThis;

/** Milliseconds between two polls. */
const LOOK_MS = 1;

export interface TestContext {
  /** Runs a turn; callers of `enter` continue in the test meanwhile. */
  during<Value>(turn: () => Promise<Value>): Promise<Value>;
  enter(): Promise<void>;
}

export function createTestContext(): TestContext {
  const waiting: (() => void)[] = [];
  let turns = 0;

  function callBack(): void {
    for (const resolve of waiting.splice(0)) resolve();
  }

  return {
    async during(turn) {
      turns += 1;
      const timer = setInterval(callBack, LOOK_MS);
      try {
        return await turn();
      } finally {
        turns -= 1;
        clearInterval(timer);
        callBack();
      }
    },
    async enter() {
      if (turns > 0) await new Promise<void>((resolve) => void waiting.push(resolve));
    },
  };
}
