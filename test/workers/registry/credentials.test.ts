/** Authentication and rate limits. */
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { ADMIN_TOKEN, registryEdge, type RegistryEdge } from "../../support/registry/registry-edge.ts";

const { DATABASE } = env;
let lastDid = 0;
const freshDid = (): string => `did:web:credentials-${(lastDid += 1)}.test`;
const edgeOf = (more: object = {}): RegistryEdge => registryEdge({ DATABASE, ...more });

const CHALLENGE = 'Bearer realm="registry"';
const INVALID = `${CHALLENGE}, error="invalid_token"`;
const wellFormed = "twe_test_00000000000000000000000000000000000000000003mGoWr";
const live = "twe_live_003aUlTJC7tjlCTQj2uNU3MFagCXG9LRKRcwGkBIDlf4a1gvl";

/** A route for any key. */
const ANY = "/v1/domain-types";

describe("refused credentials and their errors [RG-3, RG-4]", () => {
  test.each<[string, Record<string, string>, string, string]>([
    ["no credentials", {}, "unauthenticated", CHALLENGE],
    ["another scheme", { Authorization: "Basic a2V5" }, "unauthenticated", CHALLENGE],
    ["no key after the scheme", { Authorization: "Bearer" }, "unauthenticated", CHALLENGE],
    ["an empty X-API-Key", { "X-API-Key": "" }, "unauthenticated", CHALLENGE],
    ["an unknown key", { Authorization: `Bearer ${wellFormed}` }, "invalid_token", INVALID],
    ["an unknown key in X-API-Key", { "X-API-Key": wellFormed }, "invalid_token", INVALID],
    ["a wrong checksum", { Authorization: `Bearer ${wellFormed.slice(0, -1)}s` }, "invalid_token", INVALID],
    ["another environment", { Authorization: `Bearer ${live}` }, "invalid_token", INVALID],
    ["anything else", { Authorization: "Bearer hello" }, "invalid_token", INVALID],
    ["the operator's token", { Authorization: `Bearer ${ADMIN_TOKEN}` }, "invalid_token", INVALID],
  ])("%s", async (_, headers, code, challenge) => {
    const { status, headers: received, body } = await edgeOf().ask("GET", ANY, { headers });
    expect([status, body.code, received.get("WWW-Authenticate")]).toEqual([401, code, challenge]);
    // One message for every reason why a key is invalid.
    expect(body.detail === "The key is not valid here").toBe(code === "invalid_token");
  });

  test("a malformed key costs no database read", async () => {
    const asked: string[] = [];
    const prepare = (sql: string) => {
      asked.push(sql);
      return DATABASE.prepare(sql);
    };
    const edge = edgeOf({ DATABASE: { prepare } });
    for (const key of [`${wellFormed.slice(0, -1)}s`, live, "hello"]) await edge.ask("GET", ANY, { key });
    expect(asked).toEqual([]);
    await edge.ask("GET", ANY, { key: wellFormed });
    expect(asked).toHaveLength(1);
  });

  test("a missing scope is named [RG-5]", async () => {
    const edge = edgeOf();
    const key = await edge.keyOf(freshDid(), ["domains:write"]);
    const { status, headers, body } = await edge.ask("GET", "/v1/voters", { key });
    expect([status, body.code]).toEqual([403, "insufficient_scope"]);
    expect(headers.get("WWW-Authenticate")).toBe(`${CHALLENGE}, error="insufficient_scope", scope="registry:admin"`);
  });

  test("two different keys are a conflict, one key sent twice is not [RG-2]", async () => {
    const edge = edgeOf();
    const key = await edge.keyOf(freshDid(), ["domains:read"]);
    const other = await edge.ask("GET", ANY, { key, headers: { "X-API-Key": wellFormed } });
    expect([other.status, other.body.code]).toEqual([400, "conflicting_credentials"]);
    expect(JSON.stringify(other.body)).not.toContain(key);
    expect((await edge.ask("GET", ANY, { key, headers: { "X-API-Key": key } })).status).toBe(200);
    expect((await edge.ask("GET", ANY, { headers: { "x-api-key": key } })).status).toBe(200);
    expect((await edge.ask("GET", ANY, { headers: { Authorization: `bearer ${key}` } })).status).toBe(200);
  });

  test("a key in the query string is ignored [RG-2]", async () => {
    const edge = edgeOf();
    const key = await edge.keyOf(freshDid(), ["domains:read"]);
    expect((await edge.ask("GET", `${ANY}?api_key=${key}`)).status).toBe(401);
  });
});

describe("the operator's token", () => {
  test("opens key management and nothing else; no API key does [RG-9]", async () => {
    const edge = edgeOf();
    const admin = await edge.keyOf(freshDid(), ["registry:admin"]);
    expect((await edge.ask("GET", "/v1/api-keys", { key: ADMIN_TOKEN })).status).toBe(200);
    expect((await edge.ask("GET", "/v1/api-keys", { key: admin })).body.code).toBe("invalid_token");
    expect((await edge.ask("GET", "/v1/api-keys/current", { key: ADMIN_TOKEN })).status).toBe(401);
    expect((await edge.ask("GET", "/v1/voters", { key: ADMIN_TOKEN })).status).toBe(401);
    expect((await edge.ask("GET", "/v1/api-keys")).headers.get("WWW-Authenticate")).toBe(CHALLENGE);
  });

  test("if unset, its routes are always 401 [RG-9]", async () => {
    const edge = edgeOf({ ADMIN_TOKEN: undefined });
    for (const key of [ADMIN_TOKEN, "undefined", ""]) {
      expect((await edge.ask("GET", "/v1/api-keys", { key })).status).toBe(401);
    }
  });
});

describe("keys of the configuration", () => {
  const key = "sixteen-letters!";
  const REGISTRY_BOOTSTRAP_KEYS = JSON.stringify([{ key, did: "did:web:boot.test", scopes: ["registry:admin"] }]);

  test("are valid in addition to issued ones [RG-16]", async () => {
    const edge = edgeOf({ REGISTRY_BOOTSTRAP_KEYS });
    expect((await edge.ask("GET", "/v1/voters", { key })).status).toBe(200);
    expect((await edge.ask("GET", "/v1/api-keys/current", { headers: { "X-API-Key": key } })).body).toEqual({
      id: "bootstrap-1",
      did: "did:web:boot.test",
      role: null,
      scopes: ["registry:admin"],
    });
    expect((await edge.ask("GET", "/v1/voters", { key: `${key}!` })).status).toBe(401);
  });

  test("include DEV_API_KEY only in development [RG-16]", async () => {
    const DEV_API_KEY = "a-development-key";
    const ask = async (ENVIRONMENT: string) =>
      (await edgeOf({ DEV_API_KEY, ENVIRONMENT }).ask("GET", "/v1/voters", { key: DEV_API_KEY })).status;
    expect([await ask("development"), await ask("production"), await ask("test")]).toEqual([200, 401, 401]);
  });
});

describe("rates", () => {
  test("reads and writes of a key are counted separately and exactly, and the headers report it [RG-20, RG-22]", async () => {
    const edge = edgeOf({ REGISTRY_READS_PER_MINUTE: "3", REGISTRY_WRITES_PER_MINUTE: "2" });
    const key = await edge.keyOf(freshDid(), ["registry:admin"]);
    const read = () => edge.ask("GET", ANY, { key });
    const write = () => edge.ask("DELETE", `/v1/voters/${freshDid()}`, { key });
    const first = await read();
    expect(first.headers.get("RateLimit-Policy")).toBe('"read";q=3;w=60');
    expect(first.headers.get("RateLimit")).toBe('"read";r=2;t=60');
    expect([(await read()).status, (await read()).status]).toEqual([200, 200]);
    const refused = await read();
    expect([refused.status, refused.body.code]).toEqual([429, "rate_limited"]);
    expect(refused.headers.get("RateLimit")).toBe('"read";r=0;t=60');
    expect(refused.headers.get("Retry-After")).toBe("60");
    expect([(await write()).status, (await write()).status, (await write()).status]).toEqual([404, 404, 429]);
    expect((await write()).headers.get("RateLimit-Policy")).toBe('"write";q=2;w=60');
    edge.clock.now += 59_999;
    expect((await read()).status).toBe(429);
    expect((await read()).headers.get("Retry-After")).toBe("1");
    edge.clock.now += 1;
    expect((await read()).status).toBe(200);
  });

  test("each key has its own rate, and the rate is checked before the scope [RG-20, RG-24]", async () => {
    const edge = edgeOf({ REGISTRY_READS_PER_MINUTE: "1" });
    const [one, other] = [
      await edge.keyOf(freshDid(), ["domains:read"]),
      await edge.keyOf(freshDid(), ["domains:read"]),
    ];
    expect((await edge.ask("GET", "/v1/voters", { key: one })).status).toBe(403);
    expect((await edge.ask("GET", "/v1/voters", { key: one })).status).toBe(429);
    expect((await edge.ask("GET", ANY, { key: other })).status).toBe(200);
  });
});

describe("the limit on failed attempts", () => {
  const from = (address: string, key?: string) => ({
    headers: { "CF-Connecting-IP": address, ...(key === undefined ? {} : { Authorization: `Bearer ${key}` }) },
  });

  test("after 100 in a minute the next one waits, and valid keys are still accepted, even new ones [RG-23]", async () => {
    const edge = edgeOf();
    const key = await edge.keyOf(freshDid(), ["domains:read"]);
    for (let attempt = 0; attempt < 99; attempt += 1) await edge.ask("GET", ANY, from("192.0.2.1", "hello"));
    expect((await edge.ask("GET", ANY, from("192.0.2.1", "hello"))).status).toBe(401);
    const limited = await edge.ask("GET", ANY, from("192.0.2.1", "hello"));
    expect([limited.status, limited.body.code]).toEqual([429, "rate_limited"]);
    const wait = Number(limited.headers.get("Retry-After"));
    expect([wait >= 1, wait <= 60, Number.isInteger(wait)]).toEqual([true, true, true]);
    expect((await edge.ask("GET", ANY, from("192.0.2.1", key))).status).toBe(200);
    expect((await edge.ask("GET", "/v1/api-keys", from("192.0.2.1", ADMIN_TOKEN))).status).toBe(200);
    const { body } = await edge.ask("GET", "/v1/api-keys/current", from("192.0.2.1", key));
    await edge.ask("DELETE", `/v1/api-keys/${body.id}`, { key: ADMIN_TOKEN });
    expect((await edge.ask("GET", ANY, from("192.0.2.1", key))).status).toBe(429);
    expect((await edge.ask("GET", ANY, from("192.0.2.2", key))).status).toBe(401);
    edge.clock.now += 60_000;
    expect((await edge.ask("GET", ANY, from("192.0.2.1", key))).status).toBe(401);
  });

  test("a request without credentials is not an attempt, and an address that a caller writes is not trusted [RG-23]", async () => {
    const edge = edgeOf({ REGISTRY_FAILED_ATTEMPTS_PER_MINUTE: "2" });
    const key = await edge.keyOf(freshDid(), ["domains:read"]);
    for (let attempt = 0; attempt < 5; attempt += 1) await edge.ask("GET", ANY, from("192.0.2.1"));
    expect((await edge.ask("GET", ANY, from("192.0.2.1", key))).status).toBe(200);
    for (let attempt = 0; attempt < 2; attempt += 1) {
      const { headers } = from("192.0.2.1", "hello");
      await edge.ask("GET", ANY, { headers: { ...headers, "X-Forwarded-For": `198.51.100.${attempt}` } });
    }
    expect((await edge.ask("GET", ANY, from("192.0.2.1", "hello"))).status).toBe(429);
  });

  test("does not exist in development", async () => {
    const edge = edgeOf({ ENVIRONMENT: "development", REGISTRY_FAILED_ATTEMPTS_PER_MINUTE: "1" });
    const answers = [];
    for (let attempt = 0; attempt < 3; attempt += 1) answers.push(await edge.ask("GET", ANY, { key: "hello" }));
    expect(answers.map(({ status }) => status)).toEqual([401, 401, 401]);
  });
});

describe("surfaces that can be open [RG-19]", () => {
  const resolve = `/1.0/identifiers/did:ixo:entity:${"0".repeat(32)}`;
  const graphql = `/graphql?query=${encodeURIComponent("{__typename}")}`;

  test.each([
    [resolve, "did", 404],
    [graphql, "graphql", 200],
  ])("%s: without a key while it is open, with domains:read if it is closed", async (path, name, found) => {
    const open = edgeOf({ REGISTRY_PUBLIC_READS: name });
    const [reader, voter] = [
      await open.keyOf(freshDid(), ["domains:read"]),
      await open.keyOf(freshDid(), ["verification:vote"]),
    ];
    const ask = async (edge: RegistryEdge, key?: string) =>
      (await edge.ask("GET", path, key === undefined ? {} : { key })).status;
    expect([await ask(open), await ask(open, reader), await ask(open, voter)]).toEqual([found, found, found]);
    // A key in the request must still be valid.
    expect(await ask(open, wellFormed)).toBe(401);
    const closed = edgeOf({ REGISTRY_PUBLIC_READS: "none" });
    expect([await ask(closed), await ask(closed, reader), await ask(closed, voter)]).toEqual([401, found, 403]);
  });

  test("an address without a key has its own rate, separate from keys [RG-21]", async () => {
    const edge = edgeOf({ REGISTRY_PUBLIC_READS_PER_MINUTE: "2" });
    const key = await edge.keyOf(freshDid(), ["domains:read"]);
    const ask = (address: string, headers: object = {}) =>
      edge.ask("GET", resolve, { headers: { "CF-Connecting-IP": address, ...headers } });
    const first = await ask("192.0.2.7");
    expect([first.status, first.headers.get("RateLimit-Policy")]).toEqual([404, '"public";q=2;w=60']);
    expect([(await ask("192.0.2.7")).status, (await ask("192.0.2.7")).status]).toEqual([404, 429]);
    expect((await ask("192.0.2.7")).headers.get("Retry-After")).toBe("60");
    expect((await ask("192.0.2.8")).status).toBe(404);
    expect((await ask("192.0.2.7", { "X-API-Key": key })).status).toBe(404);
  });
});

describe("cross-origin [RG-25]", () => {
  const REGISTRY_CORS_ORIGINS = "https://app.example, https://other.example";
  const preflight = (edge: RegistryEdge, path: string, origin: string) =>
    edge.call("OPTIONS", path, { headers: { Origin: origin, "Access-Control-Request-Method": "PATCH" } });

  test("/v1 answers a preflight for the named origins only [RG-25]", async () => {
    const edge = edgeOf({ REGISTRY_CORS_ORIGINS });
    const named = await preflight(edge, "/v1/domains", "https://app.example");
    expect(named.status).toBe(204);
    expect(named.headers.get("Access-Control-Allow-Origin")).toBe("https://app.example");
    for (const header of [
      "Authorization",
      "X-API-Key",
      "Content-Type",
      "If-Match",
      "If-None-Match",
      "Idempotency-Key",
      "X-Request-Id",
    ]) {
      expect(named.headers.get("Access-Control-Allow-Headers")?.split(", ")).toContain(header);
    }
    const unnamed = await preflight(edge, "/v1/domains", "https://evil.example");
    expect(unnamed.headers.get("Access-Control-Allow-Origin")).toBeNull();
    expect(
      (await preflight(edgeOf(), "/v1/domains", "https://app.example")).headers.get("Access-Control-Allow-Origin"),
    ).toBeNull();
  });

  test("errors have the headers too, and expose what a page needs", async () => {
    const edge = edgeOf({ REGISTRY_CORS_ORIGINS });
    const { headers } = await edge.ask("GET", ANY, { headers: { Origin: "https://other.example" } });
    expect(headers.get("Access-Control-Allow-Origin")).toBe("https://other.example");
    const exposed = headers.get("Access-Control-Expose-Headers")?.split(", ");
    for (const header of ["ETag", "Location", "Link", "RateLimit", "RateLimit-Policy", "Retry-After", "X-Request-Id"]) {
      expect(exposed).toContain(header);
    }
  });

  test.each(["/graphql", "/1.0/identifiers/did:ixo:entity:a1fcead81eab2f1158a726597d872413"])(
    "%s is for every page, without credentials",
    async (path) => {
      const response = await preflight(edgeOf({ REGISTRY_CORS_ORIGINS }), path, "https://any.example");
      expect(response.headers.get("Access-Control-Allow-Origin")).toBe("*");
      expect(response.headers.get("Access-Control-Allow-Credentials")).toBeNull();
    },
  );
});
