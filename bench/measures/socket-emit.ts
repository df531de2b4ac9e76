/**
 * One event to everybody in a room of 1, 100 and 1,000 sockets, one after the other: a socket asks for it, all of them
 * get it, the next one is asked for. Beside it a bare object that sends the same bytes, without and with a row written
 * first as an event that can be recovered has one, and the stock socket.io server of Node.
 */
import { effortOfWork, effortRows, type Effort } from "../effort.ts";
import { inTurns } from "../rounds.ts";
import type { Row } from "../rows.ts";
import { connectAll, type SocketClient } from "../socket-clients.ts";
import { roomAt, STOCK, type SocketSide } from "../socket-sides.ts";
import { startStockServer, type StockServer } from "../stock-server.ts";
import type { Bench, Measure } from "./measure.ts";

const SIZES = [1, 100, 1_000] as const;
/** There are three sizes and five sides; more rounds take minutes. */
const MAX_ROUNDS = 3;

export const socketEmit: Measure = {
  name: "socket-emit",
  about: `events a second from one emit to ${SIZES.join(", ")} sockets, beside a bare object and socket.io in Node`,
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

async function rowsOf(
  { runtime, options: { rounds, seconds } }: Bench,
  stock: StockServer,
  size: number,
): Promise<readonly Row[]> {
  const room = (side: SocketSide, base: string) =>
    connectAll(Array.from({ length: size }, () => roomAt(side, base, `emit-${size}`)));
  const ours = await room("ours", runtime.bare);
  const bare = await room("bare", runtime.bare);
  const atStock = await room("stock", stock.url);
  const emit = (server: Pick<StockServer, "cpuSeconds">, clients: readonly SocketClient[], request: string) => () =>
    effortOfWork(server, () => emitFor(clients, request, seconds));
  const taken = await inTurns(Math.min(rounds, MAX_ROUNDS), {
    kept: emit(runtime, ours, '"emit",true'),
    plain: emit(runtime, ours, '"emit"'),
    bare: emit(runtime, bare, '"emit"'),
    bareRow: emit(runtime, bare, '"emit","row"'),
    stock: emit(stock, atStock, '"emit"'),
  });
  for (const client of [...ours, ...bare, ...atStock]) {
    client.onClose = () => undefined;
    client.leave();
  }
  const compare = (what: string, samples: readonly Effort[], name: string, beside: readonly Effort[]) =>
    effortRows({ what: `${size}: ${what}`, samples, beside: { name, samples: beside }, unit: "events/s" });
  return [
    ...compare("plain", taken.plain, "same bytes, object", taken.bare),
    ...compare("recoverable", taken.kept, "same bytes, object", taken.bare),
    ...compare("recoverable", taken.kept, "same bytes and a row", taken.bareRow),
    ...compare("recoverable", taken.kept, STOCK, taken.stock),
  ];
}

/** @returns events that arrived; every one of them did. */
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
