/** Waiting ends with its signal, and leaves no listener on a signal that outlives it. */
import { expect, test, vi } from "vitest";
import { pause } from "./pause.ts";

test("it ends when the signal aborts, even if it aborted before", async () => {
  const leaving = new AbortController();
  const waiting = pause(600_000, leaving.signal);
  leaving.abort();
  await expect(waiting).resolves.toBeUndefined();
  await expect(pause(600_000, leaving.signal)).resolves.toBeUndefined();
});

test("after its end it no longer listens to its signal", async () => {
  const { signal } = new AbortController();
  const added = vi.spyOn(signal, "addEventListener");
  const removed = vi.spyOn(signal, "removeEventListener");
  await pause(0, signal);
  expect(removed.mock.calls).toEqual(added.mock.calls);
});
