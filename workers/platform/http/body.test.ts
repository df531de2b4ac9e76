import { expect, test } from "vitest";
import * as z from "zod";
import { describeIssues, readJsonBody } from "./body.ts";

const schema = z.record(z.string(), z.string({ error: "must be a string" }));

function describe(body: object): string {
  const { error } = schema.safeParse(body);
  return error === undefined ? "" : describeIssues(error);
}

const numbers = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`n${at}`, at]));

test("ten faults are told one by one, more are counted", () => {
  const ten = Array.from({ length: 10 }, (_, at) => `n${at} must be a string`).join("; ");
  expect(describe(numbers(10))).toBe(ten);
  expect(describe(numbers(11))).toBe(`${ten}; and 1 more`);
});

test("a place of the caller's own naming is cut", () => {
  expect(describe({ ["a".repeat(101)]: 1 })).toBe(`${"a".repeat(100)} must be a string`);
});

test("a refusal does not grow with the body", async () => {
  const request = new Request("https://edge.test", { method: "POST", body: JSON.stringify(numbers(20_000)) });
  const refused = await readJsonBody(request, schema, 1_000_000);
  expect(refused).toMatchObject({ ok: false, error: { code: "invalid_request" } });
  expect(JSON.stringify(refused).length).toBeLessThan(500);
});
