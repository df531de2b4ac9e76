/** The pauses between two slices of work. */
import { expect, test } from "vitest";
import { inSlices, LONG_SLICE_MS, LONGEST_REST_MS, startDeadline, type SlicedWork } from "./work-slices.ts";

test("after a long slice, other chats get as much time as it took, up to a tenth of a second [OR-601]", async () => {
  expect([LONG_SLICE_MS, LONGEST_REST_MS]).toEqual([50, 100]);
  let now = 1_000;
  const rests: number[] = [];
  const time = {
    now: () => now,
    rest(milliseconds: number) {
      rests.push(milliseconds);
      now += milliseconds;
      return Promise.resolve();
    },
    timeout: () => new AbortController().signal,
  };
  function* work(): SlicedWork<string> {
    for (const milliseconds of [2, 50, 80, 80, 400, 3, 1]) {
      now += milliseconds;
      yield;
    }
    return "read";
  }
  expect(await inSlices(work(), startDeadline(time))).toBe("read");
  expect(rests).toEqual([0, 0, 0, 80, 80, 100, 0]);
});
