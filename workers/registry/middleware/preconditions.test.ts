/** If-Match and If-None-Match: contract/registry.md sections 4.1 and 5, RFC 9110 section 13.1. */
import { Hono } from "hono";
import { expect, test } from "vitest";
import { refuse, type RegistryHono } from "../context.ts";
import { answerUnlessKnown, ifMatch } from "./preconditions.ts";

const app = new Hono<RegistryHono>();
app.get("/", (c) => answerUnlessKnown(c, { etag: '"v3"', lastModified: "2026-11-21T09:00:00.5Z" }, { version: 3 }));
app.patch("/", (c) => {
  const unmet = ifMatch(c, '"v3"');
  return unmet === undefined ? c.json({}) : refuse(c, unmet);
});
const ask = (method: string, headers: Record<string, string>) =>
  app.request("/", { method, headers }, { path: "/", requestId: "r" });

test.each<[Record<string, string>, number]>([
  [{ "If-Match": '"v3"' }, 200],
  [{ "If-Match": '"v1", "v3"' }, 200],
  [{ "If-Match": "*" }, 200],
  [{ "If-Match": ' "v3" ' }, 200],
  [{}, 428],
  [{ "If-Match": "" }, 428],
  [{ "If-Match": '"v2"' }, 412],
  [{ "If-Match": 'W/"v3"' }, 412],
  [{ "If-Match": "v3" }, 412],
  [{ "If-Match": '"v33"' }, 412],
  [{ "If-Match": '"*"' }, 412],
])("a write under %j is a %i", async (headers, status) => {
  const response = await ask("PATCH", headers);
  expect(response.status).toBe(status);
  expect(response.headers.get("ETag")).toBe(status === 412 ? '"v3"' : null);
});

test.each<[string | undefined, number]>([
  [undefined, 200],
  ['"v3"', 304],
  ['W/"v3"', 304],
  ['"v1", W/"v3"', 304],
  ["*", 304],
  ['"v2"', 200],
  ["v3", 200],
])("a read under If-None-Match %j is a %i", async (tag, status) => {
  const response = await ask("GET", tag === undefined ? {} : { "If-None-Match": tag });
  expect(response.status).toBe(status);
  expect(response.headers.get("ETag")).toBe('"v3"');
  expect(response.headers.get("Last-Modified")).toBe("Sat, 21 Nov 2026 09:00:00 GMT");
  expect(await response.text()).toBe(status === 304 ? "" : '{"version":3}');
});
