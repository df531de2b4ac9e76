/** The clients of a provider and requests in the user's name, at the real oracle in Node. */
import { onTestFinished, expect, test } from "vitest";
import { startOracleOnAPort } from "../../../test/support/oracle/oracle-on-a-port.ts";
import { startLocalServer } from "../../../test/support/server/local-server.ts";
import { memoryStore } from "../../../test/support/sdk/memory-store.ts";
import { createSigner } from "../core/signer.ts";
import { sendAuthed } from "./use-oracles-context.ts";
import { createClientPool, type PoolSettings } from "./oracles-context.ts";

async function poolAtOracle() {
  const oracle = await startOracleOnAPort();
  onTestFinished(oracle.close);
  const { oracleDid } = oracle.edge;
  const signed: string[] = [];
  async function settingsOf(matrixToken: string): Promise<PoolSettings> {
    const { did, createDelegation, createInvocation } = await createSigner({ store: null });
    return {
      initialWallet: { address: "ixo1", did, matrix: { accessToken: matrixToken, homeServer: "example.com" } },
      createDelegation,
      async createInvocation(audience) {
        signed.push(did);
        return await createInvocation(audience);
      },
      storage: null,
    };
  }
  const current = { settings: await settingsOf("syt_first") };
  const pool = createClientPool(() => current.settings);
  const own = current.settings.initialWallet.did;
  return { oracle, oracleDid, signed, settingsOf, current, pool, own };
}

test("the same names give the same client; clients of one oracle share their tokens [SD-122]", async () => {
  const { oracle, oracleDid, pool, own, signed } = await poolAtOracle();
  const client = pool.client(own, oracleDid, { baseUrl: oracle.url });
  expect(pool.client(own, oracleDid, { baseUrl: oracle.url })).toBe(client);
  expect(pool.actingTokens(own, oracleDid)).toBe(client.tokens);
  const other = pool.client(own, oracleDid, { baseUrl: oracle.url, wsUrl: "ws://localhost:1" });
  expect(other).not.toBe(client);
  await Promise.all([client.sessions.list(), other.sessions.list()]);
  expect(signed).toEqual([own]);
});

test("an address that the application sets causes no lookup, and sockets use it too [SD-134]", async () => {
  const { oracle, oracleDid, pool, own } = await poolAtOracle();
  const { http } = pool.client(own, oracleDid, { baseUrl: `${oracle.url}/` });
  expect([await http.apiUrl(), await http.socketUrl()]).toEqual([oracle.url, oracle.url]);
  const apart = pool.client(own, oracleDid, { baseUrl: oracle.url, wsUrl: "https://ws.example.com" });
  expect(await apart.http.socketUrl()).toBe("https://ws.example.com");
  expect(oracle.requests).toEqual([]);
});

test("another registry of the network is used to find the oracle [SD-312]", async () => {
  const { oracleDid, pool, own } = await poolAtOracle();
  const registryOf = (serviceEndpoint: string) =>
    startLocalServer((_request, _body, response) => {
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ service: [{ id: "#api", type: "oracleService", serviceEndpoint }] }));
    });
  const registries = await Promise.all(["https://a.test", "https://b.test"].map(registryOf));
  for (const { close } of registries) onTestFinished(close);
  const [a = "", b = ""] = registries.map(({ origin }) => origin);
  const foundBy = (registryUrl: string) => pool.client(own, oracleDid, { registryUrl }).http.apiUrl();
  expect([await foundBy(a), await foundBy(b), await foundBy(a)]).toEqual([
    "https://a.test",
    "https://b.test",
    "https://a.test",
  ]);
});

test("after another user signs in, nothing is signed or sent for the previous one [SD-125]", async () => {
  const { oracle, oracleDid, pool, own, signed, settingsOf, current } = await poolAtOracle();
  const client = pool.client(own, oracleDid, { baseUrl: oracle.url });
  current.settings = await settingsOf("syt_second");
  const { did } = current.settings.initialWallet;
  await expect(client.sessions.list()).rejects.toThrow("could not be signed");
  expect([signed, oracle.requests]).toEqual([[], []]);
  const next = pool.client(did, oracleDid, { baseUrl: oracle.url });
  pool.keepOnly(did);
  expect(pool.client(did, oracleDid, { baseUrl: oracle.url })).toBe(next);
  expect(pool.client(own, oracleDid, { baseUrl: oracle.url })).not.toBe(client);
  await next.sessions.list();
  expect(signed).toEqual([did]);
  expect(oracle.requests[0]?.headers["x-matrix-access-token"]).toBe("syt_second");
});

test("a token that is signed while another user signs in is not used for the previous one [SD-125]", async () => {
  const { oracle, oracleDid, pool, own, settingsOf, current } = await poolAtOracle();
  const next = await settingsOf("syt_second");
  const storage = memoryStore();
  current.settings = {
    ...current.settings,
    storage,
    async createDelegation(audience) {
      current.settings = next;
      return await next.createDelegation(audience);
    },
  };
  const client = pool.client(own, oracleDid, { baseUrl: oracle.url });
  await expect(client.tokens.getDelegation()).rejects.toThrow("could not be signed");
  expect(storage.values.size).toBe(0);
});

test("authedRequest sends the user's tokens for the named oracle, and none if no oracle is named [SD-137]", async () => {
  const { oracle, oracleDid, pool, own } = await poolAtOracle();
  pool.client(own, oracleDid, { baseUrl: oracle.url });
  const ask = <Result>(path: string, method: "GET" | "POST", named?: string, options?: RequestInit) =>
    sendAuthed<Result>(pool, own, { url: oracle.url + path, method, oracleDid: named }, options);
  const { sessionId } = await ask<{ sessionId: string }>("/sessions", "POST", oracleDid);
  expect(await ask("/sessions?limit=1", "GET", oracleDid)).toMatchObject({ total: 1, sessions: [{ sessionId }] });
  const body = JSON.stringify({ sessionId });
  expect(await ask("/messages/abort", "POST", oracleDid, { body, headers: [["x-request-id", "req-1"]] })).toEqual({
    success: false,
  });
  const last = oracle.requests.at(-1)?.headers;
  expect([last?.["content-type"], last?.["x-request-id"], last?.["x-matrix-access-token"]]).toEqual([
    "application/json",
    "req-1",
    undefined,
  ]);
  await expect(ask("/sessions", "GET")).rejects.toMatchObject({ name: "RequestError", status: 401 });
  expect(oracle.requests.at(-1)?.headers["authorization"]).toBeUndefined();
});
