/** Limits on the data that one request can read and return. */
import { expect, test } from "vitest";
import { ANSWER_LENGTH, createAnswerBudget, READ_LENGTH } from "./answer-budget.ts";

test("counts a response value by value, and repeated values each time", () => {
  const budget = createAnswerBudget();
  const half = "x".repeat(ANSWER_LENGTH / 2);
  budget.answer(half);
  budget.answer(half);
  budget.answer(7);
  budget.answer(null);
  expect(() => budget.answer("y")).toThrow(/larger than 16777216 characters/);
});

test("counts an object as its JSON", () => {
  const budget = createAnswerBudget();
  const value = { text: "x".repeat(ANSWER_LENGTH / 2 - '{"text":""}'.length) };
  budget.answer(value);
  budget.answer(value);
  expect(() => budget.answer("y")).toThrow(/larger than/);
});

test("uses the page that exceeds the limit, and does not read the next page", async () => {
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

test("a failed read does not block the next one", async () => {
  const budget = createAnswerBudget();
  const failed = budget.read(() => Promise.reject(new Error("no storage")));
  const next = budget.read(async () => [{ id: "a" }]);
  await expect(failed).rejects.toThrow("no storage");
  await expect(next).resolves.toEqual([{ id: "a" }]);
});
