/**
 * How often idle sockets wake their object on a real workerd: rooms of 1, 8 and 40 sockets with the chat's heartbeat ten
 * times as fast, their sockets come over a whole interval, and alarms and lives are counted over two more. Told for
 * the chat's own heartbeat.
 */
import { setTimeout as wait } from "node:timers/promises";
import { briskHeartbeat, HASTE } from "../bare/room-events.ts";
import { rowOf } from "../rows.ts";
import { startRuntime } from "../runtime.ts";
import { connectAll, type SocketClient } from "../socket-clients.ts";
import { roomAt } from "../socket-sides.ts";
import type { Measure } from "./measure.ts";

/** Sockets of a room, and rooms of that size: several, since one has few alarms in a minute. */
const GROUPS = [
  { sockets: 1, rooms: 20 },
  { sockets: 8, rooms: 10 },
  { sockets: 40, rooms: 5 },
] as const;
const INTERVALS = 2;
const MS_PER_HOUR = 3_600_000;

export const socketWakeUps: Measure = {
  name: "socket-wake-ups",
  about: `wake-ups of idle sockets an hour, counted on workerd with a heartbeat ${HASTE} times as fast`,
  async take({ bundles, makeFolder, say }) {
    const taken = await Promise.all(
      GROUPS.map(async ({ sockets, rooms }) => {
        // A process for each size, so that its counts are of it alone.
        const runtime = await startRuntime(bundles, makeFolder());
        try {
          const clients: SocketClient[] = [];
          for (let socket = 0; socket < sockets; socket += 1) {
            const addresses = Array.from({ length: rooms }, (_, room) => roomAt("brisk", runtime.bare, `room-${room}`));
            clients.push(...(await connectAll(addresses)));
            await wait(briskHeartbeat.pingIntervalMs / sockets);
          }
          const before = await wakeUpsAt(runtime.bare);
          const begin = performance.now();
          say(`  ${sockets} a room: connected, counting ...`);
          await wait(briskHeartbeat.pingIntervalMs * INTERVALS);
          const after = await wakeUpsAt(runtime.bare);
          const hours = ((performance.now() - begin) / MS_PER_HOUR) * HASTE;
          const lost = clients.filter((client) => !client.isOpen()).length;
          if (lost > 0) throw new Error(`${lost} of ${clients.length} sockets were closed`);
          for (const client of clients) client.leave();
          return {
            sockets,
            alarms: (after.alarms - before.alarms) / rooms / hours,
            lives: (after.lives - before.lives) / rooms / hours,
          };
        } finally {
          await runtime.kill();
        }
      }),
    );
    const row = { unit: "an hour", scale: "time" } as const;
    return taken.flatMap(({ sockets, alarms, lives }) => [
      rowOf({ ...row, what: `${sockets} idle: alarms of the room`, samples: [alarms] }),
      rowOf({ ...row, what: `${sockets} idle: of them per socket`, samples: [alarms / sockets] }),
      // The alarms of more sockets come sooner, at this speed, than workerd evicts.
      ...(sockets === 1 ? [rowOf({ ...row, what: "1 idle: lives after an eviction", samples: [lives] })] : []),
    ]);
  },
};

async function wakeUpsAt(base: string): Promise<{ readonly lives: number; readonly alarms: number }> {
  const answer = await fetch(`${base}/wake-ups`);
  return (await answer.json()) as { lives: number; alarms: number };
}
