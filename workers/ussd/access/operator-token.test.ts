import { expect, test } from "vitest";
import { judgeOperator } from "./operator-token.ts";

const TOKEN = "0123456789abcdef01234567";

test.each([
  [`Bearer ${TOKEN}`, "granted"],
  [`bearer   ${TOKEN}`, "granted"],
  [`Bearer ${TOKEN}x`, "refused"],
  [`Bearer ${TOKEN.slice(1)}`, "refused"],
  ["Bearer ", "refused"],
  [TOKEN, "refused"],
  [`Basic ${TOKEN}`, "refused"],
  ["", "refused"],
  [null, "refused"],
])("%j is %s", async (header, verdict) => {
  expect(await judgeOperator(header, TOKEN)).toBe(verdict);
});

test("without a configured token nobody is an operator", async () => {
  expect(await judgeOperator("Bearer undefined", undefined)).toBe("absent");
  expect(await judgeOperator(null, undefined)).toBe("absent");
});
