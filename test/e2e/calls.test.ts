/** Calls on the real Worker: their states, their owners, the agent's key, and a LiveKit token for a Matrix user. */
import { TokenVerifier } from "livekit-server-sdk";
import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import { disposeAfterTests } from "../support/server/dispose-after-tests.ts";
import { startHomeserver, type HomeserverPeer } from "../support/peers/homeserver.ts";
import { startRunningServer, type RunningServer } from "../support/server/running-server.ts";
import type { JsonObject } from "../../platform/json.ts";
import { mintInvocation, signer } from "../support/auth/ucan.ts";

const agentKey = "key-of-the-live-agent";
const liveKit = { LIVEKIT_URL: "wss://sfu.example", LIVEKIT_API_KEY: "lk", LIVEKIT_API_SECRET: "s".repeat(32) };
const iso = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

let peer: HomeserverPeer;
let server: RunningServer;
const started = disposeAfterTests();

beforeAll(async () => {
  peer = await startHomeserver();
  started({ dispose: () => peer.stop() });
  server = started(
    await startRunningServer({
      ...peer.variables,
      ...liveKit,
      LIVE_AGENT_AUTH_API_KEY: agentKey,
      LLM_PROVIDER: "local",
    }),
  );
});

async function call(method: string, path: string, body?: unknown, headers: Readonly<Record<string, string>> = {}) {
  const response = await fetch(`${server.url}${path}`, {
    method,
    headers: { "Content-Type": "application/json", Origin: "https://page.example", ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, headers: response.headers, body: await response.json<JsonObject>() };
}

/** The headers of a user, by the seed of their key. */
async function user(
  seed: number,
): Promise<{ readonly did: string; readonly headers: Readonly<Record<string, string>> }> {
  const document = await fetch(`${server.url}/.well-known/did.json`);
  const { id } = await document.json<{ id: string }>();
  const key = await signer(seed);
  const token = await mintInvocation(key, id, Math.floor(Date.now() / 1_000) + 600);
  return { did: key.did(), headers: { Authorization: `Bearer ${token}`, "X-Auth-Type": "ucan" } };
}

/** A call that the user with that DID has announced in its room, with an event that only the room's members can read. */
function newCall(did: string): string {
  const callId = `$${randomUUID()}@!room:home.example`;
  const sender = `@${did.replaceAll(":", "-").toLowerCase()}:home.example`;
  peer.events.set(callId, { type: "m.room.encrypted", content: {}, sender });
  return callId;
}

describe("a call, with its id raw or escaped", () => {
  const sessionId = randomUUID();
  const details = { sessionId, callType: "audio", encryptionKey: "ciphertext-of-the-key", more: "ignored" };
  let headers: Readonly<Record<string, string>>;
  let callId: string;
  let known: object;
  beforeAll(async () => {
    const ada = await user(21);
    headers = ada.headers;
    callId = newCall(ada.did);
    known = { callId, sessionId, callType: "audio", userDid: ada.did, oracleDid: expect.stringMatching(/^did:/) };
  });
  const move = (callStatus: string, id = callId) => call("PATCH", `/calls/${id}/update`, { callStatus }, headers);
  const listed = () => call("GET", `/calls/session/${sessionId}`, undefined, headers);

  test("is synced [OR-375, OR-384]", async () => {
    expect(await call("POST", `/calls/${callId}/sync`, details, headers)).toMatchObject({
      status: 200,
      body: { ok: true, callId },
    });
  });

  test("becomes active, and is shown without its key [OR-376, OR-377]", async () => {
    const { status, body } = await move("active", encodeURIComponent(callId));
    expect({ status, body }).toMatchObject({ status: 200, body: { ok: true } });
    expect(body["call"]).toEqual({ ...known, callStatus: "active", callStartedAt: iso });
  });

  test("is listed in its session, for a page of any origin [OR-379, OR-384]", async () => {
    const { body, headers: given } = await listed();
    expect(body).toEqual({ calls: [{ ...known, callStatus: "active", callStartedAt: iso }] });
    expect(given.get("Access-Control-Allow-Origin")).toBe("*");
  });

  test("ends permanently: it does not become active again, and a later sync changes only the other members [OR-376]", async () => {
    const ended = { ...known, callStatus: "ended", callStartedAt: iso, callEndedAt: iso };
    expect((await move("ended")).body["call"]).toEqual(ended);
    expect(await move("active")).toMatchObject({
      status: 400,
      body: { statusCode: 400, message: "The call has ended" },
    });
    await call("POST", `/calls/${callId}/sync`, { callStatus: "active", language: "en" }, headers);
    expect((await listed()).body).toEqual({ calls: [{ ...ended, language: "en" }] });
  });
});

test("a sync without a body reads the event of the call; with an encrypted event, the call is pending [OR-380, OR-384]", async () => {
  const { did, headers } = await user(22);
  const [callId, sessionId, unknown] = [newCall(did), randomUUID(), newCall(did)];
  const announced = peer.events.get(callId);
  peer.events.set(callId, { ...announced, type: "m.ixo.oracles_call", content: { callType: "video", sessionId } });
  for (const each of [callId, unknown])
    expect(await call("POST", `/calls/${each}/sync`, undefined, headers)).toMatchObject({ status: 200 });
  const { body } = await call("GET", `/calls/session/${sessionId}`, undefined, headers);
  expect(body).toMatchObject({ calls: [{ callId, callType: "video", callStatus: "pending" }] });
  const moved = await call("PATCH", `/calls/${unknown}/update`, { callStatus: "active" }, headers);
  expect(moved.body["call"]).toMatchObject({ callId: unknown, callStatus: "active" });
});

test("another user's call does not exist, and no call does without a token [OR-378] [OR-484]", async () => {
  const [ada, bob] = [await user(23), await user(24)];
  const [callId, sessionId] = [newCall(ada.did), randomUUID()];
  const missing = { status: 404, body: { statusCode: 404, message: "Call not found" } };
  expect(await call("POST", `/calls/${callId}/sync`, undefined, bob.headers)).toMatchObject(missing);
  await call("POST", `/calls/${callId}/sync`, { sessionId, encryptionKey: "of-ada" }, ada.headers);
  expect(await call("POST", `/calls/${callId}/sync`, { encryptionKey: "of-bob" }, bob.headers)).toMatchObject(missing);
  expect(await call("PATCH", `/calls/${callId}/update`, { callStatus: "ended" }, bob.headers)).toMatchObject(missing);
  expect((await call("GET", `/calls/session/${sessionId}`, undefined, bob.headers)).body).toEqual({ calls: [] });
  expect((await call("POST", `/calls/${callId}/sync`)).status).toBe(401);
  const key = await call("GET", `/calls/${callId}/key`, undefined, { "x-api-key": agentKey });
  expect(key.body).toMatchObject({ encryptionKey: "of-ada", userDid: ada.did });
});

test("only the agent gets the key, and only if there is one [OR-377]", async () => {
  const { did, headers } = await user(25);
  const [callId, without] = [newCall(did), newCall(did)];
  await call("POST", `/calls/${callId}/sync`, { encryptionKey: "ciphertext" }, headers);
  await call("POST", `/calls/${without}/sync`, {}, headers);
  const keyOf = (id: string, given: Readonly<Record<string, string>>) =>
    call("GET", `/calls/${id}/key`, undefined, given);
  const given = await keyOf(encodeURIComponent(callId), { "x-api-key": agentKey });
  expect(given.body).toEqual({ encryptionKey: "ciphertext", userDid: did, oracleDid: expect.stringMatching(/^did:/) });
  expect(given.headers.get("Cache-Control")).toBe("no-store");
  for (const wrong of [{}, headers, { "x-api-key": "" }, { "x-api-key": `${agentKey}x` }])
    expect((await keyOf(callId, wrong)).status).toBe(401);
  for (const unknown of [without, newCall(did)])
    expect((await keyOf(unknown, { "x-api-key": agentKey })).status).toBe(404);
});

test("an invalid call id or an invalid description of a call is refused with a body [OR-375, OR-384]", async () => {
  const { did, headers } = await user(26);
  for (const id of ["x", "$e", "%24e%40room"])
    expect((await call("POST", `/calls/${id}/sync`, {}, headers)).status, id).toBe(404);
  const wrong = await call("POST", `/calls/${newCall(did)}/sync`, { callStatus: "paused" }, headers);
  expect(wrong).toMatchObject({
    status: 400,
    body: { statusCode: 400, message: expect.stringContaining("callStatus") },
  });
  expect((await call("PATCH", `/calls/${newCall(did)}/update`, { callStatus: "pending" }, headers)).status).toBe(400);
});

test("a Matrix user gets a LiveKit token, which the official library accepts; CORS is the oracle's [OR-381, OR-384]", async () => {
  const openid_token = {
    access_token: "peer-openid-token",
    token_type: "Bearer",
    matrix_server_name: peer.serverName,
    expires_in: 3_600,
  };
  const asked = { room: "!room:home.example", openid_token, device_id: "DEVICE" };
  const { status, body, headers } = await call("POST", "/sfu/get", asked);
  expect([status, body["url"], headers.get("Access-Control-Allow-Origin")]).toEqual([200, "wss://sfu.example", "*"]);
  const claims = await new TokenVerifier("lk", "s".repeat(32)).verify(String(body["jwt"]));
  expect(claims).toMatchObject({
    sub: "@ada:home.example:DEVICE",
    video: { roomJoin: true, room: "!room:home.example" },
  });
  const unknown = { ...asked, openid_token: { ...openid_token, access_token: "another" } };
  expect(await call("POST", "/sfu/get", unknown)).toMatchObject({ status: 401, body: { errcode: "M_UNAUTHORIZED" } });
  const preflight = await fetch(`${server.url}/sfu/get`, {
    method: "OPTIONS",
    headers: { Origin: "https://page.example" },
  });
  expect(preflight.headers.get("Access-Control-Allow-Methods")).toContain("POST");
});

test("no log line contains a key or a token of a call [OR-382]", () => {
  for (const secret of ["ciphertext", "of-ada", "peer-openid-token", agentKey, liveKit.LIVEKIT_API_SECRET])
    expect(server.log()).not.toContain(secret);
});
