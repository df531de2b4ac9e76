/** Equal concurrent requests, and aged responses: over a real gRPC-web node on a port. */
import { Code, ConnectError } from "@connectrpc/connect";
import { describe, expect, test } from "vitest";
import { fixtureImage } from "../../../test/support/query-gateway/gateway-fixture.ts";
import { gatewayNode } from "../../../test/support/query-gateway/gateway-node.ts";
import { echo, type NodeHandler } from "../../../test/support/query-gateway/grpc-web-node.ts";
import { createManualClock } from "../../../test/support/clocks/manual-clock.ts";
import { createSingleFlight } from "./single-flight.ts";

const gateway = gatewayNode(fixtureImage());
const { edge, callsDuring } = gateway;

/** A node that responds when the test releases it. */
function held() {
  const begun = Promise.withResolvers<void>();
  const goOn = Promise.withResolvers<void>();
  gateway.handler = async (...call) => {
    begun.resolve();
    await goOn.promise;
    return echo(...call);
  };
  return { begun: begun.promise, goOn: goOn.resolve };
}

/** Lets pending requests proceed as far as they can. */
const pause = (milliseconds = 20) => new Promise((resolve) => setTimeout(resolve, milliseconds));
const height = (value: string) => ({ headers: { "x-cosmos-block-height": value } });

describe("equal concurrent requests [QG-106]", () => {
  test("twenty are one call, and each gets the whole response", async () => {
    const { begun, goOn } = held();
    const { ask, call } = edge();
    const times = await callsDuring(async () => {
      const answers = Array.from({ length: 19 }, () => ask("/t/x"));
      const head = call("HEAD /t/x");
      await begun;
      await pause();
      goOn();
      const all = await Promise.all(answers);
      expect(new Set(all.map(({ text }) => text)).size).toBe(1);
      for (const { status, body, headers } of all)
        expect([status, body.id, headers.get("X-Cosmos-Block-Height")]).toEqual([200, "x", "7"]);
      expect(
        all.filter(({ headers }) => headers.get("Cache-Status") === "query-gateway; fwd=miss; collapsed"),
      ).toHaveLength(18);
      expect((await head).headers.get("Content-Length")).toBe(String(all[0]?.text.length));
    });
    expect(times).toBe(1);
    expect(await callsDuring(() => ask("/t/x"))).toBe(1);
  });

  test("another path, parameter, height, profile or timeout is another call", async () => {
    const { begun, goOn } = held();
    const { ask } = edge();
    const times = await callsDuring(async () => {
      const answers = [
        ask("/t/x"),
        ask("/t/y"),
        ask("/t/x?i32=1"),
        ask("/t/x", height("5")),
        ask("/t/x", { headers: { "Grpc-Timeout": "9S" } }),
        ask("/resp/x"),
        edge({ name: "another" }).ask("/t/x"),
      ];
      await begun;
      await pause(50);
      goOn();
      await Promise.all(answers);
    });
    expect(times).toBe(7);
  });

  test("a request that is not a GET is not shared", async () => {
    const { begun, goOn } = held();
    const { ask } = edge();
    const times = await callsDuring(async () => {
      const answers = [1, 2].map(() => ask("POST /post", { body: "{}" }));
      await begun;
      await pause();
      goOn();
      await Promise.all(answers);
    });
    expect(times).toBe(2);
  });

  test("a GET of a method with side effects is not shared, and its response is not cached", async () => {
    const { begun, goOn } = held();
    const { ask } = edge({ cache: { latestSeconds: 60 }, upstream: { retries: 0, once: ["gwtest.v1.T/*"] } });
    const times = await callsDuring(async () => {
      const answers = [1, 2].map(() => ask("/t/x"));
      await begun;
      await pause();
      goOn();
      for (const { headers } of await Promise.all(answers)) expect(headers.get("Cache-Control")).toBe("no-store");
      await ask("/t/x");
    });
    expect(times).toBe(3);
  });

  test("the first caller disconnects: the others get their response, from that call", async () => {
    const { begun, goOn } = held();
    const { ask, call } = edge();
    const first = new AbortController();
    const times = await callsDuring(async () => {
      const left = call("/t/x", { signal: first.signal });
      await begun;
      const others = [1, 2, 3].map(() => ask("/t/x"));
      await pause();
      first.abort();
      expect((await left).status).toBe(408);
      goOn();
      for (const { status, body } of await Promise.all(others)) expect([status, body.id]).toEqual([200, "x"]);
    });
    expect(times).toBe(1);
  });

  test("all callers disconnect: the call ends, and the next caller starts another", async () => {
    const { begun, goOn } = held();
    const { call, ask } = edge();
    const first = new AbortController();
    const left = call("/t/x", { signal: first.signal });
    await begun;
    first.abort();
    expect((await left).status).toBe(408);
    gateway.handler = echo;
    expect((await ask("/t/x")).status).toBe(200);
    goOn();
  });

  test("a later caller does not fail when the first one times out", async () => {
    let calls = 0;
    gateway.handler = async (...call) => {
      calls += 1;
      return calls === 1 ? new Promise(() => undefined) : echo(...call);
    };
    const { ask } = edge({ limits: { timeoutMs: 300 } });
    const first = ask("/t/x");
    await pause(150);
    const second = ask("/t/x");
    expect((await first).status).toBe(504);
    expect((await second).status).toBe(200);
    expect(calls).toBe(2);
  });

  test("an error is shared, and is not cached", async () => {
    gateway.handler = () => {
      throw new ConnectError("no", Code.NotFound);
    };
    const { ask } = edge();
    const times = await callsDuring(async () => {
      for (const { status, body } of await Promise.all([1, 2, 3].map(() => ask("/t/x"))))
        expect([status, body.code]).toEqual([404, 5]);
    });
    expect(times).toBe(1);
    expect(await callsDuring(() => ask("/t/x"))).toBe(1);
  });
});

describe("stale responses at the latest height [QG-104]", () => {
  const outage: NodeHandler = () => {
    throw new ConnectError("away", Code.Unavailable);
  };
  const clock = { now: Date.parse("2026-11-21T09:00:00Z") };
  const aged = (cache: object) => edge({ cache }, {}, { clock: () => clock.now });

  test("a fresh one has its age", async () => {
    const { ask } = aged({ latestSeconds: 10 });
    expect((await ask("/t/x")).headers.has("Age")).toBe(false);
    clock.now += 4_200;
    const { headers } = await ask("/t/x");
    expect([headers.get("Age"), headers.get("Cache-Status")]).toEqual(["4", "query-gateway; hit; ttl=6"]);
    expect(headers.get("Cache-Control")).toBe("max-age=10");
  });

  test("stale-while-revalidate: it is served at once while one call fetches the next", async () => {
    const { ask, settled } = aged({ latestSeconds: 2, staleWhileRevalidateSeconds: 5 });
    const first = await ask("/t/x");
    expect(first.headers.get("Cache-Control")).toBe("max-age=2, stale-while-revalidate=5");
    clock.now += 3_000;
    const { begun, goOn } = held();
    const times = await callsDuring(async () => {
      for (const { text, headers } of await Promise.all([1, 2, 3].map(() => ask("/t/x")))) {
        expect([text, headers.get("Age"), headers.get("Cache-Status")]).toEqual([
          first.text,
          "3",
          "query-gateway; hit; ttl=-1",
        ]);
      }
      await begun;
      goOn();
      await settled();
    });
    expect(times).toBe(1);
    const next = await ask("/t/x");
    expect([next.headers.get("Age"), next.headers.get("Cache-Status")]).toEqual(["0", "query-gateway; hit; ttl=2"]);
    clock.now += 6_999;
    expect(await callsDuring(async () => (await ask("/t/x"), settled()))).toBe(1);
    clock.now += 7_000;
    const late = await ask("/t/x");
    expect(late.headers.has("Age")).toBe(false);
  });

  test("stale-if-error: it is served instead of an outage, up to its limit, and marked", async () => {
    const { ask } = aged({ latestSeconds: 0, staleIfErrorSeconds: 60 });
    const first = await ask("/t/x");
    expect(first.headers.get("Cache-Control")).toBe("max-age=0, stale-if-error=60");
    gateway.handler = outage;
    clock.now += 59_999;
    const { status, text, headers } = await ask("/t/x");
    expect([status, text, headers.get("Age"), headers.get("Cache-Status")]).toEqual([
      200,
      first.text,
      "59",
      "query-gateway; fwd=stale; fwd-status=503; ttl=-59",
    ]);
    expect(headers.get("X-Cosmos-Block-Height")).toBe("7");
    clock.now += 1;
    expect((await ask("/t/x")).status).toBe(503);
  });

  test("a node's own error is a response, and not replaced by a stale one", async () => {
    const { ask } = aged({ staleIfErrorSeconds: 60 });
    await ask("/t/x");
    gateway.handler = () => {
      throw new ConnectError("gone", Code.NotFound);
    };
    expect((await ask("/t/x")).status).toBe(404);
  });

  test("it is fetched each time, and never served for a requested height", async () => {
    const { ask } = aged({ staleIfErrorSeconds: 60 });
    expect(await callsDuring(() => ask("/t/x"))).toBe(1);
    expect(await callsDuring(() => ask("/t/x"))).toBe(1);
    gateway.handler = outage;
    expect((await ask("/t/x", height("3"))).status).toBe(503);
  });
});

test("a call that never ends is not joined after its caller has timed out [QG-106]", async () => {
  const clock = createManualClock();
  const calls = createSingleFlight<string>(clock.now);
  const ask = (begin: () => Promise<string>) => calls.share("key", { timeoutMs: 20 }, begin, () => undefined);
  // If the platform ends a request, its timers and its fetch end too.
  const dead = ask(() => new Promise(() => undefined));
  clock.advance(19);
  const joined = ask(async () => "not asked");
  clock.advance(1);
  expect(await ask(async () => "new")).toEqual({ kind: "shared", value: "new", isOwn: true });
  expect([await dead, await joined]).toEqual([{ kind: "timeout" }, { kind: "timeout" }]);
});
