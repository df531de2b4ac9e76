/** Requests to the real oracle: tokens, renewals, refusals. */
import { getEventListeners } from "node:events";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { clientOfOracle } from "../../../test/support/sdk/client-of-oracle.ts";
import { startLocalServer } from "../../../test/support/server/local-server.ts";
import { memoryStore } from "../../../test/support/sdk/memory-store.ts";
import { mintInvocation, signer } from "../../../test/support/auth/ucan.ts";
import { BODY_SILENCE_MS, OfflineError, refusalOf, RequestError } from "./errors.ts";
import { LOOKUP_PAUSE_MS } from "./http.ts";
import type { InspectedEntry } from "./client-settings.ts";
import { createOracleClient } from "./oracle-client.ts";
import { SigningError } from "./tokens.ts";

/** A refusal as the oracle writes it, `times` times. */
function refusing(status: number, times: number, more: object = {}) {
  let left = times;
  return () => {
    if (left === 0) return undefined;
    left -= 1;
    const body = {
      statusCode: status,
      message: "No",
      error: "No",
      requestId: "q",
      code: "x",
      retryable: true,
      ...more,
    };
    return Response.json(body, { status });
  };
}

describe("a request [SD-15]", () => {
  test("has the tokens, the time zone and the wallet's Matrix session of that moment", async () => {
    const matrix = { accessToken: "syt_1", homeServer: "https://matrix.test" };
    const { client, oracle, signed } = await clientOfOracle({}, { matrix });
    await client.sessions.create();
    matrix.accessToken = "syt_2";
    await client.sessions.list({ limit: 5, offset: 0 });
    const [first, second] = oracle.requests;
    expect(first?.headers).toMatchObject({
      "x-auth-type": "ucan",
      "x-timezone": Intl.DateTimeFormat().resolvedOptions().timeZone,
      "x-matrix-access-token": "syt_1",
      "x-matrix-homeserver": "https://matrix.test",
    });
    expect(first?.headers["x-ucan-delegation"]).toBe(await client.tokens.getDelegation());
    expect(first?.headers.authorization).toBe(`Bearer ${await client.tokens.getInvocation()}`);
    expect(second).toMatchObject({ path: "/sessions?limit=5&offset=0", headers: { "x-matrix-access-token": "syt_2" } });
    expect(signed).toEqual({ delegations: 1, invocations: 1 });
  });

  test("looks up the oracle's address once, and again after a failure", async () => {
    const { oracle } = await clientOfOracle();
    let asked = 0;
    const endpoints = async () => {
      asked += 1;
      await Promise.resolve();
      if (asked === 1) throw new OfflineError("no registry");
      return { apiUrl: `${oracle.url}/` };
    };
    const client = createOracleClient({ oracleDid: "did:o", userDid: "did:u", endpoints });
    await expect(client.models()).rejects.toThrow("no registry");
    await Promise.all([client.models(), client.models()]);
    expect([asked, await client.http.socketUrl()]).toEqual([2, oracle.url]);
  });

  test("to a public route is not signed", async () => {
    const { client, oracle, signed } = await clientOfOracle();
    expect((await client.models()).models).toHaveLength(1);
    expect(oracle.requests[0]?.headers.authorization).toBeUndefined();
    expect(signed).toEqual({ delegations: 0, invocations: 0 });
  });

  test("percent-encodes the id of a session", async () => {
    const { client, oracle } = await clientOfOracle();
    await expect(client.sessions.delete("../a b?c")).rejects.toMatchObject({ status: 404 });
    expect(oracle.requests[0]?.path).toBe("/sessions/..%2Fa%20b%3Fc");
    const { sessionId } = await client.sessions.create();
    expect(await client.sessions.delete(sessionId)).toBeUndefined();
  });
});

describe("an address that was looked up [SD-284]", () => {
  test("is looked up again after it does not answer, and kept when that look-up fails", async () => {
    const [before, after] = [await clientOfOracle(), await clientOfOracle()];
    const places = [before.oracle.url, new Error("no index"), after.oracle.url];
    const endpoints = async () => {
      const place = places.shift();
      if (typeof place !== "string") throw place ?? new Error("looked up too often");
      return { apiUrl: place };
    };
    const now = vi.spyOn(Date, "now");
    onTestFinished(() => now.mockRestore());
    const client = createOracleClient({ oracleDid: "did:o", userDid: "did:u", endpoints });
    await Promise.all([client.models(), client.models()]);
    await before.oracle.close();
    await expect(client.models()).rejects.toBeInstanceOf(OfflineError);
    // A server that is restarting is not looked up at each attempt.
    await expect(client.models()).rejects.toBeInstanceOf(OfflineError);
    expect(places).toHaveLength(2);
    now.mockReturnValue(Date.now() + LOOKUP_PAUSE_MS);
    await expect(client.models()).rejects.toBeInstanceOf(OfflineError);
    now.mockReturnValue(Date.now() + LOOKUP_PAUSE_MS);
    expect((await client.models()).models).toHaveLength(1);
    await client.models();
    expect(places).toEqual([]);
  });
});

describe("a body that stalls [SD-283]", () => {
  async function stalling() {
    const { origin, close } = await startLocalServer((request, _body, response) => {
      response.writeHead(request.url === "/models" ? 200 : 403, { "content-type": "application/json" }).flushHeaders();
    });
    onTestFinished(close);
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const answered = Promise.withResolvers<void>();
    const client = createOracleClient({
      oracleDid: "did:o",
      userDid: "did:u",
      endpoints: { apiUrl: origin },
      inspect: () => answered.resolve(),
    });
    return { client, answered: answered.promise };
  }

  test.each(["/models", "/refused"])("ends its request after 30 seconds without a byte: %s", async (path) => {
    const { client, answered } = await stalling();
    let failure: unknown;
    void client.http.json(path, { signed: false }).catch((error: unknown) => (failure = error));
    await answered;
    await vi.advanceTimersByTimeAsync(BODY_SILENCE_MS - 1);
    expect(failure).toBeUndefined();
    await vi.advanceTimersByTimeAsync(1);
    expect(failure).toMatchObject(path === "/models" ? { name: "OfflineError" } : { status: 403 });
  });

  test("does not include a body that arrives slowly", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const body = new TransformStream<Uint8Array, Uint8Array>();
    const writer = body.writable.getWriter();
    const answer = client(async () => new Response(body.readable)).models();
    for (const part of ['{"models":[],', '"default":"\u00e9', 'x"}']) {
      await vi.advanceTimersByTimeAsync(BODY_SILENCE_MS - 1);
      await writer.write(new TextEncoder().encode(part));
    }
    await writer.close();
    expect(await answer).toEqual({ models: [], default: "éx" });
  });

  const client = (fetchNow: typeof fetch) =>
    createOracleClient({
      oracleDid: "did:o",
      userDid: "did:u",
      endpoints: { apiUrl: "http://o.test" },
      fetch: fetchNow,
    });
});

describe("a refused token [SD-16]", () => {
  test("that has expired is replaced by one new invocation, for all requests at once", async () => {
    const key = await signer(1);
    const store = memoryStore();
    let signed = 0;
    const { client } = await clientOfOracle(
      {},
      {
        tokenStore: store,
        createDelegation: undefined,
        // The first one has expired, whatever the page's clock says.
        async createInvocation(oracleDid) {
          signed += 1;
          const expiration = Math.floor(Date.now() / 1000) + (signed === 1 ? -10 : 600);
          const serialized = await mintInvocation(key, oracleDid, expiration);
          return { serialized, expiresAt: Date.now() + 600_000 };
        },
      },
    );
    await Promise.all([1, 2, 3, 4].map(() => client.sessions.list()));
    expect(signed).toBe(2);
    await client.sessions.list();
    expect(signed).toBe(2);
  });

  test.each([401, 403])("is renewed in two stages after a %d, and then the refusal is final", async (status) => {
    for (const [times, delegations, invocations] of [
      [1, 1, 2],
      [2, 2, 3],
    ] as const) {
      const { client, signed } = await clientOfOracle({ before: refusing(status, times) });
      await client.sessions.list();
      expect(signed).toEqual({ delegations, invocations });
    }
    const { client, signed, oracle } = await clientOfOracle({ before: refusing(status, 4) });
    await expect(client.sessions.list()).rejects.toMatchObject({ status });
    expect([oracle.requests.length, signed]).toEqual([3, { delegations: 2, invocations: 3 }]);
  });

  test("is not renewed when the oracle says that it does not help", async () => {
    const { client, signed, oracle } = await clientOfOracle({ before: refusing(403, 1, { retryable: false }) });
    await expect(client.sessions.list()).rejects.toMatchObject({ status: 403, retryable: false });
    expect([oracle.requests.length, signed.invocations]).toEqual([1, 1]);
  });

  test("is signed by the functions of that moment", async () => {
    const { client, signed } = await clientOfOracle({ before: refusing(401, 1) });
    const key = await signer(1);
    let latest = 0;
    client.setTokenCreators({
      async createInvocation(oracleDid) {
        latest += 1;
        const expiration = Math.floor(Date.now() / 1000) + 600 + latest;
        return { serialized: await mintInvocation(key, oracleDid, expiration), expiresAt: expiration * 1000 };
      },
    });
    await client.sessions.list();
    expect([latest, signed.invocations, await client.tokens.getDelegation()]).toEqual([2, 0, null]);
  });
});

describe("a refusal [SD-17]", () => {
  test("of the oracle has its status, code, sentence and request id", async () => {
    const { client } = await clientOfOracle();
    const refusal = await client.http.json("/sessions/none/run").catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(RequestError);
    expect(refusal).toMatchObject({ status: 404, code: "not_found", message: "Session not found", retryable: false });
    expect((refusal as RequestError).requestId).toMatch(/^[\w-]{36}$/);
  });

  test.each<[string, Response, object]>([
    [
      "claims",
      Response.json({ message: "Pay", outstandingClaims: ["c"] }, { status: 402 }),
      { status: 402, claims: ["c"] },
    ],
    [
      "a reason",
      Response.json({ message: "Invalid UCAN invocation", reason: "expired" }, { status: 400 }),
      { reason: "expired" },
    ],
    ["a status of the body", Response.json({ statusCode: 402, message: "Pay" }, { status: 400 }), { status: 402 }],
    ["no status of HTTP", Response.json({ statusCode: 200, message: "No" }, { status: 400 }), { status: 400 }],
    ["no JSON", new Response("<b>secret</b>", { status: 418 }), { status: 418, message: "The oracle answered 418." }],
    ["no object", Response.json(null, { status: 400 }), { status: 400 }],
    ["a wait", new Response("", { status: 429, headers: { "Retry-After": "5" } }), { retryAfterMs: 5000 }],
    [
      "a past",
      new Response("", { status: 429, headers: { "Retry-After": new Date(0).toUTCString() } }),
      { retryAfterMs: 0 },
    ],
    ["no wait", new Response("", { status: 429, headers: { "Retry-After": "soon" } }), { retryAfterMs: undefined }],
    [
      "its own wait",
      Response.json({ message: "No", retryAfterMs: 7 }, { status: 503 }),
      { status: 503, retryAfterMs: 7 },
    ],
  ])("may have %s", async (_, response, facts) => {
    const refusal = await refusalOf(response);
    expect(refusal).toBeInstanceOf(RequestError);
    expect(refusal).toMatchObject(facts);
  });

  test.each([502, 503, 504, 521])("of a gateway, %d, is an OfflineError", async (status) => {
    expect(await refusalOf(new Response("<h1>Bad gateway</h1>", { status }))).toBeInstanceOf(OfflineError);
  });

  test("of a request without an answer is an OfflineError, and the caller's own abort is passed on", async () => {
    const { client, oracle } = await clientOfOracle();
    const ending = new AbortController();
    const reason = new Error("left");
    ending.abort(reason);
    await expect(client.http.json("/sessions", { signal: ending.signal })).rejects.toBe(reason);
    await oracle.close();
    await expect(client.sessions.list()).rejects.toBeInstanceOf(OfflineError);
    const portal = async () => new Response("<h1>Sign in to this network</h1>");
    const captive = createOracleClient({
      oracleDid: "did:o",
      userDid: "did:u",
      endpoints: { apiUrl: oracle.url },
      fetch: portal,
    });
    await expect(captive.models()).rejects.toBeInstanceOf(OfflineError);
  });
});

test("no error and no inspected entry contains a token [SD-18]", async () => {
  const entries: InspectedEntry[] = [];
  const matrix = { accessToken: "syt_secret", homeServer: "https://matrix.test" };
  const { client, oracle } = await clientOfOracle(
    { before: refusing(401, 3) },
    { matrix, inspect: (entry) => entries.push(entry) },
  );
  const errors = [await client.sessions.list().catch((error: unknown) => error)];
  await client.sessions.list();
  await oracle.close();
  errors.push(await client.sessions.list().catch((error: unknown) => error));
  const written = errors.map((error) => `${String(error)} ${JSON.stringify(error)} ${String((error as Error).stack)}`);
  const secrets = [await client.tokens.getInvocation(), await client.tokens.getDelegation(), matrix.accessToken];
  for (const secret of secrets) expect(JSON.stringify([entries, written])).not.toContain(secret);
  expect(entries.map(({ kind }) => kind)).toContain("request");
  expect(entries.map(({ name }) => name)).toContain("signed invocation");
});

test("a request that is over leaves no listener on its signal [SD-313]", async () => {
  const { client, oracle } = await clientOfOracle({ before: refusing(401, 1) });
  const { signal } = new AbortController();
  await client.http.json("/sessions", { signal });
  await expect(client.http.json("/nowhere", { signal })).rejects.toBeInstanceOf(RequestError);
  await oracle.close();
  await expect(client.http.json("/sessions", { signal })).rejects.toBeInstanceOf(OfflineError);
  client.tokens.clear();
  client.setTokenCreators({ createInvocation: () => Promise.reject(new Error("declined")) });
  await expect(client.http.json("/sessions", { signal })).rejects.toBeInstanceOf(SigningError);
  expect(getEventListeners(signal, "abort")).toEqual([]);
});
