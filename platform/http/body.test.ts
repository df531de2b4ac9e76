import { expect, test } from "vitest";
import * as z from "zod";
import { describeIssues, readBody, readJsonBody } from "./body.ts";

const schema = z.record(z.string(), z.string({ error: "must be a string" }));

function describe(body: object): string {
  const { error } = schema.safeParse(body);
  return error === undefined ? "" : describeIssues(error);
}

const numbers = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`n${at}`, at]));

test("ten faults are listed individually, further ones are counted", () => {
  const ten = Array.from({ length: 10 }, (_, at) => `n${at} must be a string`).join("; ");
  expect(describe(numbers(10))).toBe(ten);
  expect(describe(numbers(11))).toBe(`${ten}; and 1 more`);
});

test("a place that the caller names is cut", () => {
  expect(describe({ ["a".repeat(101)]: 1 })).toBe(`${"a".repeat(100)} must be a string`);
});

test.each([{}, { days: "soon" }])("a number that is missing or not numeric must be a number: %o [OR-201]", (query) => {
  const { error } = z.object({ days: z.coerce.number() }).safeParse(query);
  expect(error && describeIssues(error)).toBe("days must be a number");
});

test("the length of a refusal does not depend on the body", async () => {
  const request = new Request("https://edge.test", { method: "POST", body: JSON.stringify(numbers(20_000)) });
  const refused = await readJsonBody(request, schema, 1_000_000);
  expect(refused).toMatchObject({ ok: false, error: { code: "invalid_request" } });
  expect(JSON.stringify(refused).length).toBeLessThan(500);
});

/** A request whose body arrives in these pieces. */
function inPieces(pieces: readonly Uint8Array[], headers: HeadersInit = {}): Request {
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const piece of pieces) controller.enqueue(piece);
      controller.close();
    },
  });
  return new Request("https://edge.test", { method: "POST", headers, body, duplex: "half" } as RequestInit);
}

const bytes = (text: string) => new TextEncoder().encode(text);

test("bytes are counted as they arrive, whatever Content-Length claims", async () => {
  const pieces = [bytes("é".repeat(4)), bytes("abcd")];
  const claimed = { "Content-Length": "1" };
  expect(await readBody(inPieces(pieces, claimed), 12)).toEqual({ ok: true, value: "ééééabcd" });
  expect(await readBody(inPieces(pieces, claimed), 11)).toMatchObject({ ok: false, error: { code: "too_large" } });
});

test("reading can end at the limit, without waiting for the rest", async () => {
  let pulled = 0;
  const endless = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        pulled += 1;
        controller.enqueue(new Uint8Array(10));
      },
    },
    { highWaterMark: 0 },
  );
  const request = new Request("https://edge.test", { method: "POST", body: endless, duplex: "half" } as RequestInit);
  expect((await readBody(request, 25, { drainBytes: 0 })).ok).toBe(false);
  expect(pulled).toBe(3);
});

test("a character may be cut between two pieces; invalid UTF-8 is refused", async () => {
  const [first, second] = [bytes("🎉").slice(0, 2), bytes("🎉").slice(2)];
  expect(await readBody(inPieces([first, second]), 4)).toEqual({ ok: true, value: "🎉" });
  expect(await readBody(inPieces([first]), 4)).toMatchObject({ ok: false, error: { code: "invalid_request" } });
  expect(await readBody(inPieces([Uint8Array.of(0xff)]), 4)).toMatchObject({ ok: false });
});

test("a body is JSON by its first character, whatever its type", async () => {
  for (const type of ["text/plain", "application/x-www-form-urlencoded", "application/json"]) {
    const request = inPieces([bytes(' \n{"a":"b"}')], { "Content-Type": type });
    expect(await readJsonBody(request, schema, 100)).toEqual({ ok: true, value: { a: "b" } });
  }
  expect(await readBody(new Request("https://edge.test", { method: "POST" }), 100)).toEqual({ ok: true, value: "" });
});
