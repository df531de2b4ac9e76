/** An export with lost connections and rate limits contains each domain once. */
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { ApiFailure } from "../../api/api-failure.ts";
import { ATTEMPTS } from "../../kit/patiently.ts";
import { listDefaults, queryOf } from "../list/list-filters.ts";
import { exportDomains, type Export } from "./export-run.ts";

beforeEach(() => {
  vi.useFakeTimers();
  // Node's global is not an event target.
  vi.stubGlobal("addEventListener", () => undefined);
  vi.stubGlobal("removeEventListener", () => undefined);
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const line = (number: number): string => `${JSON.stringify({ id: `did:x:${number}` })}\n`;
const query = queryOf({ ...listDefaults, type: ["Project", "Asset"], sort: "name", limit: "50", cursor: "c" });

/** A response whose connection is lost after this text. */
function lost(text: string): Response {
  let isSent = false;
  return new Response(
    new ReadableStream({
      pull(controller) {
        if (isSent) controller.error(new TypeError("network error"));
        else controller.enqueue(new TextEncoder().encode(text));
        isSent = true;
      },
    }),
  );
}

function run(ask: (cursor: string | null, path: string) => Response, more: Partial<Export> = {}) {
  const waits: unknown[] = [];
  const asked: string[] = [];
  const file = exportDomains({
    ask: async (path) => {
      asked.push(path);
      return ask(new URL(path, "http://x").searchParams.get("cursor"), path);
    },
    query,
    format: "ndjson",
    signal: new AbortController().signal,
    onWait: (...waiting) => waits.push(waiting),
    onCount: () => undefined,
    ...more,
  });
  return { file, waits, asked };
}

test("after a broken stream and a rate limit, an export continues after the last whole domain [CN-276]", async () => {
  let limits = 0;
  const { file, waits, asked } = run((cursor) => {
    if (cursor === null) return lost(`${line(1)}${line(2)}{"id":"did`);
    if ((limits += 1) === 1) throw new ApiFailure({ status: 429, code: "rate_limited", message: "", retryAfter: 7 });
    return new Response(line(3));
  });
  await vi.runAllTimersAsync();
  expect(await (await file).text()).toBe([1, 2, 3].map(line).join(""));
  expect(waits).toEqual([
    [2, "connection"],
    [0, "server"],
    [7, "server"],
    [0, "server"],
  ]);
  const filters = "type=Project&type=Asset";
  const resumed = `/v1/export?${filters}&cursor=did%3Ax%3A2`;
  expect(asked).toEqual([`/v1/export?${filters}`, resumed, resumed]);
});

test("an export with progress may be interrupted often; one without ends with the reason [CN-276]", async () => {
  let count = 0;
  const often = run(() => ((count += 1) === 20 ? new Response("") : lost(line(count))));
  await vi.runAllTimersAsync();
  expect(await (await often.file).text()).toBe(Array.from({ length: 19 }, (_, at) => line(at + 1)).join(""));

  const never = run(() => lost(""));
  const [refused] = await Promise.all([never.file.catch((error: unknown) => error), vi.runAllTimersAsync()]);
  expect(refused).toMatchObject({ status: 0 });
  expect(never.asked).toHaveLength(ATTEMPTS);
});

test("an error other than a lost connection ends an export at once", async () => {
  const { file, asked } = run(() => {
    throw new ApiFailure({ status: 403, code: "forbidden", message: "No." });
  });
  await expect(file).rejects.toMatchObject({ status: 403 });
  expect(asked).toHaveLength(1);
});
