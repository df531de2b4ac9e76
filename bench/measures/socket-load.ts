/**
 * 5,000 idle sockets over 500 rooms, held until their objects have been evicted, then all woken: each room emits an event to its
 * ten sockets, and every socket sends a ping. A closed socket, and one that does not get an event exactly once, counts as lost.
 * Memory is the growth of the warm server process's resident memory, divided by the sockets. The chat has the same number of
 * sockets over 625 sessions, since a session has at most 8.
 */
import { setTimeout as wait } from "node:timers/promises";
import { signUpMany } from "../oracle-user.ts";
import { openFilesLimit } from "../process-use.ts";
import { rowOf, type Row } from "../rows.ts";
import { startRuntime } from "../runtime.ts";
import { connectAll, leaveAll, type SocketAddress, type SocketClient } from "../socket-clients.ts";
import { chatSocketAt, roomAt, startStockServer, STOCK, type SocketSide, type StockServer } from "../socket-servers.ts";
import type { Bench, Measure } from "./measure.ts";
import { wakeUpsAt } from "./socket-wake-ups.ts";

const SOCKETS = 5_000;
const ROOMS = 500;
/** Sockets per chat session. */
const CHAT_SOCKETS = 8;
/** Users that sign up concurrently. */
const SIGN_UPS = 25;
/** workerd evicts an object after 10 s; each has one alarm before (CONNECT_TIMEOUT_MS). */
const HOLD_MS = 24_000;
/** The hold for a server without eviction: until it is idle. */
const SHORT_HOLD_MS = 4_000;
/** After this time a missing event counts as lost. */
const EVENT_TIMEOUT_MS = 30_000;
/** How long a second copy of an event may take to arrive. */
const SECOND_COPY_MS = 500;
/** Each end of a socket is a file, and an object's database takes three. */
const FILES = SOCKETS + 3 * (SOCKETS / CHAT_SOCKETS) + 500;

export const socketLoad: Measure = {
  name: "socket-load",
  about: `${SOCKETS} idle sockets over ${ROOMS} rooms: memory each, held and evicted, then all woken, none lost`,
  async take(bench) {
    const limit = openFilesLimit(process.pid);
    if (limit < FILES) {
      bench.say(`Needs ${FILES} open files, the limit is ${limit}: raise it with "ulimit -n ${FILES}".`);
      return [];
    }
    const ours = await loadOf(bench, "ours");
    const bare = await loadOf(bench, "bare");
    const stock = await loadOf(bench, "stock");
    const chat = await chatLoad(bench);
    const lost = (name: string, { lost: count }: Load): Row =>
      rowOf({
        what: `${name}: lost of ${SOCKETS}`,
        unit: "sockets",
        scale: "time",
        samples: [count],
        aim: { below: 1 },
      });
    const evicted = (name: string, { revived }: Load): Row =>
      rowOf({ what: `${name}: objects woken from eviction`, unit: "", scale: "rate", samples: [revived] });
    return [
      lost("server", ours),
      lost("chat", chat),
      lost("bare", bare),
      lost(STOCK, stock),
      ...compare("server", ours, bare, stock),
      evicted("server", ours),
      evicted("bare", bare),
      ...compare("chat", chat, bare, stock),
    ];
  },
};

interface Load {
  /** Sockets that closed, or did not get each event exactly once. */
  readonly lost: number;
  /** KiB of server memory per socket: just connected, and after the hold. */
  readonly awake: number;
  readonly idle: number;
  /** Seconds. */
  readonly connecting: number;
  /** Seconds until every socket had its first event. */
  readonly waking: number;
  /** Objects that were constructed again when they were woken; NaN if that is not counted. */
  readonly revived: number;
}

const COMPARED = [
  ["memory a socket, awake", "KiB", "awake"],
  ["memory a socket, idle", "KiB", "idle"],
  ["connecting them all", "s", "connecting"],
  ["waking them all", "s", "waking"],
] as const;

function compare(name: string, load: Load, bare: Load, stock: Load): readonly Row[] {
  const baselines = [
    { name: "bare object", load: bare },
    { name: STOCK, load: stock },
  ];
  return baselines.flatMap((baseline) =>
    COMPARED.map(([what, unit, value]) =>
      rowOf({
        what: `${name}: ${what}`,
        unit,
        scale: "time",
        samples: [load[value]],
        baseline: { name: baseline.name, samples: [baseline.load[value]] },
      }),
    ),
  );
}

interface Setting {
  readonly name: string;
  readonly server: Pick<StockServer, "residentBytes" | "kill">;
  readonly rooms: readonly (readonly SocketAddress[])[];
  /** Connected and closed before anything is measured. */
  readonly warm: readonly SocketAddress[];
  /** Makes a room emit to all its sockets; the chat has no such event. */
  readonly request?: string;
  readonly holdMs: number;
  /** How many objects were constructed so far. */
  readonly lives: () => Promise<number>;
}

async function loadOf(bench: Bench, side: SocketSide): Promise<Load> {
  const server = side === "stock" ? await startStockServer() : await startRuntime(bench.bundles, bench.makeFolder());
  const base = "bare" in server ? server.bare : server.url;
  return await measureLoad(bench, {
    name: side,
    server,
    rooms: Array.from({ length: ROOMS }, (_, room) =>
      Array.from({ length: SOCKETS / ROOMS }, () => roomAt(side, base, `room-${room}`)),
    ),
    warm: Array.from({ length: ROOMS }, () => roomAt(side, base, "warm")),
    request: '"emit",true',
    holdMs: side === "stock" ? SHORT_HOLD_MS : HOLD_MS,
    lives: async () => (side === "stock" ? NaN : (await wakeUpsAt(base)).lives),
  });
}

async function chatLoad(bench: Bench): Promise<Load> {
  const server = await startRuntime(bench.bundles, bench.makeFolder());
  const rooms: SocketAddress[][] = [];
  while (rooms.length < SOCKETS / CHAT_SOCKETS) {
    for (const user of await signUpMany(server.oracle, SIGN_UPS)) {
      const address = chatSocketAt(server, user.sessionId, user.token);
      rooms.push(Array.from({ length: CHAT_SOCKETS }, () => address));
    }
  }
  const warm = rooms.slice(0, SIGN_UPS).flat();
  return await measureLoad(bench, { name: "chat", server, rooms, warm, holdMs: HOLD_MS, lives: async () => NaN });
}

async function measureLoad(
  { say }: Bench,
  { name, server, rooms, warm, request, holdMs, lives }: Setting,
): Promise<Load> {
  try {
    leaveAll(await connectAll(warm));
    const empty = server.residentBytes();
    const kibEach = (): number => (server.residentBytes() - empty) / SOCKETS / 1024;
    say(`  ${name}: connecting ...`);
    const begin = performance.now();
    const clients = await connectAll(rooms.flat());
    const connecting = secondsSince(begin);
    const awake = kibEach();
    say(`  ${name}: connected in ${connecting.toFixed(1)} s, held ...`);
    await wait(holdMs);
    const idle = kibEach();
    const livesBefore = await lives();
    say(`  ${name}: waking ...`);
    const perRoom = clients.length / rooms.length;
    const oneOfEach = clients.filter((_, index) => index % perRoom === 0);
    const rounds: Round[] = [];
    if (request !== undefined) rounds.push(await eachGetsOne(clients, oneOfEach, request));
    rounds.push(await eachGetsOne(clients, clients, '"ping"'));
    const revived = (await lives()) - livesBefore;
    const closed = clients.filter((client) => !client.isOpen()).length;
    leaveAll(clients);
    const lost = Math.max(closed, ...rounds.map((round) => round.lost));
    return { lost, awake, idle, connecting, waking: rounds[0]?.seconds ?? NaN, revived };
  } finally {
    await server.kill();
  }
}

interface Round {
  /** Clients that got no event, or more than one. */
  readonly lost: number;
  /** Until the last client had its event. */
  readonly seconds: number;
}

async function eachGetsOne(
  clients: readonly SocketClient[],
  senders: readonly SocketClient[],
  request: string,
): Promise<Round> {
  const counts = clients.map(() => 0);
  let missing = clients.length;
  const all = Promise.withResolvers<void>();
  for (const [index, client] of clients.entries()) {
    client.onEvent = () => {
      const before = counts[index] ?? 0;
      counts[index] = before + 1;
      if (before === 0) missing -= 1;
      if (missing === 0) all.resolve();
    };
  }
  const begin = performance.now();
  for (const { send } of senders) send(request);
  const timeout = new AbortController();
  await Promise.race([all.promise, wait(EVENT_TIMEOUT_MS, undefined, timeout).catch(() => undefined)]);
  timeout.abort();
  const seconds = secondsSince(begin);
  await wait(SECOND_COPY_MS);
  return { lost: counts.filter((count) => count !== 1).length, seconds };
}

function secondsSince(begin: number): number {
  return (performance.now() - begin) / 1000;
}
