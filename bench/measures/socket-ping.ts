/**
 * `ping` to `pong`, one at a time on one socket and on several: the chat's channel, an object with only the project's socket
 * server, a bare object, and Node's stock socket.io server.
 */
import { effortRows, type Effort } from "../effort.ts";
import { signUp } from "../oracle-user.ts";
import { inTurns } from "../rounds.ts";
import { rowOf } from "../rows.ts";
import { connectAll, leaveAll, type SocketAddress, type SocketClient } from "../socket-clients.ts";
import { chatSocketAt, roomAt, startStockServer, STOCK, type StockServer } from "../socket-servers.ts";
import { median, type Samples } from "../statistics.ts";
import { CONNECTIONS, type Measure } from "./measure.ts";

const MAX_ROUNDS = 3;
/** Pings per socket, before another replaces it: the chat accepts 200 packets at once [OR-115]. */
const PINGS = 150;
const ECHO = "echo, object";

type Server = Pick<StockServer, "cpuSeconds">;

export const socketPing: Measure = {
  name: "socket-ping",
  about:
    "round trip of ping and pong: chat channel and socket server, compared with a bare object and socket.io in Node",
  async take({ runtime, options: { rounds, seconds } }) {
    const stock = await startStockServer();
    try {
      const user = await signUp(runtime.oracle);
      const sides = {
        chat: [runtime, chatSocketAt(runtime, user.sessionId, user.token)],
        ours: [runtime, roomAt("ours", runtime.bare, "ping")],
        bare: [runtime, roomAt("bare", runtime.bare, "ping")],
        stock: [stock, roomAt("stock", stock.url, "ping")],
      } as const;
      const onAllSides = <Sample>(work: (server: Server, address: SocketAddress) => Promise<Sample>) =>
        inTurns(Math.min(rounds, MAX_ROUNDS), {
          chat: () => work(...sides.chat),
          ours: () => work(...sides.ours),
          bare: () => work(...sides.bare),
          stock: () => work(...sides.stock),
        });
      const trips = await onAllSides((_server, address) => medianTrip(address, seconds));
      const loads = await onAllSides((server, address) => effortFor(server, address, seconds));
      const time = (name: string, samples: Samples, baselineName: string, baseline: Samples) =>
        rowOf({
          what: `${name}, one at a time`,
          unit: "ms",
          scale: "time",
          samples,
          baseline: { name: baselineName, samples: baseline },
        });
      const rate = (name: string, samples: readonly Effort[], baselineName: string, baseline: readonly Effort[]) =>
        effortRows({
          what: `${name}, ${CONNECTIONS} sockets`,
          samples,
          beside: { name: baselineName, samples: baseline },
          unit: "pongs/s",
        });
      return [
        time("chat", trips.chat, ECHO, trips.bare),
        time("chat", trips.chat, STOCK, trips.stock),
        time("server alone", trips.ours, ECHO, trips.bare),
        ...rate("chat", loads.chat, ECHO, loads.bare),
        ...rate("chat", loads.chat, STOCK, loads.stock),
        ...rate("server alone", loads.ours, ECHO, loads.bare),
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

/** The milliseconds of every ping of new sockets, each one at a time, and the total without connecting. */
async function pingFrom(address: SocketAddress, count: number, server?: Server) {
  const clients = await connectAll(Array.from({ length: count }, () => address));
  const times: number[] = [];
  const cpuBefore = server?.cpuSeconds() ?? 0;
  const begin = performance.now();
  await Promise.all(
    clients.map(async (client) => {
      for (let sent = 0; sent < PINGS; sent += 1) {
        const sentAt = performance.now();
        await ping(client);
        times.push(performance.now() - sentAt);
      }
    }),
  );
  const seconds = (performance.now() - begin) / 1000;
  const cpu = (server?.cpuSeconds() ?? 0) - cpuBefore;
  leaveAll(clients);
  return { times, seconds, cpu };
}

async function medianTrip(address: SocketAddress, seconds: number): Promise<number> {
  const times: number[] = [];
  const end = performance.now() + seconds * 1000;
  do times.push(...(await pingFrom(address, 1)).times);
  while (performance.now() < end);
  return median(times);
}

async function effortFor(server: Server, address: SocketAddress, seconds: number): Promise<Effort> {
  const sum = { pongs: 0, seconds: 0, cpu: 0 };
  while (sum.seconds < seconds) {
    const round = await pingFrom(address, CONNECTIONS, server);
    sum.pongs += round.times.length;
    sum.seconds += round.seconds;
    sum.cpu += round.cpu;
  }
  return { rate: sum.pongs / sum.seconds, cpu: (sum.cpu / sum.pongs) * 1e6 };
}
