/** `GET /metrics`: who reads it, and what the registry and the phone gateway add, on both databases. */
import { expect, test } from "vitest";
import { linesOf } from "../../support/staff/metrics.ts";
import { staffEdge } from "../../support/staff/staff-edge.ts";

test("only the operator, and staff, read the metrics [ALL-70]", async () => {
  const edge = staffEdge();
  const stranger = await edge.browser().call("GET", "/metrics");
  expect(stranger.status).toBe(401);
  const wrong = { headers: { Authorization: "Bearer wrong" } };
  expect((await edge.browser().call("GET", "/metrics", wrong)).status).toBe(401);
  const { page } = await edge.signedIn("viewer");
  const read = await page.call("GET", "/metrics");
  expect([read.status, read.headers.get("Content-Type"), read.headers.get("Cache-Control")]).toEqual([
    200,
    "text/plain; version=0.0.4; charset=utf-8",
    "no-store",
  ]);
});

test("the registry and the phone gateway add their numbers; a source that fails is reported [ALL-72]", async () => {
  const lines = await linesOf(staffEdge({ DATABASE_MAX_BYTES: "1000000000" }));
  expect(lines).toContain('metrics_source_up{source="registry"} 1');
  expect(lines).toContain('metrics_source_up{source="ussd"} 1');
  expect(lines).toContain("# TYPE ussd_sessions_total counter");
  expect(lines.filter((line) => /^(registry_open_proposals|database_used_bytes) \d+$/.test(line))).toHaveLength(2);
  const broken = await linesOf(staffEdge({ DATABASE_MAX_BYTES: "many" }));
  expect(broken).toContain('metrics_source_up{source="registry"} 0');
  expect(broken).toContain('metrics_source_up{source="ussd"} 1');
});
