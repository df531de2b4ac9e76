/** A chain profile over a real gRPC-web node on a port: caches, heights, streams, gate, rate. */
import { create } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { describe, expect, test } from "vitest";
import { fixtureImage } from "../../../test/support/query-gateway/gateway-fixture.ts";
import { gatewayNode } from "../../../test/support/query-gateway/gateway-node.ts";
import type { NodeHandler } from "../../../test/support/query-gateway/grpc-web-node.ts";
import { USUAL_RATE_PER_MINUTE } from "../deployments/settings.ts";
import { nodeHeader } from "./response.ts";

const gateway = gatewayNode(fixtureImage());
const { edge, callsDuring } = gateway;

/** Answers from the requested height, or from 100. */
const atHeights: NodeHandler = ({ message, headers }, context) => {
  context.responseHeader.set("x-cosmos-block-height", headers.get("x-cosmos-block-height") ?? "100");
  return message;
};

const height = (value: string) => ({ headers: { "x-cosmos-block-height": value } });

describe("heights and caches", () => {
  test("V91: the height goes to the node; an invalid one is refused without a call [QG-36]", async () => {
    const { ask } = edge();
    await ask("/t/x", height("42"));
    expect(gateway.seen.at(-1)?.headers.get("x-cosmos-block-height")).toBe("42");
    await ask("/t/x", { headers: { "Grpc-Metadata-X-Cosmos-Block-Height": "41" } });
    expect(gateway.seen.at(-1)?.headers.get("x-cosmos-block-height")).toBe("41");
    await ask("/t/x", height("0"));
    expect(gateway.seen.at(-1)?.headers.has("x-cosmos-block-height")).toBe(false);
    for (const wrong of ["-1", "abc", "1.5", "9223372036854775808"]) {
      const times = await callsDuring(async () => {
        const { status, body } = await ask("/t/x", height(wrong));
        expect([wrong, status, body.code]).toEqual([wrong, 400, 3]);
      });
      expect(times).toBe(0);
    }
  });

  test("a response and a refusal name their node, and a response from the cache names none [QG-131]", async () => {
    gateway.handler = atHeights;
    const { ask, settled } = edge();
    const node = (response: { readonly headers: Headers }) => response.headers.get("X-Gateway-Node");
    expect(node(await ask("/t/x"))).toBe("n");
    expect(node(await ask("/t/x", height("10")))).toBe("n");
    await settled();
    expect(node(await ask("/t/x", height("10")))).toBeNull();
    expect(node(await ask("/t/x", height("-1")))).toBeNull();
    gateway.handler = () => {
      throw new ConnectError("no", Code.NotFound);
    };
    expect(node(await ask("/t/y"))).toBe("n");
    expect(nodeHeader("Zürich 1\n")).toEqual({ "X-Gateway-Node": "Z%C3%BCrich%201%0A" });
    expect(nodeHeader(undefined)).toEqual({});
  });

  test("V97: final heights are fetched once each and cached separately [QG-97]", async () => {
    gateway.handler = atHeights;
    const { ask, settled } = edge();
    await ask("/t/x");
    const ten = await ask("/t/x", height("10"));
    const eleven = await ask("/t/x", height("11"));
    await settled();
    expect(ten.headers.get("Cache-Control")).toBe("public, max-age=31536000, immutable");
    const times = await callsDuring(async () => {
      const again = await ask("/t/x", height("10"));
      expect([again.text, again.headers.get("X-Cosmos-Block-Height")]).toEqual([ten.text, "10"]);
      expect((await ask("/t/x", height("11"))).headers.get("X-Cosmos-Block-Height")).toBe("11");
      expect((await ask("/alt/x", height("10"))).text).toBe(ten.text);
      const head = await ask("HEAD /t/x", height("10"));
      expect([head.text, head.headers.get("Content-Length")]).toEqual(["", String(ten.text.length)]);
      const known = await ask("/t/x", {
        headers: { ...height("11").headers, "If-None-Match": eleven.headers.get("ETag") ?? "" },
      });
      expect(known.status).toBe(304);
    });
    expect(times).toBe(0);
    expect(await callsDuring(() => ask("/t/y", height("10")))).toBe(1);
  });

  test.each([
    ["98", "public, max-age=31536000, immutable", 0],
    ["99", "no-cache", 1],
  ])("height %s, with 100 the best seen, is %s [QG-98, QG-99]", async (value, cacheControl, times) => {
    gateway.handler = atHeights;
    const { ask, settled } = edge();
    await ask("/t/x");
    expect((await ask("/t/x", height(value))).headers.get("Cache-Control")).toBe(cacheControl);
    await settled();
    expect(await callsDuring(() => ask("/t/x", height(value)))).toBe(times);
  });

  test("the latest is fetched each time, unless the profile caches it [QG-99]", async () => {
    const fresh = edge();
    expect((await fresh.ask("/t/x")).headers.get("Cache-Control")).toBe("no-cache");
    expect(await callsDuring(() => fresh.ask("/t/x"))).toBe(1);
    const clock = { now: Date.now() };
    const aged = edge({ cache: { latestSeconds: 3 } }, {}, { clock: () => clock.now });
    expect((await aged.ask("/t/x")).headers.get("Cache-Control")).toBe("max-age=3");
    clock.now += 2_999;
    expect(await callsDuring(() => aged.ask("/t/x"))).toBe(0);
    clock.now += 1;
    expect(await callsDuring(() => aged.ask("/t/x"))).toBe(1);
  });

  test("a 404 at a final height is cached; other errors are not [QG-100]", async () => {
    gateway.handler = (call, context, output) => {
      if (call.headers.get("x-cosmos-block-height") === null) return atHeights(call, context, output);
      const code = "id" in call.message && call.message.id === "x" ? Code.NotFound : Code.Internal;
      throw new ConnectError("gone", code, { "x-cosmos-block-height": "10" });
    };
    const { ask } = edge();
    await ask("/t/x");
    const missing = await ask("/t/x", height("10"));
    expect([missing.status, missing.headers.get("Cache-Control")]).toEqual([404, expect.stringContaining("immutable")]);
    expect(await callsDuring(() => ask("/t/x", height("10")))).toBe(0);
    expect((await ask("/t/y", height("10"))).headers.get("Cache-Control")).toBe("no-store");
    expect(await callsDuring(() => ask("/t/y", height("10")))).toBe(1);
  });

  test("the height as a parameter, if the profile accepts it [QG-37]", async () => {
    gateway.handler = atHeights;
    const { ask } = edge({ query: { heightParam: true, strict: true } });
    expect((await ask("/t/x?height=42&i32=1")).headers.get("X-Cosmos-Block-Height")).toBe("42");
    expect((await ask("/t/x?height=x")).status).toBe(400);
    expect((await edge({ query: { strict: true } }).ask("/t/x?height=42")).status).toBe(400);
  });
});

describe("requests to the node and responses from it", () => {
  test("V92: credentials and other headers of the caller are not forwarded [QG-40]", async () => {
    const headers = { Authorization: "x", "Grpc-Metadata-Foo": "y", Cookie: "c=1", "X-API-Key": "k", "X-Foo": "z" };
    await edge().ask("/t/x", { headers });
    const seen = gateway.seen.at(-1)?.headers;
    for (const name of [...Object.keys(headers), "Foo"]) expect([name, seen?.get(name) ?? null]).toEqual([name, null]);
  });

  test("V90: an invalid timeout is refused; a short one is applied [QG-39]", async () => {
    const { ask } = edge();
    const times = await callsDuring(async () => {
      expect((await ask("/t/x", { headers: { "Grpc-Timeout": "zz" } })).body.code).toBe(3);
    });
    expect(times).toBe(0);
    gateway.handler = () => new Promise(() => undefined);
    const late = await ask("/t/x", { headers: { "Grpc-Timeout": "50m" } });
    expect([late.status, late.body.code]).toEqual([504, 4]);
  });

  test("V63: a field of the response as the document [QG-57]", async () => {
    expect((await edge().ask("/resp/x")).text).toBe("null");
    gateway.handler = (_, __, output) => create(output, { sub: { a: "q" } });
    expect((await edge().ask("/resp/x")).text).toBe('{"a":"q","sub":null}');
  });

  test.each(["gzip", "br", "deflate", "zstd", "gzip, identity"])(
    "a body with Content-Encoding %s is refused, and no node is called [QG-144]",
    async (coding) => {
      const { ask } = edge();
      const sent = { body: '{"i32":12}', headers: { "Content-Encoding": coding } };
      const refused = await ask("POST /post", sent);
      expect([refused.status, refused.body.code, refused.headers.get("Accept-Encoding")]).toEqual([415, 3, "identity"]);
      expect((await ask("POST /post", { ...sent, headers: { "Content-Encoding": "Identity" } })).body.i32).toBe(12);
    },
  );

  test("a body is read up to its limit [QG-34]", async () => {
    const { ask } = edge({ limits: { bodyBytes: 10 } });
    expect((await ask("POST /post", { body: '{"i32":12}' })).body.i32).toBe(12);
    const over = await ask("POST /post", { body: '{"i32":123}' });
    expect([over.status, over.body.code]).toEqual([413, 8]);
    expect((await ask("POST /post", { body: "{bad" })).body.code).toBe(3);
    // A response to a POST is only for its caller.
    const headers = { "If-None-Match": "*" };
    const posted = await ask("POST /post", { body: "{}", headers });
    expect([posted.status, posted.headers.get("Cache-Control")]).toEqual([200, "no-store"]);
  });
});

describe("failover [QG-80]", () => {
  const DEAD = "http://127.0.0.1:1";
  const nodes = () => [
    { kind: "grpc-web", url: DEAD },
    { kind: "grpc-web", url: gateway.url, tier: 1 },
  ];

  test("a query by POST fails over like one by GET", async () => {
    const { ask } = edge({ nodes: nodes(), upstream: { retries: 1 } });
    expect((await ask("POST /post", { body: '{"i32":12}' })).body.i32).toBe(12);
    expect((await ask("/t/x")).status).toBe(200);
  });

  test.each([
    ["PURGE /more/purge/x", {}],
    ["POST /post", { once: ["gwtest.v1.T/Post"] }],
    ["POST /post", { once: ["gwtest.v1.*"] }],
  ])("%s, which may have side effects, stays with one node (%j)", async (line, more) => {
    const { ask } = edge({ nodes: nodes(), upstream: { retries: 1, ...more } });
    const times = await callsDuring(async () => {
      expect((await ask(line, { body: "{}" })).status).toBe(503);
    });
    expect(times).toBe(0);
  });
});

test("a node's failure is logged, an ordinary error is not, its message never [QG-88]", async () => {
  for (const [code, lines] of [
    [Code.NotFound, 0],
    [Code.Internal, 1],
  ] as const) {
    gateway.handler = () => {
      throw new ConnectError("private words", code);
    };
    const { ask, log } = edge();
    await ask("/t/x");
    expect(log.filter((line) => line.startsWith("warn node-failed"))).toHaveLength(lines);
    expect(log.join()).not.toContain("private words");
  }
});

describe("rate [QG-110]", () => {
  test("a burst, then one at a time; separate per caller", async () => {
    const clock = { now: 1_000_000 };
    const { ask } = edge({ rate: { perMinute: 60, burst: 2 } }, {}, { clock: () => clock.now });
    const as = (address: string) => ask("/nope", { headers: { "CF-Connecting-IP": address } });
    expect([(await as("a")).status, (await as("a")).status]).toEqual([404, 404]);
    const refused = await as("a");
    expect([refused.status, refused.body.code, refused.headers.get("Retry-After")]).toEqual([429, 8, "1"]);
    expect((await as("b")).status).toBe(404);
    clock.now += 999;
    expect((await as("a")).status).toBe(429);
    clock.now += 1;
    expect((await as("a")).status).toBe(404);
  });

  test("hosts of an IPv6 /64 share it, another /64 and an IPv4 address have their own [ALL-13]", async () => {
    const clock = { now: 1_000_000 };
    const { ask } = edge({ rate: { perMinute: 60, burst: 2 } }, {}, { clock: () => clock.now });
    const as = async (address: string) => (await ask("/nope", { headers: { "CF-Connecting-IP": address } })).status;
    expect([await as("2001:db8:1:2::1"), await as("2001:db8:1:2:ffff::")]).toEqual([404, 404]);
    expect([await as("2001:db8:1:2::3"), await as("2001:db8:1:3::1")]).toEqual([429, 404]);
    expect([await as("192.0.2.1"), await as("::ffff:192.0.2.1"), await as("192.0.2.1")]).toEqual([404, 404, 429]);
  });

  test("by default: twenty a second per address, off in development or if configured", async () => {
    const clock = { now: 1_000_000 };
    const statusAfter = async (requests: number, deployment: object, ENVIRONMENT: string) => {
      const { ask } = edge(deployment, { ENVIRONMENT }, { clock: () => clock.now });
      for (let count = 0; count < requests; count += 1) await ask("/nope");
      return (await ask("/nope")).status;
    };
    expect(await statusAfter(USUAL_RATE_PER_MINUTE - 1, {}, "production")).toBe(404);
    expect(await statusAfter(USUAL_RATE_PER_MINUTE, {}, "production")).toBe(429);
    expect(await statusAfter(USUAL_RATE_PER_MINUTE, {}, "development")).toBe(404);
    expect(await statusAfter(USUAL_RATE_PER_MINUTE, { rate: "off" }, "production")).toBe(404);
  });

  test("by key, whatever the address", async () => {
    const gate = {
      mode: "bearer",
      keys: [
        { secret: "secret:ONE", label: "one" },
        { secret: "secret:TWO", label: "two" },
      ],
    };
    const { ask } = edge({ gate, rate: { perMinute: 1, by: "key" } }, { ONE: "1111", TWO: "2222" });
    const as = (key: string) => ask("/nope", { headers: { Authorization: `Bearer ${key}` } });
    expect([(await as("1111")).status, (await as("1111")).status, (await as("2222")).status]).toEqual([404, 429, 404]);
  });
});

test("access, rate, CORS and limits apply only to requests of the gateway [QG-119]", async () => {
  const { ask } = edge(
    {
      gate: { mode: "bearer", keys: [{ secret: "secret:KEY", label: "k" }] },
      rate: { perMinute: 1 },
      cors: { origins: ["https://app.example"], credentials: true },
      limits: { pathBytes: 1 },
    },
    { KEY: "right" },
  );
  for (const path of ["/", "/openapi.json", "/openapi.json"]) {
    const { status, headers } = await ask(path, { headers: { Origin: "https://app.example" } });
    expect([status, headers.has("Access-Control-Allow-Credentials")]).toEqual([200, false]);
  }
  const { status, headers } = await ask("/t/x", { headers: { Origin: "https://app.example" } });
  expect([status, headers.has("Access-Control-Allow-Credentials")]).toEqual([401, true]);
});
