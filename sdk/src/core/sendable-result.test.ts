import { expect, test } from "vitest";
import { sendableError, sendableResult } from "./sendable-result.ts";

/** With the quotes of its JSON. */
const ofBytes = (bytes: number): string => "x".repeat(bytes - 2);

test("a result of 900,000 bytes of JSON is sent, one byte more is an error [SD-90]", () => {
  expect(sendableResult("pageTitle", ofBytes(900_000))).toHaveLength(899_998);
  expect(() => sendableResult("pageTitle", ofBytes(900_001))).toThrow("900001 bytes of JSON, more than 900000");
  // Bytes, not characters.
  expect(() => sendableResult("pageTitle", "é".repeat(450_000))).toThrow("900002 bytes of JSON");
});

test("a result is sent as JSON has it [SD-90]", () => {
  const date = new Date(0);
  expect(sendableResult("now", { date, none: undefined, list: [undefined] })).toEqual({
    date: "1970-01-01T00:00:00.000Z",
    list: [null],
  });
  expect(sendableResult("now", undefined)).toBeNull();
  for (const result of [() => "a function", Symbol("s")])
    expect(() => sendableResult("now", result)).toThrow(
      `The result of now cannot be sent: JSON has no ${typeof result}.`,
    );
  expect(() => sendableResult("now", { file: new Blob(["x"]) })).toThrow("it holds binary data");
});

test("an error is a sentence of at most 2,000 characters [SD-90]", () => {
  expect(sendableError("pageTitle", new Error("x".repeat(2001)))).toHaveLength(2000);
  expect(sendableError("pageTitle", "a text")).toBe("a text");
  expect([sendableError("pageTitle", new Error()), sendableError("pageTitle", { code: 1 })]).toEqual([
    "pageTitle failed.",
    "pageTitle failed.",
  ]);
});
