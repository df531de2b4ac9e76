/**
 * How often idle sockets wake their object on workerd: rooms of 1, 8 and 40 sockets with the chat's heartbeat ten times as fast.
 * The sockets connect over a whole interval; alarms and lives are counted over two more, and reported for the chat's own heartbeat.
 */
import { setTimeout as wait } from "node:timers/promises";
import { FAST_FACTOR, fastHeartbeat } from "../bare/room-events.ts";
import { rowOf } from "../rows.ts";
import { startRuntime } from "../runtime.ts";
import { connectAll, leaveAll, type SocketClient } from "../socket-clients.ts";
import { roomAt } from "../socket-servers.ts";
import type { Bench, Measure } from "./measure.ts";

/** Sockets per room, and number of rooms: several, since one room has few alarms per minute. */
const GROUPS = [
  { sockets: 1, rooms: 20 },
  { sockets: 8, rooms: 10 },
  { sockets: 40, rooms: 5 },
] as const;
const INTERVALS = 2;
const MS_PER_HOUR = 3_600_000;

export const socketWakeUps: Measure = {
  name: "socket-wake-ups",
  about: `wake-ups of idle sockets an hour, counted on workerd with a heartbeat ${FAST_FACTOR} times as fast`,
  async take(bench) {
    const row = { unit: "an hour", scale: "time" } as const;
    const groups = await Promise.all(GROUPS.map(async (group) => ({ ...group, ...(await count(bench, group)) })));
    return groups.flatMap(({ sockets, alarms, lives }) => [
      rowOf({ ...row, what: `${sockets} idle: alarms of the room`, samples: [alarms] }),
      rowOf({ ...row, what: `${sockets} idle: of them per socket`, samples: [alarms / sockets] }),
      // With more sockets, at this speed, the alarms come sooner than workerd evicts.
      ...(sockets === 1 ? [rowOf({ ...row, what: "1 idle: lives after an eviction", samples: [lives] })] : []),
    ]);
  },
};

interface WakeUps {
  readonly lives: number;
  readonly alarms: number;
}

/** Per room and hour. Each group has a separate process, so that only its wake-ups are counted. */
async function count(
  { bundles, makeFolder, say }: Bench,
  { sockets, rooms }: (typeof GROUPS)[number],
): Promise<WakeUps> {
  const runtime = await startRuntime(bundles, makeFolder());
  try {
    const clients: SocketClient[] = [];
    for (let socket = 0; socket < sockets; socket += 1) {
      const addresses = Array.from({ length: rooms }, (_, room) => roomAt("fast", runtime.bare, `room-${room}`));
      clients.push(...(await connectAll(addresses)));
      await wait(fastHeartbeat.pingIntervalMs / sockets);
    }
    const before = await wakeUpsAt(runtime.bare);
    const begin = performance.now();
    say(`  ${sockets} a room: connected, counting ...`);
    await wait(fastHeartbeat.pingIntervalMs * INTERVALS);
    const after = await wakeUpsAt(runtime.bare);
    const roomHours = ((performance.now() - begin) / MS_PER_HOUR) * FAST_FACTOR * rooms;
    const lost = clients.filter((client) => !client.isOpen()).length;
    if (lost > 0) throw new Error(`${lost} of ${clients.length} sockets were closed`);
    leaveAll(clients);
    return { alarms: (after.alarms - before.alarms) / roomHours, lives: (after.lives - before.lives) / roomHours };
  } finally {
    await runtime.kill();
  }
}

/** The wake-ups of all rooms of the bare Worker so far. */
export async function wakeUpsAt(base: string): Promise<WakeUps> {
  const response = await fetch(`${base}/wake-ups`);
  return (await response.json()) as WakeUps;
}
