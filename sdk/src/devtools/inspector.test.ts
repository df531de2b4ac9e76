import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { InspectedEntry } from "../core/client-settings.ts";
import { createInspector, MAX_ENTRIES, MAX_DETAIL_LENGTH, MAX_UNBROKEN_LENGTH, redacted } from "./inspector.ts";

const numRuns = Number(process.env["PROPERTY_RUNS"] ?? 100);
const request = (name: string): InspectedEntry => ({ at: 0, kind: "request", name });

/** The entries that a listener has received. */
async function kept(...entries: InspectedEntry[]) {
  const inspector = createInspector();
  for (const entry of entries) inspector.inspect?.(entry);
  await new Promise<void>((resolve) => {
    const leave = inspector.subscribe(() => {
      leave();
      resolve();
    });
  });
  return inspector.getSnapshot();
}

describe("the devtools' memory is bounded [SD-201]", () => {
  test(`it keeps the newest ${MAX_ENTRIES} entries`, async () => {
    expect(MAX_ENTRIES).toBe(500);
    const all = Array.from({ length: MAX_ENTRIES + 1 }, (_, index) => request(`GET /${index}`));
    const entries = await kept(...all);
    expect([entries.length, entries[0]?.name, entries.at(-1)?.name]).toEqual([500, "GET /1", "GET /500"]);
    expect((await kept(...all.slice(1)))[0]?.name).toBe("GET /1");
  });

  test(`keeps ${MAX_DETAIL_LENGTH} characters of one detail`, async () => {
    const words = "word ".repeat(2000);
    expect(MAX_DETAIL_LENGTH).toBe(4096);
    const [entry] = await kept({ ...request("GET /"), detail: words });
    expect(entry?.detail).toBe(`"${words}`.slice(0, 4096) + "…");
    const whole = "word ".repeat(100);
    expect((await kept({ ...request("GET /"), detail: whole }))[0]?.detail).toBe(JSON.stringify(whole));
  });

  test("consecutive pieces of a text are one entry", async () => {
    const frame = (name: string, content: string): InspectedEntry => ({
      at: 0,
      kind: "frame",
      name,
      detail: { content },
    });
    const pieces = Array.from({ length: 5000 }, (_, index) => frame("message", `${index}`));
    const entries = await kept(frame("run", ""), ...pieces, frame("done", ""));
    expect(entries.map(({ name, count }) => [name, count])).toEqual([
      ["run", 1],
      ["message", 5000],
      ["done", 1],
    ]);
    expect(entries[1]?.detail).toContain("4999");
  });
});

describe("the devtools hold no token [SD-202]", () => {
  const token = fc.stringMatching(new RegExp(`^[A-Za-z0-9+/_-]{${MAX_UNBROKEN_LENGTH},2000}={0,2}$`));

  test("under any name, in any text and at any depth", () => {
    const place = fc.constantFrom<(value: string) => unknown>(
      (value) => value,
      (value) => `Bearer ${value}`,
      (value) => ({ headers: { authorization: `Bearer ${value}` } }),
      (value) => [{ deep: [{ raw: value }] }],
      (value) => ({ message: `refused: ${value}.` }),
    );
    fc.assert(
      fc.property(token, place, (value, put) => {
        expect(redacted(put(value))).not.toContain(value.slice(0, 24));
      }),
      { numRuns },
    );
  });

  test("nor a value whose name says that it is secret, however short", () => {
    const detail = {
      accessToken: "short",
      invocation: "short",
      "x-ucan-delegation": "short",
      password: { is: "short" },
    };
    expect(redacted(detail)).not.toContain("short");
    expect(redacted({ tokens: 3, hasDelegation: true })).toContain("3");
  });

  test("the name of an entry is treated alike", async () => {
    const [entry] = await kept(request(`GET /login?code=${"a".repeat(MAX_UNBROKEN_LENGTH)}`));
    expect(entry?.name).toBe("GET /login?[left out]");
  });

  test("ids of runs and sessions stay readable", () => {
    const id = `${crypto.randomUUID()}.${crypto.randomUUID()}`;
    expect(redacted({ runId: id })).toContain(id);
  });

  test("a value that cannot be written as JSON loses the detail, not the page", () => {
    const circle: Record<string, unknown> = {};
    circle["self"] = circle;
    expect(redacted(circle)).toBe("[cannot be shown]");
    expect(redacted({ big: 1n })).toBe("[cannot be shown]");
  });
});

test("the snapshot changes only when listeners are called", async () => {
  const inspector = createInspector();
  const before = inspector.getSnapshot();
  inspector.inspect?.(request("GET /"));
  expect(inspector.getSnapshot()).toBe(before);
  await new Promise<void>((resolve) => void inspector.subscribe(resolve));
  expect(inspector.getSnapshot()).toHaveLength(1);
});
