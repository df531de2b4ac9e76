import { expect, test } from "vitest";
import { createManualClock } from "../../../test/support/clocks/manual-clock.ts";
import { createQueue, OVERRUN, QUEUE_BOUND_MS } from "./queue.ts";

function held() {
  let release: () => void = () => {};
  const promise = new Promise<void>((resolve) => {
    release = resolve;
  });
  return { promise, release };
}

test("work runs in order, one at a time, even after a failure [PH-75]", async () => {
  const queue = createQueue(createManualClock().after);
  const done: string[] = [];
  const first = held();
  const works = [
    queue.run(async () => {
      await first.promise;
      done.push("first");
    }),
    queue.run(async () => {
      done.push("second");
      throw new Error("no");
    }),
    queue.run(async () => {
      done.push("third");
      return 3;
    }),
  ];
  expect(done).toEqual([]);
  first.release();
  const [, second, third] = await Promise.allSettled(works);
  expect(done).toEqual(["first", "second", "third"]);
  expect(second?.status).toBe("rejected");
  expect(third).toEqual({ status: "fulfilled", value: 3 });
});

test("work that waits longer than 9 s is dropped; work in progress may take longer [PH-75]", async () => {
  const clock = createManualClock();
  const queue = createQueue(clock.after);
  const first = held();
  let isDone = false;
  const working = queue.run(() => first.promise);
  const waiting = queue.run(async () => {
    isDone = true;
  });
  clock.advance(QUEUE_BOUND_MS - 1);
  clock.advance(1);
  expect(await waiting).toBe(OVERRUN);
  first.release();
  expect(await working).toBeUndefined();
  expect(await queue.run(async () => "next")).toBe("next");
  expect(isDone).toBe(false);
  expect(clock.pending).toBe(0);
});
