import { expect, test } from "vitest";
import { pause } from "./pause.ts";

/** A clock that the test advances. */
function manualClock() {
  let due: (() => void) | undefined;
  return {
    after(_: number, work: () => void) {
      due = work;
      return () => void (due = undefined);
    },
    pass: () => due?.(),
    isSet: () => due !== undefined,
  };
}

test("a pause ends after its time", async () => {
  const { after, pass } = manualClock();
  const waited = pause(1_000, new AbortController().signal, after);
  pass();
  await expect(waited).resolves.toBeUndefined();
});

test("a signal ends the pause with its reason and cancels the timer", async () => {
  const { after, isSet } = manualClock();
  const ending = new AbortController();
  const waited = pause(1_000, ending.signal, after);
  ending.abort(new Error("over"));
  await expect(waited).rejects.toThrow("over");
  expect(isSet()).toBe(false);
});

test("a signal that has already fired leaves no timer", async () => {
  const { after, isSet } = manualClock();
  await expect(pause(1_000, AbortSignal.abort(new Error("over")), after)).rejects.toThrow("over");
  expect(isSet()).toBe(false);
});

test("uses the runtime's timers by default", async () => {
  await expect(pause(0)).resolves.toBeUndefined();
});
