/**
 * One event to all sockets of a room of 1, 100 and 1,000: a socket requests it, all of them receive it, the next one is requested.
 * Compared with a bare object that sends equal bytes, with and without first writing a row as for a recoverable event, and with
 * Node's stock socket.io server.
 */
import { effortOfWork, effortRows, type Effort } from "../effort.ts";
import { inTurns } from "../rounds.ts";
import type { Row } from "../rows.ts";
import { connectAll, leaveAll, type SocketClient } from "../socket-clients.ts";
import { roomAt, startStockServer, STOCK, type SocketSide, type StockServer } from "../socket-servers.ts";
import type { Bench, Measure } from "./measure.ts";

const SIZES = [1, 100, 1_000] as const;
/** There are three sizes and five sides, so more rounds take minutes. */
const MAX_ROUNDS = 3;

export const socketEmit: Measure = {
  name: "socket-emit",
  about: `events a second from one emit to ${SIZES.join(", ")} sockets, compared with a bare object and socket.io in Node`,
  async take(bench) {
    const stock = await startStockServer();
    try {
      const rows: Row[] = [];
      for (const size of SIZES) {
        bench.say(`  ${size} socket${size === 1 ? "" : "s"} ...`);
        rows.push(...(await rowsOf(bench, stock, size)));
      }
      return rows;
    } finally {
      await stock.kill();
    }
  },
};

async function rowsOf({ runtime, options: { rounds, seconds } }: Bench, stock: StockServer, size: number) {
  const room = (side: SocketSide, base: string) =>
    connectAll(Array.from({ length: size }, () => roomAt(side, base, `emit-${size}`)));
  const ours = await room("ours", runtime.bare);
  const bare = await room("bare", runtime.bare);
  const atStock = await room("stock", stock.url);
  const emit = (server: Pick<StockServer, "cpuSeconds">, clients: readonly SocketClient[], request: string) => () =>
    effortOfWork(server, () => emitFor(clients, request, seconds));
  const taken = await inTurns(Math.min(rounds, MAX_ROUNDS), {
    recoverable: emit(runtime, ours, '"emit",true'),
    plain: emit(runtime, ours, '"emit"'),
    bare: emit(runtime, bare, '"emit"'),
    bareRow: emit(runtime, bare, '"emit","row"'),
    stock: emit(stock, atStock, '"emit"'),
  });
  leaveAll([...ours, ...bare, ...atStock]);
  const compare = (what: string, samples: readonly Effort[], name: string, baseline: readonly Effort[]) =>
    effortRows({ what: `${size}: ${what}`, samples, beside: { name, samples: baseline }, unit: "events/s" });
  return [
    ...compare("plain", taken.plain, "same bytes, object", taken.bare),
    ...compare("recoverable", taken.recoverable, "same bytes, object", taken.bare),
    ...compare("recoverable", taken.recoverable, "same bytes and a row", taken.bareRow),
    ...compare("recoverable", taken.recoverable, STOCK, taken.stock),
  ];
}

/** @returns how many events arrived; a round ends when every client has its event. */
async function emitFor(clients: readonly SocketClient[], request: string, seconds: number) {
  const begin = performance.now();
  const end = begin + seconds * 1000;
  let events = 0;
  do {
    await new Promise<void>((resolve, reject) => {
      let missing = clients.length;
      for (const client of clients) {
        client.onClose = (code) => reject(new Error(`a socket was closed with ${code}`));
        client.onEvent = () => {
          missing -= 1;
          if (missing === 0) resolve();
        };
      }
      clients[0]?.send(request);
    });
    events += clients.length;
  } while (performance.now() < end);
  return { requests: events, seconds: (performance.now() - begin) / 1000 };
}
