/**
 * An oracle's wire protocol without an oracle: one session with a few stored turns, a reply of many chunks at a fixed pace, and a
 * socket that only connects. It also serves the pages. Every client therefore reads equal streams.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { Server } from "socket.io";
import { FRONTEND_TOOLS } from "../../protocol/records.ts";

export const CHUNKS = 5000;
/** Chunks per batch, and milliseconds between batches: 2,500 per second, faster than any model. */
const CHUNKS_AT_ONCE = 10;
const PACE_MS = 4;
/** Stored turns of the session. */
const STORED_TURNS = 10;
/** The last chunk, by which a page's reader knows that it has everything. */
export const LAST_WORD = "(the end)";
const timestamp = "2026-11-22T09:00:00.000Z";

export interface WireServer {
  readonly url: string;
  close(): Promise<void>;
}

/** @param pages by their path: the files of bundled pages. */
export async function startWireServer(pages: ReadonlyMap<string, Uint8Array>): Promise<WireServer> {
  const http = createServer((request, response) => {
    answer(request, response, pages).catch(() => response.destroy());
  });
  const sockets = new Server(http);
  sockets.on("connection", (socket) => {
    socket.emit("connected", { message: "Connected successfully", sessionId: "s", timestamp });
  });
  await new Promise<void>((resolve) => void http.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}`,
    close: () => sockets.close(),
  };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  pages: ReadonlyMap<string, Uint8Array>,
): Promise<void> {
  const { pathname } = new URL(request.url ?? "/", "http://localhost");
  const page = pages.get(pathname);
  if (page !== undefined) {
    const type = pathname.endsWith(".js") ? "text/javascript" : "text/html";
    response.writeHead(200, { "Content-Type": type }).end(page);
    return;
  }
  if (request.method === "POST" && /^\/messages\/(?!abort$)/.test(pathname)) return reply(pathname, response);
  const body = bodyOf(pathname);
  response
    .writeHead(body === undefined ? 404 : 200, { "Content-Type": "application/json" })
    .end(JSON.stringify(body ?? {}));
}

function bodyOf(pathname: string): object | undefined {
  if (pathname === "/models") return { models: [], default: "", frontendTools: FRONTEND_TOOLS };
  if (pathname.endsWith("/run")) return { run: null };
  if (pathname.startsWith("/messages/")) return { messages: stored };
  if (pathname.endsWith("/messages"))
    return { messages: stored, prevCursor: "1", nextCursor: `${STORED_TURNS}`, hasOlder: false, hasNewer: false };
  return undefined;
}

const stored = Array.from({ length: STORED_TURNS }, (_, turn) =>
  (["human", "ai"] as const).map((type) => ({
    id: `${type}-${turn}`,
    runId: `s.${turn}`,
    type,
    content: `The words of turn ${turn}, some words long.`,
    createdAt: timestamp,
    isReasoning: false,
    isComplete: true,
  })),
).flat();

async function reply(pathname: string, response: ServerResponse): Promise<void> {
  const sessionId = pathname.slice("/messages/".length);
  const [runId, requestId] = [`${sessionId}.run`, "req-1"];
  response.writeHead(200, { "Content-Type": "text/event-stream", "x-run-id": runId, "X-Request-Id": requestId });
  let id = 0;
  const frame = (event: string, data: object): string =>
    `event: ${event}\nid: ${(id += 1)}\ndata: ${JSON.stringify(data)}\n\n`;
  response.write(frame("run", { runId, sessionId, requestId }));
  for (let sent = 0; sent < CHUNKS; sent += CHUNKS_AT_ONCE) {
    const words = Array.from({ length: CHUNKS_AT_ONCE }, (_, index) => {
      const isLast = sent + index === CHUNKS - 1;
      return frame("message", { content: isLast ? LAST_WORD : `w${sent + index} `, timestamp });
    });
    response.write(words.join(""));
    await wait(PACE_MS);
  }
  response.end(frame("done", { runId, requestId, status: "finished", finishReason: "stop", messageId: "ai-new" }));
}
