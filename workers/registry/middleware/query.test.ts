/** Query parameters and pages: contract/registry.md sections 2 and 4.2. */
import { Hono } from "hono";
import { expect, test } from "vitest";
import { refuse, type RegistryHono } from "../context.ts";
import { answerPage, pageLimitOf, queryOf } from "./query.ts";

const app = new Hono<RegistryHono>();
app.get("/v1/things", (c) => {
  const query = queryOf(c, ["limit", "cursor", "did"]);
  const limit = query.ok ? pageLimitOf(query.value) : query;
  if (!limit.ok) return refuse(c, limit.error);
  return answerPage(c, { items: [1], limit: limit.value, nextCursor: limit.value === 1 ? "a_-" : null });
});
const ask = (query: string) => app.request(`https://h/v1/things${query}`, {}, { path: "/", requestId: "r" });

test.each([
  ["", 20],
  ["?limit=1", 1],
  ["?limit=100", 100],
  ["?limit=007", 7],
])("limit of %j is %i", async (query, limit) => {
  expect(await (await ask(query)).json()).toMatchObject({ page: { limit } });
});

test.each(["0", "101", "-1", "1.5", "", "ten", "1e1", " 7", "99999999999"])("limit=%s is refused", async (limit) => {
  const response = await ask(`?limit=${encodeURIComponent(limit)}`);
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ code: "invalid_page_size", errors: [{ parameter: "limit" }] });
});

test("every unknown parameter is named, once", async () => {
  const response = await ask("?limit=1&Did=x&foo=1&foo=2");
  expect(await response.json()).toMatchObject({
    status: 400,
    code: "unknown_parameter",
    errors: [{ parameter: "Did" }, { parameter: "foo" }],
  });
});

test("the link to the next page keeps the filters and changes the cursor", async () => {
  const response = await ask("?limit=1&did=did%3Ax%3Aa&cursor=old");
  expect(response.headers.get("Link")).toBe('</v1/things?limit=1&did=did%3Ax%3Aa&cursor=a_->; rel="next"');
  expect(await response.json()).toEqual({ data: [1], page: { limit: 1, hasMore: true, nextCursor: "a_-" } });
  const last = await ask("");
  expect(last.headers.get("Link")).toBeNull();
  expect(await last.json()).toEqual({ data: [1], page: { limit: 20, hasMore: false, nextCursor: null } });
});
