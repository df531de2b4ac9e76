/**
 * `ping` to `pong`, one at a time on one socket and on several: the chat's channel, the same answer from an object on the
 * project's socket server alone, from a bare object, and from the stock socket.io server of Node.
 */
import { effortRows, type Effort } from "../effort.ts";
import { signUp } from "../oracle-user.ts";
import { inTurns } from "../rounds.ts";
import { rowOf } from "../rows.ts";
import { connectAll, type SocketAddress, type SocketClient } from "../socket-clients.ts";
import { chatSocketAt, roomAt, STOCK } from "../socket-sides.ts";
import { median, type Samples } from "../statistics.ts";
import { startStockServer, type StockServer } from "../stock-server.ts";
import { CONNECTIONS, type Measure } from "./measure.ts";

const MAX_ROUNDS = 3;
/** Of one socket, then it leaves and another comes: the chat takes 200 packets at once (chat-session/channel-server.ts). */
const PINGS = 150;

export const socketPing: Measure = {
  name: "socket-ping",
  about: "round trip of ping and pong: chat channel and socket server, beside a bare object and socket.io in Node",
  async take({ runtime, options: { rounds, seconds } }) {
    const stock = await startStockServer();
    try {
      const user = await signUp(runtime.oracle);
      const sockets = {
        chat: chatSocketAt(runtime, user.sessionId, user.token),
        ours: roomAt("ours", runtime.bare, "ping"),
        bare: roomAt("bare", runtime.bare, "ping"),
        stock: roomAt("stock", stock.url, "ping"),
      };
      const trip = (address: SocketAddress) => () => medianTrip(address, seconds);
      const load = (server: Pick<StockServer, "cpuSeconds">, address: SocketAddress) => () =>
        effortFor(server, address, seconds);
      const taken = Math.min(rounds, MAX_ROUNDS);
      const trips = await inTurns(taken, {
        chat: trip(sockets.chat),
        ours: trip(sockets.ours),
        bare: trip(sockets.bare),
        stock: trip(sockets.stock),
      });
      const loads = await inTurns(taken, {
        chat: load(runtime, sockets.chat),
        ours: load(runtime, sockets.ours),
        bare: load(runtime, sockets.bare),
        stock: load(stock, sockets.stock),
      });
      const time = (what: string, samples: Samples, name: string, beside: Samples) =>
        rowOf({ what, unit: "ms", scale: "time", samples, baseline: { name, samples: beside } });
      const rate = (what: string, samples: readonly Effort[], name: string, beside: readonly Effort[]) =>
        effortRows({
          what: `${what}, ${CONNECTIONS} sockets`,
          samples,
          beside: { name, samples: beside },
          unit: "pongs/s",
        });
      return [
        time("chat, one at a time", trips.chat, "echo, object", trips.bare),
        time("chat, one at a time", trips.chat, STOCK, trips.stock),
        time("server alone, one at a time", trips.ours, "echo, object", trips.bare),
        ...rate("chat", loads.chat, "echo, object", loads.bare),
        ...rate("chat", loads.chat, STOCK, loads.stock),
        ...rate("server alone", loads.ours, "echo, object", loads.bare),
      ];
    } finally {
      await stock.kill();
    }
  },
};

const PONG = '42["pong"';

function ping(client: SocketClient): Promise<void> {
  return new Promise((resolve, reject) => {
    client.onClose = (code) => reject(new Error(`a socket was closed with ${code}`));
    client.onEvent = (frame) => {
      if (frame.toString("latin1", 0, PONG.length) === PONG) resolve();
    };
    client.send('"ping"');
  });
}

/** With so many new sockets, which then leave. */
async function withSockets<Value>(
  address: SocketAddress,
  count: number,
  work: (clients: readonly SocketClient[]) => Promise<Value>,
): Promise<Value> {
  const clients = await connectAll(Array.from({ length: count }, () => address));
  const value = await work(clients);
  for (const client of clients) {
    client.onClose = () => undefined;
    client.leave();
  }
  return value;
}

async function pingOften(client: SocketClient, times: number[]): Promise<void> {
  for (let count = 0; count < PINGS; count += 1) {
    const begin = performance.now();
    await ping(client);
    times.push(performance.now() - begin);
  }
}

/** Milliseconds, one ping at a time. */
async function medianTrip(address: SocketAddress, seconds: number): Promise<number> {
  const times: number[] = [];
  const end = performance.now() + seconds * 1000;
  do await withSockets(address, 1, (clients) => Promise.all(clients.map((client) => pingOften(client, times))));
  while (performance.now() < end);
  return median(times);
}

/** All sockets at once, each one ping at a time. What connecting them takes is not counted. */
async function effortFor(
  server: Pick<StockServer, "cpuSeconds">,
  address: SocketAddress,
  seconds: number,
): Promise<Effort> {
  const sum = { pongs: 0, seconds: 0, cpu: 0 };
  while (sum.seconds < seconds) {
    await withSockets(address, CONNECTIONS, async (clients) => {
      const times: number[] = [];
      const before = server.cpuSeconds();
      const begin = performance.now();
      await Promise.all(clients.map((client) => pingOften(client, times)));
      sum.seconds += (performance.now() - begin) / 1000;
      sum.cpu += server.cpuSeconds() - before;
      sum.pongs += times.length;
    });
  }
  return { rate: sum.pongs / sum.seconds, cpu: (sum.cpu / sum.pongs) * 1e6 };
}
