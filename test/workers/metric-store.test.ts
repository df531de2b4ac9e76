/** The metrics: real counters, summed by the real object, as Prometheus and the console read them. */
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test, vi } from "vitest";
import { count, METRIC_STORE, sendCounts, type MetricStoreRpc } from "../../platform/metrics/counters.ts";
import { createEdge, openSession } from "../support/oracle/oracle-edge.ts";
import { linesOf, operator } from "../support/staff/metrics.ts";
import { staffEdge } from "../support/staff/staff-edge.ts";

const quiet = { warn: () => undefined };

async function valueOf(sample: string): Promise<number> {
  const line = (await linesOf()).find((each) => each.startsWith(`${sample} `));
  return line === undefined ? 0 : Number(line.slice(sample.length + 1));
}

/** Sends what this isolate has counted. */
async function sent(to: Parameters<typeof sendCounts>[0] = env): Promise<void> {
  const work: Promise<unknown>[] = [];
  sendCounts(to, (each) => void work.push(each), quiet);
  await Promise.all(work);
}

test("counters are added up over calls, and escape their labels [ALL-70]", async () => {
  await sent();
  const sample = 'gateway_calls_total{node="a \\"node\\"",code="OK"}';
  const before = await valueOf(sample);
  for (let calls = 0; calls < 3; calls += 1) count(env, "gateway_calls_total", { node: 'a "node"', code: "OK" });
  await sent();
  count(env, "gateway_calls_total", { node: 'a "node"', code: "OK" });
  await sent();
  expect(await valueOf(sample)).toBe(before + 4);
  const lines = await linesOf();
  expect(lines.at(-1)).toBe("");
  expect(lines).toContain("# TYPE gateway_calls_total counter");
  expect(lines).toContain("# TYPE oracle_credits_charged_total counter");
});

test("a run counts by outcome and model, with its tokens [ALL-70]", async () => {
  const { CHAT_SESSION, USER_VAULT, DATABASE, ASSETS } = env;
  const edge = await createEdge({ CHAT_SESSION, USER_VAULT, DATABASE, ASSETS });
  const before = await valueOf('oracle_runs_total{outcome="finished"}');
  const sessionId = await openSession(edge, 260);
  const call = { as: 260, body: { message: "hello" } };
  expect((await edge.call("POST", `/messages/${sessionId}`, call)).status).toBe(200);
  await expect.poll(() => valueOf('oracle_runs_total{outcome="finished"}'), { timeout: 10_000 }).toBe(before + 1);
  const lines = await linesOf();
  expect(lines.filter((line) => line.startsWith("oracle_tokens_total{"))).not.toEqual([]);
  expect(lines.join("\n")).not.toContain("did:");
});

test("hours are listed oldest first, and are kept for a week [ALL-73]", async () => {
  const store = env.METRIC_STORE.getByName(METRIC_STORE);
  await runInDurableObject(store, async (object, { storage }) => {
    await object.add([{ name: "oracle_runs_total", labels: '{"outcome":"aborted"}', value: 1 }]);
    const insert = "INSERT OR REPLACE INTO hours (hour, name, labels, value) VALUES (?, 'oracle_runs_total', ?, ?)";
    const hour = Math.floor(Date.now() / 3_600_000) * 3_600_000;
    for (const ago of [1, 30, 200]) storage.sql.exec(insert, hour - ago * 3_600_000, '{"outcome":"aborted"}', ago);
  });
  const read = async (query: string) => {
    const { status, body } = await staffEdge().browser().call("GET", `/staff/metrics${query}`, { headers: operator });
    return { status, body };
  };
  const aborted = async (query: string) =>
    ((await read(query)).body.data as { name: string; labels: object; value: number; hour: string }[]).filter(
      ({ labels }) => JSON.stringify(labels) === '{"outcome":"aborted"}',
    );
  const day = await aborted("");
  expect(day.map(({ name, value }) => [name, value])).toContainEqual(["oracle_runs_total", 1]);
  expect(day.map(({ hour }) => hour)).toEqual(day.map(({ hour }) => hour).toSorted());
  expect((await aborted("?hours=48")).map(({ value }) => value)).toContain(30);
  expect((await read("?hours=0")).status).toBe(400);
  expect((await read("?hours=1000")).status).toBe(400);

  const other = env.METRIC_STORE.getByName("a store of an old deployment");
  const rows = await runInDurableObject(other, async (object, { storage }) => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() - 200 * 3_600_000 });
    try {
      await object.add([{ name: "old_total", labels: "{}", value: 1 }]);
    } finally {
      vi.useRealTimers();
    }
    await object.add([{ name: "new_total", labels: "{}", value: 1 }]);
    return ["hours", "totals"].map((table) => storage.sql.exec(`SELECT name FROM ${table} ORDER BY name`).toArray());
  });
  expect(rows).toEqual([[{ name: "new_total" }], [{ name: "new_total" }, { name: "old_total" }]]);
});

test("an object stores a limited number of counters, and sums the others [ALL-71]", async () => {
  const store = env.METRIC_STORE.getByName("a full store");
  const increments = (from: number) =>
    Array.from({ length: 500 }, (_, index) => ({ name: "many_total", labels: `{"n":"${from + index}"}`, value: 1 }));
  for (let from = 0; from < 5_000; from += 500) await store.add(increments(from));
  await store.add([...increments(4_600).slice(0, 1), ...increments(5_000).slice(0, 3)]);
  const totals = await store.totals();
  expect(totals).toHaveLength(5_001);
  expect(totals.find(({ name }) => name === "metrics_refused_total")?.value).toBe(3);
  expect(totals.find(({ labels }) => labels === '{"n":"4600"}')?.value).toBe(2);
});

test("increments that could not be stored are sent again, and memory stays bounded [ALL-71]", async () => {
  let isDown = true;
  const target = env.METRIC_STORE.getByName("a store that fails at first");
  const failing: MetricStoreRpc = {
    async add(increments) {
      if (isDown) throw new Error("unreachable");
      await target.add(increments);
    },
    totals: () => target.totals(),
    hours: (since) => target.hours(since),
  };
  const namespace = { METRIC_STORE: { getByName: () => failing } };
  for (let node = 0; node < 600; node += 1) count(namespace, "gateway_calls_total", { node: `${node}`, code: "OK" });
  await sent(namespace);
  isDown = false;
  count(namespace, "gateway_calls_total", { node: "0", code: "OK" });
  await sent(namespace);
  const totals = await target.totals();
  expect(totals).toHaveLength(500);
  expect(totals.find(({ labels }) => labels.includes('"0"'))?.value).toBe(2);
});
