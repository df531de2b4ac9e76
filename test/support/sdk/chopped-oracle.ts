/**
 * A proxy between a page and the oracle that splits each `message` frame into one frame for each word pair of the built-in model
 * (`part 17 `), at the test's pace: the oracle joins deltas within 20 ms, so a reply of thousands of frames would take minutes.
 * Everything else passes unchanged. Ids are multiplied, so that a run can be joined after any of them.
 */
import { createServer, request as ask, type IncomingMessage, type ServerResponse } from "node:http";
import { connect, type AddressInfo, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";

/** Maximum frames from one frame; ids of attempts stay below 2^53. */
const STRIDE = 10_000;

export interface Pace {
  /** Frames in one write. */
  readonly burst: number;
  /** Milliseconds between two writes. */
  readonly everyMs: number;
}

export interface ChoppedOracle {
  readonly url: string;
  /** `message` frames sent to pages so far. */
  frames(): number;
  close(): Promise<void>;
}

/** @param oracleUrl of the real oracle. */
export async function startChoppedOracle(oracleUrl: string, { burst, everyMs }: Pace): Promise<ChoppedOracle> {
  const target = new URL(oracleUrl);
  const sockets = new Set<Socket>();
  let frames = 0;

  function pass(incoming: IncomingMessage, outgoing: ServerResponse): void {
    const url = new URL(incoming.url ?? "/", oracleUrl);
    const after = Number(url.searchParams.get("after") ?? "0");
    if (after > 0) url.searchParams.set("after", String(Math.max(0, Math.ceil(after / STRIDE) - 1)));
    const upstream = ask(url.href, { method: incoming.method, headers: { ...incoming.headers, host: target.host } });
    upstream.on("response", (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      if (!(answer.headers["content-type"] ?? "").startsWith("text/event-stream")) answer.pipe(outgoing);
      else chop(answer, outgoing, after).catch(() => outgoing.destroy());
    });
    upstream.on("error", () => outgoing.destroy());
    outgoing.on("close", () => upstream.destroy());
    incoming.pipe(upstream);
  }

  async function chop(answer: IncomingMessage, outgoing: ServerResponse, after: number): Promise<void> {
    let rest = "";
    outgoing.flushHeaders();
    for await (const text of answer.setEncoding("utf8")) {
      const whole = (rest + String(text)).split("\n\n");
      rest = whole.pop() ?? "";
      const pieces = whole.flatMap((frame) => piecesOf(frame, after));
      frames += pieces.filter((piece) => piece.startsWith("event: message")).length;
      for (let first = 0; first < pieces.length; first += burst) {
        outgoing.write(pieces.slice(first, first + burst).join(""));
        await delay(everyMs);
      }
    }
    outgoing.end();
  }

  const server = createServer(pass);
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  server.on("upgrade", (incoming, socket, head) => {
    const lines = [`${incoming.method} ${incoming.url} HTTP/1.1`];
    for (let index = 0; index < incoming.rawHeaders.length; index += 2)
      lines.push(`${incoming.rawHeaders[index]}: ${incoming.rawHeaders[index + 1]}`);
    const upstream = connect(Number(target.port), target.hostname, () => {
      upstream.write(`${lines.join("\r\n")}\r\n\r\n`);
      upstream.write(head);
      upstream.pipe(socket).pipe(upstream);
    });
    for (const end of [upstream, socket]) end.on("error", () => [upstream, socket].forEach((each) => each.destroy()));
  });
  await new Promise<void>((resolve) => void server.listen(0, "localhost", resolve));

  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}`,
    frames: () => frames,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

/** The pieces of one frame, without those that the page already has. */
function piecesOf(frame: string, after: number): readonly string[] {
  const [, event = "", id = "", json = ""] = /^event: (.*)\nid: (.*)\ndata: (.*)$/.exec(frame) ?? [];
  // A comment between frames.
  if (event === "") return [`${frame}\n\n`];
  const data = JSON.parse(json) as Record<string, unknown>;
  const words = event === "message" ? (String(data["content"]).match(/part \d+ |[^]/g) ?? []) : [""];
  return words.flatMap((content, index) => {
    // The last piece has the frame's own (highest) number.
    const number = Number(id) * STRIDE - (words.length - 1 - index);
    if (number <= after) return [];
    const own = event === "message" ? { ...data, content } : data;
    return [`event: ${event}\nid: ${number}\ndata: ${JSON.stringify(own)}\n\n`];
  });
}
