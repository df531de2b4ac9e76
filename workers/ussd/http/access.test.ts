import { expect, test } from "vitest";
import { authenticateOperator } from "./access.ts";

const TOKEN = "0123456789abcdef01234567";

test.each([
  [`Bearer ${TOKEN}`, "granted"],
  [`bearer   ${TOKEN}`, "granted"],
  [`Bearer ${TOKEN}x`, "denied"],
  [`Bearer ${TOKEN.slice(1)}`, "denied"],
  ["Bearer ", "denied"],
  [TOKEN, "denied"],
  [`Basic ${TOKEN}`, "denied"],
  ["", "denied"],
  [undefined, "denied"],
])("%j is %s [PH-94]", async (header, verdict) => {
  expect(await authenticateOperator(header, TOKEN)).toBe(verdict);
});

test("without a configured token operators are disabled [PH-94]", async () => {
  expect(await authenticateOperator("Bearer undefined", undefined)).toBe("disabled");
  expect(await authenticateOperator(undefined, undefined)).toBe("disabled");
});
