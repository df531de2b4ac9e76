/** Calls with their storage and a homeserver: ownership, races for it, events, and tokens for rooms. */
import { TokenVerifier } from "livekit-server-sdk";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { createKvInNode } from "../../../test/support/plugins/kv-in-node.ts";
import { startHomeserver, type HomeserverPeer } from "../../../test/support/peers/homeserver.ts";
import { createLogger } from "../../../platform/log.ts";
import { KvLimitError, type PluginKv } from "../../framework/storage.ts";
import { responseOf } from "../../../test/support/plugins/route-answer.ts";
import type { RouteContext } from "../../framework/plugin-routes.ts";
import { isSenderOf, readCallEvent } from "./call-event.ts";
import { changed, parseCallId, synced, type CallRecord } from "./call-record.ts";
import { callRoutes } from "./call-routes.ts";
import { createCallStore, FORGOTTEN_CALLS, LISTED_CALLS } from "./call-store.ts";
import { callSettings } from "./settings.ts";
import { sfuRoute, TOKEN_SECONDS, TOKENS_PER_MINUTE } from "./sfu-route.ts";

const callId = "$call@!room:home.example";
const now = "2026-11-21T09:00:00.000Z";
const sessionId = "0b7c2c1e-5a0e-4d0c-9a55-6d1f6f6a8e10";
const [ada, bob] = ["did:key:zAda", "did:key:zBob"];

let stores: Map<string, PluginKv>;
beforeEach(() => {
  stores = new Map();
});

function kvOf(did: string): { readonly kv: PluginKv } {
  const kv = stores.get(did) ?? createKvInNode("calls");
  stores.set(did, kv);
  return { kv };
}

const store = () => createCallStore(kvOf);

function callOf(userDid: string, change: Partial<CallRecord> = {}): CallRecord {
  return { ...synced(undefined, {}, { callId, oracleDid: "did:ixo:oracle", userDid }), ...change };
}

async function startPeer(): Promise<HomeserverPeer> {
  const peer = await startHomeserver();
  onTestFinished(() => peer.stop());
  return peer;
}

describe("ownership of a call [OR-378]", () => {
  test("the first user to sync it owns it; other users can neither read nor write it, and leave no trace", async () => {
    const calls = store();
    expect(await calls.write(callOf(ada, { encryptionKey: "k" }), now)).toMatchObject({ userDid: ada });
    expect(await calls.write(callOf(bob, { encryptionKey: "mine" }), now)).toBeUndefined();
    expect(await calls.read(callId, bob)).toBeUndefined();
    expect(await stores.get(bob)?.list()).toEqual({ keys: [] });
    expect(await calls.ownerOf(callId)).toBe(ada);
    expect(await calls.read(callId, ada)).toMatchObject({ encryptionKey: "k" });
  });

  test("of many concurrent users, one owns it", async () => {
    const users = Array.from({ length: 20 }, (_, index) => `did:key:z${index}`);
    // All have seen that the call has no owner before the first of them claims it.
    const all = Promise.withResolvers<void>();
    let looked = 0;
    const calls = createCallStore((did) => {
      const kv = stores.get(did) ?? createKvInNode("calls");
      stores.set(did, kv);
      if (!did.startsWith("did:call:")) return { kv };
      const get: PluginKv["get"] = async (key) => {
        const seen = await kv.get(key);
        looked += 1;
        if (looked === users.length) all.resolve();
        await all.promise;
        return seen;
      };
      return { kv: { ...kv, get } };
    });
    const written = await Promise.all(users.map((user) => calls.write(callOf(user), now)));
    const owners = written.flatMap((call) => (call === undefined ? [] : [call.userDid]));
    expect(owners).toEqual([await calls.ownerOf(callId)]);
    const reads = await Promise.all(users.map((user) => calls.read(callId, user)));
    expect(reads.filter((call) => call !== undefined)).toHaveLength(1);
  });
});

test("a call that ends during a concurrent write stays ended [OR-376]", async () => {
  const calls = store();
  const pending = callOf(ada);
  await calls.write(pending, now);
  const ended = changed(pending, { callStatus: "ended" }, now) ?? pending;
  const active = changed(pending, { callStatus: "active" }, now) ?? pending;
  await calls.write(ended, now);
  expect(await calls.write(active, now)).toMatchObject({ callStatus: "ended", callEndedAt: now });
  expect(await calls.read(callId, ada)).toMatchObject({ callStatus: "ended" });
});

test("the calls of a session are its newest hundred, each once, oldest first [OR-379]", async () => {
  expect(LISTED_CALLS).toBe(100);
  const calls = store();
  for (let index = 0; index < 103; index += 1) {
    const at = new Date(Date.parse(now) + index * 1_000).toISOString();
    const call = callOf(ada, { callId: `$${index}@!r`, sessionId });
    await calls.write(call, at);
    await calls.write({ ...call, language: "en" }, at);
  }
  await calls.write(callOf(ada, { callId: "$elsewhere@!r", sessionId: "another" }), now);
  const listed = await calls.ofSession(sessionId, ada);
  expect(listed.map(({ callId }) => callId)).toEqual(Array.from({ length: 100 }, (_, index) => `$${index + 3}@!r`));
  expect(await calls.ofSession(sessionId, bob)).toEqual([]);
});

describe("the event of a call in its room [OR-380]", () => {
  const id = parseCallId(callId);
  const read = async (peer: HomeserverPeer, change: Readonly<Record<string, string>> = {}) => {
    const { matrix } = callSettings.parse({ ...peer.variables, ...change });
    if (id === undefined || matrix === undefined) throw new Error("the test is wrong");
    return readCallEvent(id, matrix, fetch);
  };

  test("is read with the oracle's account; invalid members are omitted", async () => {
    const peer = await startPeer();
    peer.events.set(callId, {
      type: "m.ixo.oracles_call",
      content: { callType: "video", language: 7, encryptionKey: "k", more: true },
    });
    const details = { callType: "video", encryptionKey: "k" };
    expect(await read(peer)).toEqual({ ok: true, value: { sender: "@ada:home.example", details } });
  });

  test("names the sender if it has another type; an unknown or unreachable event gives nothing", async () => {
    const peer = await startPeer();
    peer.events.set(callId, { type: "m.room.message", content: { callType: "video" } });
    expect(await read(peer)).toEqual({ ok: true, value: { sender: "@ada:home.example", details: {} } });
    peer.events.delete(callId);
    expect(await read(peer)).toEqual({ ok: false, error: "unknown" });
    expect(await read(peer, { MATRIX_ACCESS_TOKEN: "wrong" })).toEqual({ ok: false, error: "status 401" });
    expect(await read(peer, { MATRIX_BASE_URL: "http://127.0.0.1:1" })).toEqual({ ok: false, error: "unreachable" });
  });
});

describe("a call belongs to the sender of its event [OR-484]", () => {
  const DID = "did:ixo:ixo1Ada";
  test.each<[string, string, boolean]>([
    ["their own account", "@did-ixo-ixo1ada:home.example", true],
    ["the same in another case", "@did-ixo-ixo1Ada:home.example", true],
    ["another account", "@did-ixo-ixo1bob:home.example", false],
    ["a longer name", "@did-ixo-ixo1adam:home.example", false],
    ["an account of that name elsewhere", "@did-ixo-ixo1ada:evil.example", false],
    ["a server whose name begins alike", "@did-ixo-ixo1ada:home.example.evil.example", false],
    ["no user id", "did-ixo-ixo1ada", false],
  ])("%s", (_, sender, isTheirs) => {
    expect(isSenderOf(DID, sender, ["home.example"])).toBe(isTheirs);
  });

  test("without a list of homeservers, the oracle account's server counts if its address matches its name", () => {
    const account = { MATRIX_BASE_URL: "https://home.example/", MATRIX_ACCESS_TOKEN: "t" };
    expect(callSettings.parse(account).matrix?.servers).toEqual(["home.example"]);
    const listed = { ...account, CALLS_HOMESERVERS: "a.example,b.example=https://matrix.b.example" };
    expect(callSettings.parse(listed).matrix?.servers).toEqual(["a.example", "b.example"]);
  });

  async function sync(variables: Readonly<Record<string, string>>, did: string, body = "") {
    const { storageOf } = { storageOf: kvOf };
    const [route] = callRoutes({ settings: callSettings.parse(variables), send: fetch, now: () => now });
    const request = new Request("https://oracle.test/calls", { method: "POST", ...(body === "" ? {} : { body }) });
    const logger = createLogger({}, () => undefined);
    const ctx = { params: { callId }, user: { did }, identity: { did: "did:ixo:oracle" }, storageOf, logger };
    const handled = route?.handler(request, ctx as unknown as RouteContext);
    if (handled === undefined) throw new Error("the test is wrong");
    return responseOf(await handled).status;
  }
  const event = (sender: string) => ({ type: "m.ixo.oracles_call", content: { encryptionKey: "k" }, sender });

  test("with the oracle's account, no other user can take it over, with or without a body, before or after its sender", async () => {
    const peer = await startPeer();
    peer.events.set(callId, event("@did-key-zada:home.example"));
    for (const body of ["", '{"callType":"audio"}']) expect(await sync(peer.variables, bob, body)).toBe(404);
    expect(await sync(peer.variables, ada)).toBe(200);
    expect(await sync(peer.variables, bob)).toBe(404);
    expect(await store().read(callId, ada)).toMatchObject({ encryptionKey: "k" });
    expect(await store().ownerOf(callId)).toBe(ada);
  });

  test("a call with an unknown or unreadable event has no owner; a known call is unchanged", async () => {
    const peer = await startPeer();
    peer.events.delete(callId);
    expect(await sync(peer.variables, ada, "{}")).toBe(404);
    const away = { ...peer.variables, MATRIX_BASE_URL: "http://127.0.0.1:1" };
    expect(await sync(away, ada, "{}")).toBe(503);
    expect(await store().ownerOf(callId)).toBeUndefined();
    peer.events.set(callId, event("@did-key-zada:home.example"));
    expect(await sync(peer.variables, ada)).toBe(200);
    expect(await sync(away, ada)).toBe(200);
    expect(await store().read(callId, ada)).toMatchObject({ encryptionKey: "k" });
  });

  test("without the oracle's account, an unknown call needs a body", async () => {
    expect(await sync({}, ada)).toBe(400);
    expect(await sync({}, ada, '{"callType":"audio"}')).toBe(200);
    expect(await sync({}, ada)).toBe(200);
  });
});

test("a user whose storage is full loses the oldest calls, ended ones first [OR-485]", async () => {
  const calls = store();
  const kv = createKvInNode("calls");
  let room = Infinity;
  const count = async (): Promise<number> => {
    let [keys, page] = [0, await kv.list()];
    for (keys = page.keys.length; page.cursor !== undefined; keys += page.keys.length)
      page = await kv.list(undefined, page.cursor);
    return keys;
  };
  const bounded = async (key: string): Promise<void> => {
    if ((await kv.get(key)) === undefined && (await count()) >= room) throw new KvLimitError("keys", "full");
  };
  stores.set(ada, {
    ...kv,
    set: async (key, value) => {
      await bounded(key);
      await kv.set(key, value);
    },
    setIfAbsent: async (key, value) => {
      await bounded(key);
      return kv.setIfAbsent(key, value);
    },
  });
  const at = (index: number): string => new Date(Date.parse(now) + index * 1_000).toISOString();
  const call = (index: number, change: Partial<CallRecord> = {}) =>
    callOf(ada, { callId: `$${index}@!r`, sessionId, ...change });
  await calls.write(call(0), at(0));
  for (let index = 1; index <= FORGOTTEN_CALLS + 20; index += 1)
    await calls.write(call(index, { callStatus: "ended" }), at(index));
  room = await count();
  expect(await calls.write(call(500), at(500))).toMatchObject({ callId: "$500@!r" });
  expect(await calls.read("$0@!r", ada)).toBeDefined();
  expect(await calls.read("$1@!r", ada)).toBeUndefined();
  expect(await calls.read(`$${FORGOTTEN_CALLS}@!r`, ada)).toBeUndefined();
  expect(await calls.read(`$${FORGOTTEN_CALLS + 1}@!r`, ada)).toBeDefined();
  expect(await count()).toBe(room - 3 * FORGOTTEN_CALLS + 2);
  expect(await calls.write(callOf(bob, { callId: "$1@!r" }), now)).toBeUndefined();
});

describe("a token for the room of a call [OR-381]", () => {
  const livekit = { LIVEKIT_URL: "wss://sfu.example", LIVEKIT_API_KEY: "key", LIVEKIT_API_SECRET: "s".repeat(32) };
  const lines: string[] = [];

  function body(change: Readonly<Record<string, string>> = {}, more: Readonly<Record<string, unknown>> = {}) {
    const openid_token = {
      access_token: "peer-openid-token",
      token_type: "Bearer",
      matrix_server_name: "home.example",
      expires_in: 3600,
      ...change,
    };
    return { room: "!room:home.example", openid_token, device_id: "DEVICE", ...more };
  }

  async function ask(
    peer: HomeserverPeer,
    sent: unknown,
    { variables = {}, nowMs = Date.now() }: { variables?: Readonly<Record<string, string>>; nowMs?: number } = {},
  ) {
    const settings = callSettings.parse({ ...livekit, ...peer.variables, ...variables });
    const route = sfuRoute({ settings, fetch, clock: () => nowMs });
    const request = new Request("https://oracle.test/sfu/get", {
      method: "POST",
      body: typeof sent === "string" ? sent : JSON.stringify(sent),
    });
    const logger = createLogger({}, (_level, line) => lines.push(line));
    const response = responseOf(await route.handler(request, { requestId: "req-1", logger } as RouteContext));
    const given = await response.json<Readonly<Record<string, string>>>();
    return { status: response.status, body: given, jwt: given["jwt"] ?? "" };
  }

  test("is accepted by the official library for ten minutes, for this user, device and room", async () => {
    const peer = await startPeer();
    const { status, body: given, jwt } = await ask(peer, body());
    expect(status).toBe(200);
    expect(given["url"]).toBe("wss://sfu.example");
    const claims = await new TokenVerifier("key", "s".repeat(32)).verify(jwt);
    expect(claims).toMatchObject({
      sub: "@ada:home.example:DEVICE",
      iss: "key",
      video: { roomJoin: true, room: "!room:home.example", canPublish: true, canSubscribe: true },
    });
    expect(claims.video).not.toHaveProperty("roomAdmin");
    expect(claims.video).not.toHaveProperty("roomCreate");
    expect(Number(claims.exp) - Number(claims.nbf)).toBe(TOKEN_SECONDS);
    expect(TOKEN_SECONDS).toBe(600);
    await expect(new TokenVerifier("key", "t".repeat(32)).verify(jwt)).rejects.toThrow("signature");
    const old = await ask(peer, body(), { nowMs: Date.now() - 700_000 });
    await expect(new TokenVerifier("key", "s".repeat(32)).verify(old.jwt)).rejects.toThrow("exp");
  });

  test("is refused when the homeserver does not confirm the OpenID token", async () => {
    const peer = await startPeer();
    expect(await ask(peer, body({ access_token: "another" }))).toMatchObject({
      status: 401,
      body: { errcode: "M_UNAUTHORIZED", statusCode: 401 },
    });
  });

  test("is refused without a request to a homeserver that is not listed, however it is spelt", async () => {
    const peer = await startPeer();
    for (const matrix_server_name of [
      "evil.example",
      "127.0.0.1",
      "home.example:443",
      "HOME.example",
      "home.example/",
      "__proto__",
    ])
      expect(await ask(peer, body({ matrix_server_name })), matrix_server_name).toMatchObject({ status: 401 });
    expect(await ask(peer, body(), { variables: { CALLS_HOMESERVERS: "" } })).toMatchObject({ status: 401 });
    expect(peer.paths).toEqual([]);
  });

  test("is issued only to a homeserver's own users", async () => {
    const peer = await startPeer();
    for (const sub of ["@ada:other.example", "@ada:home.example.evil", "ada", "@ada", "@ada:home.example:8448"]) {
      peer.openIdTokens.set("lie", sub);
      expect(await ask(peer, body({ access_token: "lie" })), sub).toMatchObject({ status: 401 });
    }
  });

  test("is M_BAD_JSON without room, token or server, and no homeserver is asked", async () => {
    const peer = await startPeer();
    for (const wrong of [
      "",
      "{",
      "[]",
      {},
      body({}, { room: "" }),
      body({ access_token: "" }),
      body({ matrix_server_name: "" }),
    ])
      expect(await ask(peer, wrong)).toMatchObject({ status: 400, body: { errcode: "M_BAD_JSON" } });
    expect(peer.paths).toEqual([]);
  });

  test("a network gets at most 60 tokens per minute [OR-486]", () => {
    const settings = callSettings.parse(livekit);
    expect(sfuRoute({ settings, fetch, clock: () => 0 }).requestsPerMinute).toBe(TOKENS_PER_MINUTE);
    expect(TOKENS_PER_MINUTE).toBe(60);
  });

  test("without LiveKit, the route does not exist [OR-383]", async () => {
    const peer = await startPeer();
    expect(await ask(peer, body(), { variables: { LIVEKIT_URL: "" } })).toMatchObject({ status: 404 });
  });

  test("no log line contains the OpenID token [OR-382]", async () => {
    const peer = await startPeer();
    await ask(peer, body({ access_token: "hidden-token" }));
    await ask(peer, body({ access_token: "hidden-token" }), {
      variables: { CALLS_HOMESERVERS: "home.example=http://127.0.0.1:1" },
    });
    expect(lines.length).toBeGreaterThan(0);
    expect(lines.join("\n")).not.toContain("hidden-token");
  });
});
