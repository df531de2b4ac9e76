/** Calls over their storage and over a homeserver: whose a call is, races for it, its event, and tokens for its room. */
import { beforeEach, describe, expect, test } from "vitest";
import { createKvInNode } from "../../../test/support/plugins/kv-in-node.ts";
import type { HomeserverPeer } from "../../../test/support/peers/homeserver.ts";
import { createLogger } from "../../../platform/log.ts";
import { KvLimitError, type PluginKv } from "../../framework/storage.ts";
import { responseOf } from "../../../test/support/plugins/route-answer.ts";
import type { RouteContext } from "../../framework/plugin-routes.ts";
import { isSenderOf, readCallEvent } from "./call-event.ts";
import { changed, parseCallId, synced, type CallRecord } from "./call-record.ts";
import { callRoutes } from "./call-routes.ts";
import { createCallStore, FORGOTTEN_CALLS, LISTED_CALLS } from "./call-store.ts";
import { callSettings } from "./settings.ts";
import { startPeer } from "../../../test/support/plugins/call-peers.ts";

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

describe("whose a call is [OR-378]", () => {
  test("belongs to the first user who reports it; other users cannot read or write it, and leave no trace", async () => {
    const calls = store();
    expect(await calls.write(callOf(ada, { encryptionKey: "k" }), now)).toMatchObject({ userDid: ada });
    expect(await calls.write(callOf(bob, { encryptionKey: "mine" }), now)).toBeUndefined();
    expect(await calls.read(callId, bob)).toBeUndefined();
    expect(await stores.get(bob)?.list()).toEqual({ keys: [] });
    expect(await calls.ownerOf(callId)).toBe(ada);
    expect(await calls.read(callId, ada)).toMatchObject({ encryptionKey: "k" });
  });

  test("an erased user's call names no user, and no other user can take it over [OR-487]", async () => {
    const calls = store();
    await calls.write(callOf(ada), now);
    await calls.disown(bob);
    expect(await calls.ownerOf(callId)).toBe(ada);
    await calls.disown(ada);
    await calls.disown(ada);
    expect(await calls.ownerOf(callId)).toBe("erased");
    expect(await calls.write(callOf(bob), now)).toBeUndefined();
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
