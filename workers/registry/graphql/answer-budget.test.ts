/** What one request may read and answer, at the limit and beyond. */
import { expect, test } from "vitest";
import { ANSWER_LENGTH, createAnswerBudget, READ_LENGTH } from "./answer-budget.ts";

test("an answer is counted value by value, a repeated one each time", () => {
  const budget = createAnswerBudget();
  const half = "x".repeat(ANSWER_LENGTH / 2);
  budget.answer(half);
  budget.answer(half);
  budget.answer(7);
  budget.answer(null);
  expect(() => budget.answer("y")).toThrow(/larger than 16777216 characters/);
});

test("an object counts as its JSON", () => {
  const budget = createAnswerBudget();
  const value = { text: "x".repeat(ANSWER_LENGTH / 2 - '{"text":""}'.length) };
  budget.answer(value);
  budget.answer(value);
  expect(() => budget.answer("y")).toThrow(/larger than/);
});

test("the page that goes over is used, the one behind it is not read", async () => {
  const budget = createAnswerBudget();
  const read: string[] = [];
  const page = (name: string, length: number) =>
    budget.read(async () => {
      read.push(name);
      return [{ name, text: "x".repeat(length) }];
    });
  const pages = await Promise.allSettled([page("a", READ_LENGTH - 2), page("b", 1), page("c", 1)]);
  expect(pages.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled", "rejected"]);
  expect(read).toEqual(["a", "b"]);
  expect(() => budget.hold({})).toThrow(/reads too much/);
});

test("a read that fails leaves the next one to run", async () => {
  const budget = createAnswerBudget();
  const failed = budget.read(() => Promise.reject(new Error("no storage")));
  const next = budget.read(async () => [{ id: "a" }]);
  await expect(failed).rejects.toThrow("no storage");
  await expect(next).resolves.toEqual([{ id: "a" }]);
});
