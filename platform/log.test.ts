/** Descriptions of thrown values, and log lines without secrets. */
import { expect, test } from "vitest";
import { createLogger, describeThrown, REASON_LENGTH, withoutSecretsOf } from "./log.ts";

test.each<[string, unknown]>([
  ["an object without a prototype", Object.create(null)],
  [
    "an object whose text throws",
    {
      toString() {
        throw new Error("no text");
      },
    },
  ],
  ["an error whose message is a symbol", Object.assign(new Error(), { message: Symbol("no text") })],
  [
    "an error whose message throws",
    Object.defineProperty(new Error(), "message", {
      get() {
        throw new Error("no text");
      },
    }),
  ],
])("%s is still described [OR-230]", (_, thrown) => {
  expect(describeThrown(thrown)).toBe("a value that has no text");
});

test("a description is cut, and a secret that the cut splits is found [OR-228]", () => {
  expect(REASON_LENGTH).toBe(500);
  const lines: string[] = [];
  const secret = "an-api-key-of-thirty-characters";
  const sink = withoutSecretsOf({ A_KEY: secret }, (_, line) => void lines.push(line));
  const reason = describeThrown(new Error(`${"x".repeat(475)}${secret}`));
  expect(reason).toHaveLength(500);
  createLogger({ surface: "oracle" }, sink).warn("tool-failed", { reason, settings: { [secret]: `"${secret}\n"` } });
  expect(lines).toEqual([
    JSON.stringify({
      level: "warn",
      event: "tool-failed",
      surface: "oracle",
      reason: `Error: ${"x".repeat(475)}[A_KEY]`,
      settings: { "[A_KEY]": '"[A_KEY]\n"' },
    }),
  ]);
});
