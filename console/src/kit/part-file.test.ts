/** The file of a part: loaded once, asked for again while it is missing and shown. */
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { PageState } from "./page-version.ts";
import { createPartFile } from "./part-file.ts";

const page = new EventTarget();

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("addEventListener", page.addEventListener.bind(page));
  vi.stubGlobal("removeEventListener", page.removeEventListener.bind(page));
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

function partFile(server: { isThere: boolean; has: PageState }) {
  let asked = 0;
  const Component = () => null;
  const ask = async () => {
    asked += 1;
    if (!server.isThere) throw new TypeError("no such file");
    return { default: Component };
  };
  const file = createPartFile(ask, async () => server.has);
  return { file, Component, asked: () => asked };
}

test("it is loaded once, however many show it, and then nothing waits any more [CN-36]", async () => {
  const { file, Component, asked } = partFile({ isThere: true, has: "same" });
  for (let shown = 0; shown < 100; shown += 1) file.follow(() => undefined);
  await Promise.all([file.load(), file.load()]);
  await file.load();
  expect([file.read().Component, asked(), vi.getTimerCount()]).toEqual([Component, 1, 0]);
});

test("while it is missing and shown it is asked for every five seconds, and at once when the browser is online [CN-36]", async () => {
  const server = { isThere: false, has: "away" as const };
  const { file, Component, asked } = partFile(server);
  const seen: unknown[] = [];
  const leave = file.follow(() => seen.push(file.read()));
  file.follow(() => undefined);
  await file.load();
  await vi.advanceTimersByTimeAsync(5_000);
  expect([seen, asked(), vi.getTimerCount()]).toEqual([[{ missing: "away" }, { missing: "away" }], 2, 1]);
  leave();
  server.isThere = true;
  page.dispatchEvent(new Event("online"));
  await file.load();
  expect([file.read(), asked(), seen.length, vi.getTimerCount()]).toEqual([{ Component }, 3, 2, 0]);
});

test("what nobody shows, and the file of a page that was replaced, is not asked for again [CN-14, CN-36]", async () => {
  for (const has of ["same", "replaced"] as const) {
    const { file, asked } = partFile({ isThere: false, has });
    const leave = file.follow(() => undefined);
    await file.load();
    if (has === "same") leave();
    page.dispatchEvent(new Event("online"));
    await vi.advanceTimersByTimeAsync(20_000);
    expect([has, file.read(), asked()]).toEqual([has, { missing: has }, 1]);
  }
});
