/**
 * Emulates the proxy between a browser and the Worker in production, for measuring pages: it compresses texts, which workerd alone
 * does not. Event streams pass unchanged.
 */
import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { createGzip } from "node:zlib";

export interface Edge {
  readonly url: string;
  readonly close: () => Promise<void>;
}

const COMPRESSED = /^(?:text\/(?!event-stream)|application\/(?:json|problem\+json|javascript)|image\/svg)/;

export async function startEdge(worker: string): Promise<Edge> {
  const server = createServer((request, response) => pass(worker, request, response));
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    async close() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => void server.close(() => resolve()));
    },
  };
}

function pass(worker: string, request: IncomingMessage, response: ServerResponse): void {
  const { url = "/", method, headers } = request;
  const { "accept-encoding": accepted = "", ...asked } = headers;
  const sent = httpRequest(`${worker}${url}`, { method, headers: asked }, (answer) => {
    const isCompressed = COMPRESSED.test(answer.headers["content-type"] ?? "") && accepted.includes("gzip");
    const { "content-length": length, ...kept } = answer.headers;
    response.writeHead(answer.statusCode ?? 0, {
      ...kept,
      ...(isCompressed ? { "content-encoding": "gzip" } : length === undefined ? {} : { "content-length": length }),
    });
    if (isCompressed) answer.pipe(createGzip()).pipe(response);
    else answer.pipe(response);
  });
  sent.on("error", () => response.destroy());
  response.on("close", () => sent.destroy());
  request.pipe(sent);
}
