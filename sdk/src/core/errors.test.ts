import { expect, test } from "vitest";
import { RequestError } from "./errors.ts";

test("a refusal contains its claims under both names", () => {
  const error = new RequestError("Payment required", { status: 402, claims: ["1"] });
  expect([error.claims, error.outstandingClaims, error.status]).toEqual([["1"], ["1"], 402]);
});
