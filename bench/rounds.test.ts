/** Sides measured in turns. */
import { expect, test } from "vitest";
import { inTurns } from "./rounds.ts";

test("sides take turns, and the first try of each is not counted", async () => {
  const order: string[] = [];
  const side = (name: string) => async () => order.push(name);
  const samples = await inTurns(2, { a: side("a"), b: side("b") });
  expect(order).toEqual(["a", "b", "a", "b", "a", "b"]);
  expect(samples).toEqual({ a: [3, 5], b: [4, 6] });
});

test("a failing side ends the measurement", async () => {
  const broken = async () => Promise.reject(new Error("refused"));
  await expect(inTurns(1, { a: async () => 1, b: broken })).rejects.toThrow("refused");
});
