/**
 * A node on a separate port that gives every call a chosen wrong answer, byte by byte: like proxies in front of real nodes, and
 * nodes that fail in the middle. Node only.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export const GRPC_WEB = "application/grpc-web+proto";

export interface MisbehavingNode {
  readonly url: string;
  /** How often it was called. */
  readonly asked: number;
  readonly requests: readonly {
    readonly path: string;
    readonly method: string;
    readonly headers: IncomingMessage["headers"];
    readonly body: string;
  }[];
  /** The behaviour for the next calls. */
  behaviour: Behaviour;
  /** Resolves when some caller has closed its connection before the answer was complete. */
  readonly dropped: Promise<void>;
  close(): Promise<void>;
}

export type Behaviour = (response: ServerResponse, request: IncomingMessage) => void;

export async function startMisbehavingNode(behaviour: Behaviour): Promise<MisbehavingNode> {
  const requests: MisbehavingNode["requests"][number][] = [];
  const dropped = Promise.withResolvers<void>();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { url = "", method = "", headers } = request;
      requests.push({ path: url, method, headers, body: Buffer.concat(chunks).toString() });
      response.on("close", () => response.writableFinished || dropped.resolve());
      node.behaviour(response, request);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const node: MisbehavingNode = {
    url: `http://127.0.0.1:${port}`,
    get asked() {
      return requests.length;
    },
    requests,
    behaviour,
    dropped: dropped.promise,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return node;
}

export function frame(flags: number, data: Uint8Array | string): Uint8Array {
  const bytes = typeof data === "string" ? new TextEncoder().encode(data) : data;
  const head = new Uint8Array(5);
  head[0] = flags;
  new DataView(head.buffer).setUint32(1, bytes.byteLength);
  return Uint8Array.from([...head, ...bytes]);
}

/** The frame of the trailers, such as `grpc-status: 0`. */
export function trailers(lines: Readonly<Record<string, string>>): Uint8Array {
  const text = Object.entries(lines).map(([name, value]) => `${name}: ${value}\r\n`);
  return frame(0x80, text.join(""));
}

/** A whole answer with this status, type and body. */
export function answer(
  status: number,
  headers: Readonly<Record<string, string>>,
  ...parts: readonly (Uint8Array | string)[]
): Behaviour {
  return (response) => {
    response.writeHead(status, headers);
    for (const part of parts) response.write(part);
    response.end();
  };
}

/** A gRPC-web answer, by its headers. */
export function grpcWeb(...parts: readonly Uint8Array[]): Behaviour {
  return answer(200, { "Content-Type": GRPC_WEB }, ...parts);
}

/** A status in the headers and no body. */
export function trailersOnly(headers: Readonly<Record<string, string>>, ...parts: readonly Uint8Array[]): Behaviour {
  return answer(200, { "Content-Type": GRPC_WEB, ...headers }, ...parts);
}

export const silence: Behaviour = () => undefined;

/** Accepts the call and disconnects. */
export const nothingAtAll: Behaviour = (response) => void response.destroy();

/** Declares `claimed` bytes, sends others, disconnects. */
export function lieAboutLength(claimed: number, body: Uint8Array | string, type = GRPC_WEB): Behaviour {
  return (response) => {
    const { socket } = response;
    socket?.write(`HTTP/1.1 200 OK\r\nContent-Type: ${type}\r\nContent-Length: ${claimed}\r\n\r\n`);
    socket?.end(body);
  };
}

/** Never ends. */
export function endless(headers: Readonly<Record<string, string>>, start: Uint8Array): Behaviour {
  return (response) => {
    response.writeHead(200, headers);
    response.write(start);
    const piece = new Uint8Array(64 * 1024);
    const more = (): void => {
      while (!response.destroyed && response.write(piece));
    };
    response.on("drain", more);
    more();
  };
}
