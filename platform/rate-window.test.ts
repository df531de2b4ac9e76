/** The window compared with its definition: admissions of the last `windowMs`, counted one by one. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createRateWindow, type Admission } from "./rate-window.ts";

const MINUTE = 60_000;
const START = 1_700_000_000_000;
const numRuns = Number(process.env.PROPERTY_RUNS ?? 100);

describe("a rate window", () => {
  it("admits exactly the limit and counts down", () => {
    const window = createRateWindow(MINUTE);
    const remaining = Array.from({ length: 3 }, () => window.take(START, 3).remaining);
    expect(remaining).toEqual([2, 1, 0]);
    expect(window.take(START, 3)).toEqual({ admitted: false, limit: 3, remaining: 0, retryAfter: 60 });
  });

  it("slides: room appears when the oldest admission is a whole window old, not a millisecond before", () => {
    const window = createRateWindow(MINUTE);
    window.take(START, 2);
    window.take(START + 30_000, 2);
    expect(window.take(START + MINUTE - 1, 2)).toMatchObject({ admitted: false, retryAfter: 1 });
    expect(window.take(START + MINUTE, 2)).toMatchObject({ admitted: true, remaining: 0 });
    expect(window.take(START + MINUTE, 2)).toMatchObject({ admitted: false, retryAfter: 30 });
  });

  it("does not count what it refuses", () => {
    const window = createRateWindow(MINUTE);
    window.take(START, 1);
    for (let second = 1; second < 60; second += 1) window.take(START + second * 1000, 1);
    expect(window.take(START + MINUTE, 1).admitted).toBe(true);
  });

  it("returns the wait until a lowered limit has room again", () => {
    const window = createRateWindow(MINUTE);
    for (const second of [0, 10, 20]) window.take(START + second * 1000, 3);
    expect(window.take(START + 20_000, 1)).toMatchObject({ admitted: false, retryAfter: 60 });
    expect(window.take(START + 20_000, 2)).toMatchObject({ admitted: false, retryAfter: 50 });
  });

  it("admits nothing at a limit of zero and returns a whole window as the wait", () => {
    expect(createRateWindow(MINUTE).take(START, 0)).toMatchObject({ admitted: false, retryAfter: 60 });
  });

  it("is stopped while the clock is behind", () => {
    const window = createRateWindow(MINUTE);
    window.take(START, 1);
    expect(window.take(START - MINUTE, 1)).toMatchObject({ admitted: false, retryAfter: 60 });
  });

  it("continues from earlier admissions", () => {
    const window = createRateWindow(MINUTE, [START - MINUTE, START - 1]);
    expect(window.take(START, 2)).toMatchObject({ admitted: true, remaining: 0 });
  });

  it("agrees with the definition for any sequence", () => {
    const requests = fc.array(fc.record({ wait: fc.nat(20_000), limit: fc.integer({ min: 1, max: 6 }) }), {
      maxLength: 200,
    });
    fc.assert(
      fc.property(requests, (steps) => {
        const window = createRateWindow(MINUTE);
        const admitted: number[] = [];
        let now = START;
        for (const { wait, limit } of steps) {
          now += wait;
          const expected = admissionByDefinition(admitted, now, limit);
          expect(window.take(now, limit)).toEqual(expected);
          if (expected.admitted) admitted.push(now);
        }
      }),
      { numRuns },
    );
  });
});

/** Counts again for each request, and finds the wait by trying one second after the other. */
function admissionByDefinition(admitted: readonly number[], now: number, limit: number): Admission {
  const counting = (at: number) => admitted.filter((when) => when > at - MINUTE).length;
  if (counting(now) < limit) return { admitted: true, limit, remaining: limit - counting(now) - 1, retryAfter: 0 };
  let retryAfter = 1;
  while (counting(now + retryAfter * 1000) >= limit) retryAfter += 1;
  return { admitted: false, limit, remaining: 0, retryAfter };
}
