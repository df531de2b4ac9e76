import { expect, test } from "vitest";
import { createManualClock } from "../../../test/support/manual-clock.ts";
import { createSingleFlight } from "./single-flight.ts";

test("a call that never ends is not joined once its caller's time is up [QG-106]", async () => {
  const clock = createManualClock();
  const calls = createSingleFlight<string>(clock.now);
  const ask = (begin: () => Promise<string>) => calls.share("key", { timeoutMs: 20 }, begin, () => undefined);
  // A request that the platform ends takes its timers and its fetch with it.
  const dead = ask(() => new Promise(() => undefined));
  clock.advance(19);
  const joined = ask(async () => "not asked");
  clock.advance(1);
  expect(await ask(async () => "new")).toEqual({ kind: "shared", value: "new", isOwn: true });
  expect([await dead, await joined]).toEqual([{ kind: "timeout" }, { kind: "timeout" }]);
});
