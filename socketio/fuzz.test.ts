/**
 * Random and mutated packets over websockets and polling, with drops, evictions and moves of the clock in between. None may
 * make the server throw, send anything to another client, reach another's data, or leave anything in storage at the end.
 */
import { expect, test } from "vitest";
import { createSocketObject, sidOf, type Peer } from "../test/support/socketio/object-in-node.ts";

/** The full number takes some seconds; `npm run check` sends fewer. */
const PACKETS = Number(process.env["PROPERTY_RUNS"] ?? 150) >= 150 ? 100_000 : 10_000;
/** Packets after which the object is evicted, on average. */
const EVICTION_EVERY = 500;

/** A seeded generator (mulberry32), so that a failing run can be repeated. */
function createRandom(seed: number) {
  let state = seed;
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const below = (limit: number): number => Math.floor(next() * limit);
  const pick = <Item>(items: readonly [Item, ...Item[]]): Item => items[below(items.length)] ?? items[0];
  return { below, pick, chance: (share: number) => next() < share };
}

type Random = ReturnType<typeof createRandom>;

const SEEDS = [
  '40{"name":"mallory"}',
  '40/custom,{"name":"mallory"}',
  '40{"pid":"id-3","offset":"0"}',
  '42["message",1,"2",{"3":[true]}]',
  '42/custom,["message"]',
  '4212["echo",{"_placeholder":true,"num":0}]',
  '452-["message",{"_placeholder":true,"num":0},{"_placeholder":true,"num":1}]',
  '451-3["echo",{"_placeholder":true,"num":9}]',
  "461-1[]",
  '431["answer"]',
  "41",
  "41/custom,",
  '44{"message":"x"}',
  "1",
  "2",
  "2probe",
  "3",
  "5",
  "6",
  "4",
  "",
  'b"AQID"',
  '42["__proto__",{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}]',
  `42${"[".repeat(3_000)}`,
  `42["deep",${"[".repeat(2_000)}${"]".repeat(2_000)}]`,
  '42["join","victims"]',
] as const;
const ALPHABET = '0123456789-/,[]{}":ab_\\ué\u001E\u0000';

function mutate(text: string, { below, chance }: Random): string {
  let mutated = text;
  for (let edits = below(4); edits > 0; edits -= 1) {
    const at = below(mutated.length + 1);
    const letters = chance(0.5) ? (ALPHABET[below(ALPHABET.length)] ?? "") : mutated.slice(at, at + below(8));
    mutated = mutated.slice(0, at) + letters + mutated.slice(at + below(3));
  }
  return mutated;
}

function randomText(random: Random): string {
  return Array.from({ length: random.below(24) }, () => ALPHABET[random.below(ALPHABET.length)]).join("");
}

function packet(random: Random): string | ArrayBuffer {
  if (random.chance(0.1)) return new ArrayBuffer(random.below(64));
  const text = random.chance(0.15) ? randomText(random) : random.pick(SEEDS);
  return random.chance(0.5) ? mutate(text, random) : text;
}

test(`${PACKETS} random packets affect no other client and leave nothing stored`, { timeout: 120_000 }, async () => {
  const random = createRandom(20_261_121);
  const senders = new Set<string>();
  const object = createSocketObject<{ readonly name: string }>(
    (server) => ({
      authenticate: ({ auth }) => ({ ok: true, data: { name: String(auth["name"] ?? "mallory") }, identity: "x" }),
      onEvent({ id, data }, name, args, ackId) {
        senders.add(data.name);
        if (ackId !== undefined && name === "echo") server().acknowledge(id, ackId, args);
        if (name === "message") server().emit({ rooms: [id] }, "back", args, { volatile: random.chance(0.5) });
        if (name === "join") server().join(id, String(args[0]));
        if (random.chance(0.01)) server().emitWithAck(id, "ask", [], { handler: "noted", timeoutMs: 500 });
        if (random.chance(0.01)) server().disconnect(id, { close: random.chance(0.5) });
      },
      acknowledgements: { noted: () => undefined },
    }),
    {
      namespaces: ["/", "/custom", "/quiet"],
      maxSessions: 60,
      maxPayload: 20_000,
      maxBufferedBytes: 40_000,
      pingIntervalMs: 5_000,
      pingTimeoutMs: 2_000,
      connectTimeoutMs: 3_000,
      recovery: { windowMs: 2_000, maxEvents: 50, maxBytes: 20_000 },
    },
  );

  // Another client, in a separate namespace: it gets only its pings, and stays connected.
  const other = await object.connect();
  other.send('40/quiet,{"name":"other"}');
  await object.settle();
  const greeting = other.read();
  const received: string[] = [];

  let peers: Peer[] = [];
  let polling: string[] = [];
  for (let sent = 0; sent < PACKETS; sent += 1) {
    if (peers.length < 20 && random.chance(0.5)) {
      const peer = await object.connect().catch(() => undefined);
      if (peer !== undefined) peers.push(peer);
    }
    if (polling.length < 10 && random.chance(0.1)) {
      const opened = await object.request("transport=polling");
      if (opened.ok) polling.push(sidOf(await opened.text()));
    }
    const message = packet(random);
    if (random.chance(0.05) && polling.length > 0) await overPolling(message);
    else {
      const peer = peers[random.below(peers.length)];
      peer?.send(message);
      if (random.chance(0.02)) peer?.drop();
    }
    if (random.chance(0.2)) await object.settle();
    if (random.chance(1 / EVICTION_EVERY)) object.evict();
    if (random.chance(0.05)) object.advance(random.below(200));
    for (const frame of other.read()) {
      received.push(frame);
      if (frame === "2") other.send("3");
    }
    peers = peers.filter(({ closed }) => closed === undefined);
  }

  async function overPolling(message: string | ArrayBuffer): Promise<void> {
    const sid = polling[random.below(polling.length)] ?? "";
    if (random.chance(0.1)) {
      const upgrading = await object.connect(`transport=websocket&sid=${sid}`).catch(() => undefined);
      if (upgrading !== undefined) peers.push(upgrading);
    }
    const body = typeof message === "string" ? message : "bAQID";
    const posted = await object.request(`transport=polling&sid=${sid}`, { method: "POST", body });
    const controller = new AbortController();
    const polled = object.request(`transport=polling&sid=${sid}`, { signal: controller.signal });
    if (random.chance(0.2)) controller.abort();
    else polled.catch(() => undefined);
    if (!posted.ok) polling = polling.filter((other) => other !== sid);
  }

  await object.settle();
  expect(greeting[1]).toMatch(/^40\/quiet,/);
  expect(other.closed).toBe(undefined);
  expect(new Set(received)).toEqual(new Set(["2"]));
  expect(senders.has("other")).toBe(false);
  expect(senders.has("mallory")).toBe(true);
  expect(({} as { polluted?: boolean }).polluted).toBe(undefined);
  expect(object.logged.filter((event) => event === "socketio.callback-failed")).toEqual([]);

  for (const peer of [...peers, other]) peer.drop();
  object.advance(20_000);
  const left = Object.entries(object.rows()).filter(([, rows]) => rows > 0);
  expect(left).toEqual([["version", 1]]);
});
