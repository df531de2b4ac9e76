/** The limit of a public route per network and minute. */
import { Hono } from "hono";
import { expect, test } from "vitest";
import { createLogger } from "../../../platform/log.ts";
import type { OracleHono } from "./failures.ts";
import { countNetwork } from "./limits.ts";

const LIMIT = 3;

test("a network has its requests per minute, then a 429 with the wait; another network is not affected [OR-486]", async () => {
  let now = 1_700_000_000_000;
  const app = new Hono<OracleHono>().get(
    "/public",
    countNetwork(LIMIT, () => now),
    (c) => c.text("served"),
  );
  const bindings = { env: {} as Env, requestId: "req-1", log: createLogger({}, () => undefined) };
  const from = (address: string) => app.request("/public", { headers: { "CF-Connecting-IP": address } }, bindings);
  for (let left = LIMIT; left > 0; left -= 1) expect((await from("203.0.113.7")).status).toBe(200);
  now += 15_000;
  const refused = await from("203.0.113.7");
  expect([refused.status, refused.headers.get("Retry-After")]).toEqual([429, "45"]);
  expect(await refused.json()).toMatchObject({ statusCode: 429, code: "rate_limited", retryable: true });
  expect((await from("203.0.113.8")).status).toBe(200);
  // An IPv6 subscriber has a /64.
  for (let left = LIMIT; left > 0; left -= 1) expect((await from(`2001:db8::${left}`)).status).toBe(200);
  expect((await from("2001:db8::ffff")).status).toBe(429);
  now += 45_000;
  expect((await from("203.0.113.7")).status).toBe(200);
});
