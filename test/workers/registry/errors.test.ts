/** Behaviour around every route: problems, request ids, bodies, sizes, methods. */
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { ADMIN_TOKEN, registryEdge } from "../../support/registry/registry-edge.ts";

const { DATABASE } = env;
const edge = registryEdge({ DATABASE });
const reader = await edge.keyOf("did:web:errors.test", ["domains:read", "domains:write"]);
const good = JSON.stringify({ label: "x", did: "did:web:errors.test", scopes: ["domains:read"] });
const post = (body: string | undefined, headers: Record<string, string> = {}) =>
  edge.ask("POST", "/v1/api-keys", { key: ADMIN_TOKEN, headers, ...(body === undefined ? {} : { body }) });

test("no browser renders a response as a page [RG-32]", async () => {
  for (const path of ["/v1/domains", "/v1/<script>", "/1.0/identifiers/x", "/graphql?query={nodeId}"]) {
    expect((await edge.call("GET", path)).headers.get("X-Content-Type-Options"), path).toBe("nosniff");
  }
});

describe("the form of a problem", () => {
  test("RFC 9457 with the members of the older form [RG-153]", async () => {
    const { status, headers, body } = await edge.ask("POST", "/v1/api-keys", {
      key: ADMIN_TOKEN,
      headers: { "X-Request-Id": "req-42" },
      body: { label: "x", did: "alice", scopes: ["domains:read"] },
    });
    expect(status).toBe(400);
    expect(headers.get("Content-Type")).toBe("application/problem+json");
    expect(headers.get("Cache-Control")).toBe("no-store");
    expect(body).toEqual({
      type: "urn:problem:twe:invalid_did",
      title: "Invalid did",
      status: 400,
      detail: "did must be a DID",
      instance: "/v1/api-keys",
      code: "invalid_did",
      requestId: "req-42",
      errors: [{ pointer: "/did", code: "invalid_did", detail: "did must be a DID" }],
      error: {
        code: "invalid_did",
        message: "did must be a DID",
        details: [{ field: "/did", error: "did must be a DID" }],
      },
    });
  });

  test("several failures are reported together, at most 50 of them [RG-47, RG-154]", async () => {
    const many = Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`x${at}`, at]));
    const { body } = await post(JSON.stringify({ ...many, label: 1 }));
    expect(body.code).toBe("validation_failed");
    expect(body.errors).toHaveLength(50);
    expect(body.detail.length).toBeLessThan(500);
  });

  test.each([
    ["GET", "/v1/nothing"],
    ["GET", "/v1"],
    ["POST", "/v1/domains/x/y/z"],
    ["DELETE", "/v1/voters/did:x:a/b"],
  ])("%s %s is a 404 problem, without any key [RG-31]", async (method, path) => {
    const { status, headers, body } = await edge.ask(method, path);
    expect([status, body.code, body.instance]).toEqual([404, "not_found", path]);
    expect(headers.get("Content-Type")).toBe("application/problem+json");
  });

  test.each([
    ["PUT", "/v1/domain-types", "GET, HEAD"],
    ["POST", "/v1/voters", "GET, HEAD"],
    ["PATCH", "/v1/voters/did:x:a", "DELETE, GET, HEAD, PUT"],
    ["PATCH", "/v1/api-keys", "GET, HEAD, POST"],
    ["GET", "/v1/api-keys/key_1/rotate", "POST"],
  ])("%s %s is a 405 that lists the allowed methods [RG-31]", async (method, path, allow) => {
    const { status, headers, body } = await edge.ask(method, path);
    expect([status, body.code, headers.get("Allow")]).toEqual([405, "method_not_allowed", allow]);
  });
});

test("a request id is echoed if it is printable, otherwise generated; on success, refusal and 404", async () => {
  for (const path of ["/v1/domain-types", "/v1/voters", "/v1/nothing"]) {
    const echoed = await edge.ask("GET", path, { key: reader, headers: { "X-Request-Id": "a/b:c~1" } });
    expect(echoed.headers.get("X-Request-Id")).toBe("a/b:c~1");
    const made = await edge.ask("GET", path, { key: reader, headers: { "X-Request-Id": "a b" } });
    expect(made.headers.get("X-Request-Id")).toMatch(/^[0-9a-f-]{36}$/);
    expect(made.body.requestId ?? made.headers.get("X-Request-Id")).toBe(made.headers.get("X-Request-Id"));
  }
});

describe("bodies", () => {
  test.each([
    [undefined],
    ["application/x-www-form-urlencoded"],
    ["text/plain;charset=UTF-8"],
    ["application/json"],
    ["APPLICATION/JSON; charset=utf-8"],
    ["application/ld+json"],
  ])("JSON is accepted as %j [RG-27]", async (type) => {
    // As bytes, so that the runtime adds no content type.
    const body = new TextEncoder().encode(good);
    const request = new Request("https://registry.test/v1/api-keys", {
      method: "POST",
      body,
      headers: { Authorization: `Bearer ${ADMIN_TOKEN}`, ...(type === undefined ? {} : { "Content-Type": type }) },
    });
    expect((await edge.send(request)).status).toBe(201);
  });

  test.each(["application/xml", "multipart/form-data; boundary=x", "application/jsonx", "text/html", "json"])(
    "%s is a 415 that lists the accepted types",
    async (type) => {
      const { status, headers, body } = await post(good, { "Content-Type": type });
      expect([status, body.code]).toEqual([415, "unsupported_media_type"]);
      expect(headers.get("Accept-Post")).toBe("application/json");
    },
  );

  test.each([
    ["a=b", "malformed_json"],
    ["", "malformed_json"],
    ["{", "malformed_json"],
    ['{"label":"x",}', "malformed_json"],
    ["[]", "validation_failed"],
    ["null", "validation_failed"],
    ['"text"', "validation_failed"],
    ["7", "validation_failed"],
  ])("the body %j is a 400 %s [RG-28]", async (text, code) => {
    const { status, body } = await post(text, { "Content-Type": "application/x-www-form-urlencoded" });
    expect([status, body.code]).toEqual([400, code]);
  });

  test("bytes that are not UTF-8 are malformed", async () => {
    const request = new Request("https://registry.test/v1/api-keys", {
      method: "POST",
      body: Uint8Array.of(0x7b, 0xff, 0x7d),
      headers: { Authorization: `Bearer ${ADMIN_TOKEN}` },
    });
    const response = await edge.send(request);
    expect([response.status, (await response.json<{ code: string }>()).code]).toEqual([400, "malformed_json"]);
  });

  test("accepts 16 KiB of a small body; one byte more is a 413 [RG-29]", async () => {
    const padded = (bytes: number): string => good + " ".repeat(bytes - good.length);
    expect((await post(padded(16 * 1024))).status).toBe(201);
    const { status, body } = await post(padded(16 * 1024 + 1));
    expect([status, body.code]).toEqual([413, "body_too_large"]);
  });

  test("accepts 64 levels and refuses 65; a thousandfold nesting is harmless [RG-29]", async () => {
    const nested = (levels: number): string => `{"x":${"[".repeat(levels - 1)}${"]".repeat(levels - 1)}}`;
    expect((await post(nested(64))).body.errors.map(({ code }: { code: string }) => code)).toContain("unknown_field");
    for (const levels of [65, 7_000]) {
      expect((await post(nested(levels))).body.errors).toMatchObject([{ pointer: "", code: "length" }]);
    }
  });
});

test("accepts an address of 8 KiB and refuses a longer one [RG-29]", async () => {
  const start = "https://registry.test/v1/voters?limit=";
  const ask = (length: number) =>
    edge.ask("GET", `/v1/voters?limit=${"1".repeat(length - start.length)}`, { key: reader });
  expect((await ask(8_192)).body.code).toBe("insufficient_scope");
  expect((await ask(8_193)).body.code).toBe("validation_failed");
});

test("the known types have keys, aliases and meaning, and an entity tag [RG-41]", async () => {
  const { headers, body } = await edge.ask("GET", "/v1/domain-types", { key: reader });
  expect(headers.get("Cache-Control")).toBe("private, no-cache");
  expect(body.open).toBe(true);
  expect(body.data).toHaveLength(22);
  expect(body.data[0]).toMatchObject({ type: "Organisation", key: "organisation", aliases: ["organization"] });
  const tag = headers.get("ETag") ?? "";
  expect((await edge.ask("GET", "/v1/domain-types", { key: reader, headers: { "If-None-Match": tag } })).status).toBe(
    304,
  );
});

describe("outages and bugs", () => {
  const failing = (message: string) => {
    const prepare = () => ({ bind: () => ({ first: () => Promise.reject(new Error(message)) }) });
    return registryEdge({ DATABASE: { prepare } });
  };
  const key = "twe_test_00000000000000000000000000000000000000000003mGoWr";

  test("an unreachable database is a 503 with Retry-After [RG-155]", async () => {
    const answer = await failing("D1_ERROR: Network connection lost.").ask("GET", "/v1/domain-types", { key });
    expect([answer.status, answer.body.code]).toEqual([503, "unavailable"]);
    expect(answer.headers.get("Retry-After")).toBe("2");
  });

  test("a bug is a 500 whose reason is only in the log [RG-155]", async () => {
    const broken = failing("D1_ERROR: no such table: api_keys: SQLITE_ERROR");
    const answer = await broken.ask("GET", "/v1/domain-types", { key });
    expect([answer.status, answer.body.code]).toEqual([500, "internal"]);
    expect(JSON.stringify(answer.body)).not.toContain("api_keys:");
    expect(broken.log.join()).toContain("no such table");
  });

  test("a wrong setting stops the surface, is named in health, and its value is never printed [RG-156]", async () => {
    const broken = registryEdge({ DATABASE, REGISTRY_QUORUM_BP: "10001", ADMIN_TOKEN: "too-short" });
    const answer = await broken.ask("GET", "/v1/domain-types", { key });
    expect([answer.status, answer.body.code]).toEqual([500, "internal"]);
    const health = await broken.ask("GET", "/health");
    expect(health.status).toBe(503);
    expect(health.body.misconfigured.registry.toSorted()).toEqual(["ADMIN_TOKEN", "REGISTRY_QUORUM_BP"]);
    expect(JSON.stringify(health.body)).not.toContain("too-short");
  });
});

test("the scheduled run removes expired replays", async () => {
  const insert = (key: string, expiresAt: number) =>
    DATABASE.prepare("INSERT INTO idempotency VALUES ('did:x:a', 'POST', '/v1/x', ?, 'f', '{}', ?)")
      .bind(key, expiresAt)
      .run();
  await insert("old", edge.clock.now);
  await insert("young", edge.clock.now + 1);
  const context = { waitUntil: () => undefined };
  await edge.registry.scheduled({ DATABASE } as unknown as Env, context, edge.clock.now);
  const { results } = await DATABASE.prepare("SELECT key FROM idempotency WHERE did = 'did:x:a'").all();
  expect(results).toEqual([{ key: "young" }]);
});

test("a body that is not JSON is reported by position, and an empty one as empty [RG-28]", async () => {
  const key = reader;
  const detailOf = async (path: string, body: string) => {
    const headers = { "Content-Type": "application/json" };
    const answer = await edge.ask("POST", path, { key, headers, body });
    return answer.body.detail ?? answer.body.errors[0].message;
  };
  for (const [path, empty] of [
    ["/v1/domains", "The body is empty; send a JSON object"],
    ["/graphql", "The body is empty; send JSON with a query"],
  ] as const) {
    expect(await detailOf(path, '{\n  "type": "Project",\n}')).toBe(
      "The body is not valid JSON: line 3, column 1: expected a name in double quotes",
    );
    expect(await detailOf(path, " ")).toBe(empty);
    // The body is not repeated, because it may contain a secret.
    expect(await detailOf(path, '{"pin": 0123-secret}')).not.toContain("secret");
  }
});
