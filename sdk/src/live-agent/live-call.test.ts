import { PrivateKey, decrypt } from "eciesjs";
import { base58btc } from "multiformats/bases/base58";
import { beforeAll, beforeEach, expect, test } from "vitest";
import { disposeAfterTests } from "../../../test/support/server/dispose-after-tests.ts";
import { startFieldNetwork, type FieldNetwork, type FieldWallet } from "../../../test/support/peers/field-network.ts";
import { joinOracleRooms } from "../matrix/contract.ts";
import { requestJson, textOf } from "../matrix/json-request.ts";
import type { CallMedia, MediaEvents } from "./call-media.ts";
import { createLiveCall } from "./live-call.ts";
import type { LiveCallParts } from "./set-up-call.ts";

const [agentKey, params] = [
  new PrivateKey(),
  { callType: "audio", sessionId: "s", userDid: "did:ixo:ixo1ada", agentVoice: "Puck", language: "en" } as const,
];
const roomId = "!oracle-did-ixo-ixo1ada:home.example";

let network: FieldNetwork;
let ada: FieldWallet;
const started = disposeAfterTests();

beforeAll(async () => {
  network = started(await startFieldNetwork());
  ada = network.wallet();
  const [account, bot] = [
    { homeServerUrl: network.homeserver.url, accessToken: ada.matrix.accessToken },
    { url: network.roomsBot.url, accessToken: ada.matrix.accessToken },
  ];
  await joinOracleRooms(account, bot, ada.did, network.oracle());
});

/** Everything that left the client or happened to the media, in order. */
let log: { readonly what: string; readonly detail: unknown }[] = [];
let toasts: { title: string; description: string }[] = [];
/** Awaited before the step of this name; may throw. */
let before: Partial<Record<string, () => unknown>> = {};
/** The keys that the media was given. */
let keys: string[] = [];
let events: MediaEvents;

beforeEach(() => {
  [log, toasts, before, keys] = [[], [], {}, []];
});

async function note(what: string, detail: unknown = null): Promise<void> {
  log.push({ what, detail });
  await before[what]?.();
}

const what = () => log.map((entry) => entry.what);

/** LiveKit needs a browser; where it is real is test/e2e/sdk/calls.test.ts. */
function scriptedMedia(given: MediaEvents): CallMedia {
  events = given;
  const room = { localParticipant: {} } as never;
  return {
    room,
    async join(token, key) {
      keys.push(key);
      await note("join", token);
      given.onConnected();
    },
    async leave() {
      await note("leave");
      given.onDisconnected();
    },
    dispose: () => void note("dispose"),
  };
}

function newCall(change: Partial<LiveCallParts> = {}) {
  return createLiveCall({
    roomId: async () => roomId,
    oracleAccount: async () => ({
      did: "did:ixo:ixo1oracle",
      publicKeys: [
        "not base58: 0OIl",
        base58btc.baseEncode(new Uint8Array(32).fill(1)),
        base58btc.baseEncode(agentKey.publicKey.toBytes(true)),
      ],
    }),
    async sendEvent(room, type, content) {
      await note("event", content);
      const path = `/_matrix/client/v3/rooms/${encodeURIComponent(room)}/send/${type}/1`;
      const { accessToken } = ada.matrix;
      const request = { method: "PUT", body: content, accessToken, service: "Matrix" } as const;
      return { event_id: textOf(await requestJson(`${network.homeserver.url}${path}`, request), "event_id", "Matrix") };
    },
    tellOracle: (method, path, body) => note(`${method} ${/\w+$/.exec(path)?.[0] ?? ""}`, { path, body }),
    async token(callId) {
      await note("token", callId);
      return { url: "wss://sfu.example", jwt: "jwt" };
    },
    async openMedia(given) {
      await before["media"]?.();
      return scriptedMedia(given);
    },
    toast: (message) => void toasts.push(message),
    ...change,
  });
}

test("the key is 32 random bytes that only the oracle's account can open [SD-170]", async () => {
  const call = newCall();
  const made = await call.call(params);
  const [event] = log;
  const encryptionKey = String((event?.detail as { encryptionKey?: string } | undefined)?.encryptionKey);
  const opened = new TextDecoder().decode(decrypt(agentKey.secret, base58btc.baseDecode(encryptionKey)));
  expect(opened).toMatch(/^[0-9a-f]{64}$/);
  expect([made.encryptionKey, ...keys]).toEqual([opened, opened]);
  await call.end();
  await call.call(params);
  expect(keys[1]).toMatch(/^[0-9a-f]{64}$/);
  expect(keys[1]).not.toBe(keys[0]);
  await call.end();
});

test("the encryption has the format that existing agents decrypt [SD-170]", async () => {
  const { sealCallKey } = await import("./call-key.ts");
  // From the library and version that clients of the field have, for the private key 0x42 repeated.
  const field =
    "ZTrzEDd43KkYkMhKQqXUYTTEq1AMadWRrgKsGdKfgAaZ98YCSVphh5FZRzex1dLLWzVc1EAj1SV5RGi9CCS4neMmvTB8nvjbdN7NXX7KFKyutHn1LN6ub9FcA2BW5SUqPTDTe8jrLsbQj7Tonzd7XiQLYXK4zS3yeBJgNUj6YYsh1XnQzY1AmG5wScBz6nkuhHxFjx5rLXjRwSKuSAHXe6hm2Dz";
  const secret = new Uint8Array(32).fill(0x42);
  expect(new TextDecoder().decode(decrypt(secret, base58btc.baseDecode(field)))).toBe("ab".repeat(32));
  const receiver = new PrivateKey(secret).publicKey;
  for (const bytes of [receiver.toBytes(true), receiver.toBytes(false)]) {
    const sealed = base58btc.baseDecode(sealCallKey("ab".repeat(32), [base58btc.baseEncode(bytes)]));
    expect(sealed).toHaveLength(base58btc.baseDecode(field).length);
    expect(new TextDecoder().decode(decrypt(secret, sealed))).toBe("ab".repeat(32));
  }
  const ed25519 = base58btc.baseEncode(new Uint8Array(32).fill(1));
  expect(() => sealCallKey("ab", [ed25519, ""])).toThrow("no key that a call can be encrypted for");
});

test("a call is announced, recorded, joined and then active, under its percent-encoded id [SD-172]", async () => {
  const call = newCall();
  const { callId } = await call.call(params);
  expect(what()).toEqual(["event", "POST sync", "token", "join", "PATCH update"]);
  const sent = network.homeserver.sent.at(-1);
  expect(callId).toBe(`${sent?.eventId}@${roomId}`);
  expect(sent).toMatchObject({ roomId, type: "m.ixo.oracles_call" });
  const content = {
    ...params,
    callStatus: "pending",
    callStartedAt: expect.any(String),
    encryptionKey: expect.any(String),
    oracleDid: "did:ixo:ixo1oracle",
  };
  expect(sent?.content).toEqual(content);
  expect(log[1]?.detail).toEqual({ path: `/calls/${encodeURIComponent(callId)}/sync`, body: content });
  expect(log[2]?.detail).toBe(callId);
  expect(log[4]?.detail).toEqual({
    path: `/calls/${encodeURIComponent(callId)}/update`,
    body: { callStatus: "active", callStartedAt: expect.stringMatching(/Z$/) },
  });
  expect(callId).toContain("/+@!");
  await call.end();
});

test("states follow the call: started after the record, visible after the connect, cleared after the end", async () => {
  const call = newCall();
  const states: string[] = [];
  const seen = () => {
    const { sessionStarted, isConnecting, sessionViewVisible } = call.getState();
    const now = JSON.stringify({ sessionStarted, isConnecting, sessionViewVisible });
    if (now !== states.at(-1)) states.push(now);
  };
  call.subscribe(seen);
  await call.call(params);
  await call.end();
  expect(
    states.map((text) =>
      Object.values(JSON.parse(text) as object)
        .map(Number)
        .join(""),
    ),
  ).toEqual(["000", "110", "101", "000"]);
});

test("the key is never sent, listed, logged or stored, and is deleted at the end [SD-171]", async () => {
  const call = newCall();
  const made = await call.call(params);
  const key = made.encryptionKey;
  expect(key).toHaveLength(64);
  const { encryptionKey } = made;
  expect(encryptionKey).toBe(key);
  const everything = JSON.stringify([log, toasts, made, { ...made }, call.getState(), network.homeserver.sent]);
  expect(everything).not.toContain(key);
  expect(everything).not.toContain(Buffer.from(key, "hex").toString("base64").slice(0, 40));
  await call.end();
  expect(made.encryptionKey).toBe("");
});

const STEPS = ["media", "event", "POST sync", "token", "join", "PATCH update"];

test.each(STEPS)("when %s fails, the call is over everywhere and the next one works [SD-174]", async (failing) => {
  const call = newCall();
  before[failing] = () => {
    delete before[failing];
    throw new Error(`${failing} failed`);
  };
  await expect(call.call(params)).rejects.toThrow(`${failing} failed`);
  expect(toasts).toEqual([{ title: "The call could not be started", description: `${failing} failed` }]);
  expect(call.getState()).toMatchObject({ sessionStarted: false, isConnecting: false, sessionViewVisible: false });
  // Whatever the oracle may know of has ended, behind the media.
  const known = what().includes("POST sync");
  const update = log.at(-1)?.detail as { body: { callStatus: string } } | null;
  expect(known ? [what().at(-1), update?.body.callStatus] : what().includes("PATCH update")).toEqual(
    known ? ["PATCH update", "ended"] : false,
  );
  expect(what().filter((step) => step === "leave")).toHaveLength(failing === "media" ? 0 : 1);
  [log, toasts] = [[], []];
  await call.call(params);
  expect(what().at(-1)).toBe("PATCH update");
  await call.end();
});

test("a second call during the setup or the call is refused and does not affect the first [SD-175]", async () => {
  const call = newCall();
  const first = call.call(params);
  await expect(call.call(params)).rejects.toThrow("A call is already running");
  await first;
  await expect(call.call(params)).rejects.toThrow("A call is already running");
  expect(what()).toEqual(["event", "POST sync", "token", "join", "PATCH update"]);
  expect(call.getState().sessionViewVisible).toBe(true);
  await call.end();
  expect(toasts).toEqual([]);
});

test.each(STEPS)(
  "a call that is ended during %s goes no further, and the oracle hears of its end last [SD-176]",
  async (step) => {
    const call = newCall();
    let ended: Promise<void> | undefined;
    before[step] = () => {
      delete before[step];
      ended = call.end();
    };
    await expect(call.call(params)).rejects.toThrow("The call was ended");
    await ended;
    const done = what().filter((entry) => STEPS.includes(entry));
    const known = done.includes("POST sync");
    const expected = STEPS.slice(1, STEPS.indexOf(step) + 1);
    expect(done).toEqual(known ? [...expected, "PATCH update"] : expected);
    expect(JSON.stringify(log.at(-1)?.detail ?? null).includes(`"callStatus":"ended"`)).toBe(known);
    expect(toasts).toEqual([]);
    expect(call.getState().sessionStarted).toBe(false);
  },
);

test("the oracle is informed of the end only after it has answered the announcement [SD-176]", async () => {
  const call = newCall();
  let answer: () => void = () => undefined;
  before["POST sync"] = () =>
    new Promise<void>((done) => {
      answer = done;
    });
  const calling = call.call(params).catch(String);
  await expect.poll(what).toContain("POST sync");
  const ended = call.end();
  await expect.poll(what).toContain("leave");
  // Whatever could happen without the answer has happened.
  await new Promise((done) => void setImmediate(done));
  expect(what()).toEqual(["event", "POST sync", "leave"]);
  answer();
  await ended;
  expect(what()).toEqual(["event", "POST sync", "leave", "PATCH update"]);
  expect(await calling).toBe("CallEnded: The call was ended");
});

test("a call that the other side ends is ended here and at the oracle, once [SD-176]", async () => {
  const call = newCall();
  const made = await call.call(params);
  log = [];
  events.onDisconnected();
  await expect.poll(what).toEqual(["leave", "PATCH update"]);
  expect([made.encryptionKey, call.getState().sessionViewVisible]).toEqual(["", false]);
  await call.end();
  expect(what()).toEqual(["leave", "PATCH update"]);
});

test("dispose ends the call and the worker; a later call starts from the beginning [SD-176]", async () => {
  const call = newCall();
  const waiting = call.getState().room;
  await call.dispose();
  expect(call.getState().room).toBe(waiting);
  await call.call(params);
  const real = call.getState().room;
  expect(real).not.toBe(waiting);
  log = [];
  await call.dispose();
  expect(what()).toEqual(["leave", "PATCH update", "dispose"]);
  expect(call.getState().room).not.toBe(real);
  await call.call(params);
  expect(call.getState().sessionViewVisible).toBe(true);
  await call.dispose();
});

test("endCall rejects if the oracle could not be informed, and the media is disconnected anyway [SD-176]", async () => {
  const call = newCall();
  await call.call(params);
  before["PATCH update"] = () => {
    throw new Error("offline");
  };
  await expect(call.end()).rejects.toThrow("offline");
  expect(call.getState().sessionStarted).toBe(false);
  expect(what().filter((step) => step === "leave")).toHaveLength(1);
  await call.end();
});
