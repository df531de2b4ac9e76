/** Serves a handler of web requests on a local port: the base of the mock servers. */
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import type { ReadableStream as NodeReadableStream } from "node:stream/web";

export interface NodeFetchServer {
  readonly url: string;
  readonly port: number;
  /** Breaks all connections; new ones are accepted. */
  breakOff(): void;
  /** Ends open connections too. */
  stop(): Promise<void>;
}

export async function startNodeFetchServer(
  handle: (request: Request) => Promise<Response>,
  port = 0,
): Promise<NodeFetchServer> {
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });

  async function answer(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const gone = new AbortController();
    outgoing.once("close", () => gone.abort());
    const headers = new Headers();
    for (const [name, value] of Object.entries(incoming.headers))
      for (const one of [value ?? []].flat()) headers.append(name, one);
    const response = await handle(
      new Request(new URL(incoming.url ?? "/", url), {
        method: incoming.method ?? "GET",
        headers,
        signal: gone.signal,
        ...(chunks.length === 0 ? {} : { body: Buffer.concat(chunks) }),
      }),
    );
    outgoing.writeHead(response.status, Object.fromEntries(response.headers));
    if (response.body === null) outgoing.end();
    else {
      outgoing.flushHeaders();
      const body = Readable.fromWeb(response.body as unknown as NodeReadableStream);
      body.once("error", () => outgoing.destroy());
      outgoing.once("close", () => body.destroy());
      body.pipe(outgoing);
    }
  }

  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  const address = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${address.port}`;
  return {
    url,
    port: address.port,
    breakOff: () => server.closeAllConnections(),
    async stop() {
      server.close();
      server.closeAllConnections();
    },
  };
}
