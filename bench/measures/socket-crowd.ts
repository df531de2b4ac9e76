/**
 * 5,000 idle sockets over 500 rooms, held until their objects have been evicted, then all woken: every room tells its
 * ten sockets of something, and every socket asks for an answer. Each event is counted; one too few or too many, and
 * every closed socket, is one lost. Memory is the difference in resident memory of the server's process, which was warm
 * before, divided by the sockets. The chat has the same crowd over 625 sessions, since a user may have 8 sockets in one.
 */
import { setTimeout as wait } from "node:timers/promises";
import { signUpMany } from "../oracle-user.ts";
import { openFilesLimit } from "../process-use.ts";
import { rowOf, type Row } from "../rows.ts";
import { startRuntime, type Runtime } from "../runtime.ts";
import { connectAll, type SocketAddress, type SocketClient } from "../socket-clients.ts";
import { chatSocketAt, roomAt, STOCK, type SocketSide } from "../socket-sides.ts";
import { startStockServer, type StockServer } from "../stock-server.ts";
import type { Bench, Measure } from "./measure.ts";

const SOCKETS = 5_000;
const ROOMS = 500;
/** Sockets of one user in one session that the chat takes. */
const CHAT_SOCKETS = 8;
/** Users that are signed up at a time. */
const SIGN_UPS = 25;
/** workerd evicts an object that has been idle for 10 s; each was rung once before (CONNECT_TIMEOUT_MS). */
const HOLD_MS = 24_000;
/** Of a server that evicts nobody: until it has nothing left to do. */
const SHORT_HOLD_MS = 4_000;
/** How long the last event may take; it decides when something counts as lost. */
const PATIENCE_MS = 30_000;
/** What comes twice comes a moment later. */
const SECOND_COPY_MS = 500;
/** A socket is a file on either side, and an object's database is three. */
const FILES = SOCKETS + 3 * (SOCKETS / CHAT_SOCKETS) + 500;

type Server = Pick<StockServer, "residentBytes" | "kill">;

export const socketCrowd: Measure = {
  name: "socket-crowd",
  about: `${SOCKETS} idle sockets over ${ROOMS} rooms: memory each, held and evicted, then all woken, none lost`,
  async take(bench) {
    const limit = openFilesLimit(process.pid);
    if (limit < FILES) {
      bench.say(`Needs ${FILES} open files, the limit is ${limit}: raise it with "ulimit -n ${FILES}".`);
      return [];
    }
    const ours = await crowdAt(bench, "ours");
    const bare = await crowdAt(bench, "bare");
    const stock = await crowdAt(bench, "stock");
    const chat = await chatCrowd(bench);
    const row = (what: string, unit: string, of: (crowd: Crowd) => number, crowd: Crowd, name: string, beside: Crowd) =>
      rowOf({ what, unit, scale: "time", samples: [of(crowd)], baseline: { name, samples: [of(beside)] } });
    const compared = (who: string, crowd: Crowd): readonly Row[] =>
      [["bare object", bare] as const, [STOCK, stock] as const].flatMap(([name, beside]) => [
        row(`${who}: memory a socket, awake`, "KiB", ({ awake }) => awake, crowd, name, beside),
        row(`${who}: memory a socket, idle`, "KiB", ({ idle }) => idle, crowd, name, beside),
        row(`${who}: connecting them all`, "s", ({ connecting }) => connecting, crowd, name, beside),
        row(`${who}: waking them all`, "s", ({ waking }) => waking, crowd, name, beside),
      ]);
    const evicted = (who: string, crowd: Crowd): Row =>
      rowOf({ what: `${who}: objects woken from eviction`, unit: "", scale: "rate", samples: [crowd.revived] });
    const lost = (who: string, crowd: Crowd): Row =>
      rowOf({
        what: `${who}: lost of ${SOCKETS}`,
        unit: "sockets",
        scale: "time",
        samples: [crowd.lost],
        aim: { below: 1 },
      });
    return [
      lost("server", ours),
      lost("chat", chat),
      lost("bare", bare),
      lost(STOCK, stock),
      ...compared("server", ours),
      evicted("server", ours),
      evicted("bare", bare),
      ...compared("chat", chat),
    ];
  },
};

interface Crowd {
  /** Sockets that closed, or did not get exactly what they should. */
  readonly lost: number;
  /** KiB of the server's memory for each socket: with all just connected, and after the wait. */
  readonly awake: number;
  readonly idle: number;
  /** Seconds. */
  readonly connecting: number;
  /** Until every socket had the event that its room was woken for. */
  readonly waking: number;
  /** Objects that were constructed again when they were woken; NaN where nobody counts. */
  readonly revived: number;
}

async function crowdAt(bench: Bench, side: SocketSide): Promise<Crowd> {
  const server = side === "stock" ? await startStockServer() : await startRuntime(bench.bundles, bench.makeFolder());
  const base = "bare" in server ? server.bare : server.url;
  const rooms = Array.from({ length: ROOMS }, (_, room) =>
    Array.from({ length: SOCKETS / ROOMS }, () => roomAt(side, base, `room-${room}`)),
  );
  const warm = Array.from({ length: ROOMS }, () => roomAt(side, base, "warm"));
  const lives = async (): Promise<number> => ("bare" in server ? livesAt(server) : NaN);
  return await holdAndWake(bench, side, { server, rooms, warm, request: '"emit",true', lives });
}

async function chatCrowd(bench: Bench): Promise<Crowd> {
  const runtime = await startRuntime(bench.bundles, bench.makeFolder());
  const rooms: SocketAddress[][] = [];
  while (rooms.length < SOCKETS / CHAT_SOCKETS) {
    for (const user of await signUpMany(runtime.oracle, SIGN_UPS)) {
      const address = chatSocketAt(runtime, user.sessionId, user.token);
      rooms.push(Array.from({ length: CHAT_SOCKETS }, () => address));
    }
  }
  const warm = rooms.slice(0, SIGN_UPS).flat();
  const lives = (): Promise<number> => Promise.resolve(NaN);
  return await holdAndWake(bench, "chat", { server: runtime, rooms, warm, request: undefined, lives });
}

interface Setting {
  readonly server: Server;
  readonly rooms: readonly (readonly SocketAddress[])[];
  /** Connected and gone before anything is measured. */
  readonly warm: readonly SocketAddress[];
  /** What makes a room tell all its sockets of something; undefined: nothing a client can say does. */
  readonly request: string | undefined;
  readonly lives: () => Promise<number>;
}

async function holdAndWake(
  { say }: Bench,
  who: string,
  { server, rooms, warm, request, lives }: Setting,
): Promise<Crowd> {
  try {
    for (const client of await connectAll(warm)) client.leave();
    const empty = server.residentBytes();
    const kibEach = (): number => (server.residentBytes() - empty) / SOCKETS / 1024;
    say(`  ${who}: connecting ...`);
    const begin = performance.now();
    const clients = await connectAll(rooms.flat());
    const connecting = secondsSince(begin);
    const awake = kibEach();
    say(`  ${who}: connected in ${connecting.toFixed(1)} s, held ...`);
    await wait(who === "stock" ? SHORT_HOLD_MS : HOLD_MS);
    const idle = kibEach();
    const livesBefore = await lives();
    say(`  ${who}: waking ...`);
    const perRoom = clients.length / rooms.length;
    const everyRoom = clients.filter((_, index) => index % perRoom === 0);
    const askAll = (): void => clients.forEach(({ send }) => send('"ping"'));
    const told =
      request === undefined
        ? undefined
        : await eachGetsOne(clients, () => everyRoom.forEach(({ send }) => send(request)));
    const asked = await eachGetsOne(clients, askAll);
    const revived = (await lives()) - livesBefore;
    const closed = clients.filter((client) => !client.isOpen()).length;
    for (const client of clients) client.leave();
    const lost = Math.max(told?.lost ?? 0, asked.lost, closed);
    return { lost, awake, idle, connecting, waking: (told ?? asked).seconds, revived };
  } finally {
    await server.kill();
  }
}

interface Round {
  /** Clients that got none, or more than one. */
  readonly lost: number;
  /** Until the last one had its event. */
  readonly seconds: number;
}

async function eachGetsOne(clients: readonly SocketClient[], act: () => void): Promise<Round> {
  const got = new Map(clients.map((client) => [client, 0]));
  let missing = clients.length;
  const all = new Promise<void>((resolve) => {
    for (const client of clients) {
      client.onEvent = () => {
        const before = got.get(client) ?? 0;
        got.set(client, before + 1);
        if (before === 0) missing -= 1;
        if (missing === 0) resolve();
      };
    }
  });
  const begin = performance.now();
  act();
  const patience = new AbortController();
  await Promise.race([all, wait(PATIENCE_MS, undefined, patience).catch(() => undefined)]);
  patience.abort();
  const seconds = secondsSince(begin);
  await wait(SECOND_COPY_MS);
  return { lost: [...got.values()].filter((count) => count !== 1).length, seconds };
}

async function livesAt({ bare }: Runtime): Promise<number> {
  const answer = await fetch(`${bare}/wake-ups`);
  return ((await answer.json()) as { lives: number }).lives;
}

function secondsSince(begin: number): number {
  return (performance.now() - begin) / 1000;
}
