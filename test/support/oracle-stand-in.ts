/**
 * A small stand-in for an oracle, for the tests of clients: it speaks contract/oracle.md sections 1, 4 and 5 over real
 * HTTP, plays one scripted run to whoever asks, and breaks connections where the script says. It has no model and
 * verifies no signatures; the real server's own tests do that.
 */
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { Delegation } from "@ucanto/core";

export interface StandInFrame {
  readonly event: string;
  readonly id: number;
  readonly data: object;
}

/** What happens to one connection of the run: it breaks behind a frame, stays open behind one, or is refused. */
export type ConnectionFate =
  | { readonly kind: "break" | "hold"; readonly after: number }
  | { readonly kind: "refuse"; readonly status: number };

export interface StandInScript {
  readonly frames?: readonly StandInFrame[];
  /** One for each connection of the run in turn; those that follow carry every frame and close. */
  readonly fates?: readonly ConnectionFate[];
  /** Answers of JSON routes other than the usual ones, by `METHOD path`. */
  readonly replies?: Readonly<Record<string, { readonly status: number; readonly body: object }>>;
  readonly oracleDid?: string;
}

export interface StandInRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

export interface OracleStandIn {
  readonly url: string;
  readonly requests: readonly StandInRequest[];
  close(): Promise<void>;
}

export const standInSession = "0b7c2c1e-5a0e-4d0c-9a55-6d1f6f6a8e10";
export const standInRun = `${standInSession}.7d9e0000-0000-4000-8000-000000000000`;
const usualDid = "did:key:z6MkvDqGT54cXesYGvABpF1UapVNwjCqRcafi4Px6Thv5T3Z";

const session = {
  sessionId: standInSession,
  title: "Untitled",
  createdAt: "2026-11-21T09:00:00.000Z",
  lastUpdatedAt: "2026-11-21T09:00:00.000Z",
  oracleName: "Stand-in",
  oracleDid: usualDid,
  oracleEntityDid: "",
};

const model = { id: "local", label: "Local", blurb: "Deterministic and offline.", costLabel: "$", isDefault: true };

const usualReplies: NonNullable<StandInScript["replies"]> = {
  "GET /models": { status: 200, body: { models: [model], default: "local" } },
  "POST /sessions": { status: 201, body: session },
  "GET /sessions": { status: 200, body: { sessions: [session], total: 1 } },
  "POST /messages/abort": { status: 200, body: { success: true } },
  "GET /user-preferences": { status: 200, body: { agentName: "Juno" } },
  [`GET /sessions/${standInSession}/run`]: { status: 200, body: { run: null } },
  [`GET /messages/${standInSession}`]: {
    status: 200,
    body: {
      messages: [
        { type: "human", content: "hello" },
        { type: "ai", content: "You said: hello", toolCalls: [] },
      ],
    },
  },
};

const publicPaths: ReadonlySet<string> = new Set(["/models", "/.well-known/did.json"]);

/** The frames of a turn that answers with `words`, one delta each, numbered from 1. */
export function turnOf(...words: readonly string[]): readonly StandInFrame[] {
  const turn = { sessionId: standInSession, requestId: "req-42" };
  const timestamp = "2026-11-21T09:00:00.000Z";
  const frames = [
    { event: "run", data: { runId: standInRun, ...turn } },
    ...words.map((content) => ({ event: "message", data: { content, timestamp } })),
    { event: "done", data: { runId: standInRun, requestId: "req-42", status: "finished", messageId: "5f0a" } },
  ];
  return frames.map((frame, index) => ({ ...frame, id: index + 1 }));
}

export async function startOracleStandIn(script: StandInScript = {}): Promise<OracleStandIn> {
  const requests: StandInRequest[] = [];
  const fates = [...(script.fates ?? [])];
  const oracleDid = script.oracleDid ?? usualDid;
  const replies: NonNullable<StandInScript["replies"]> = {
    "GET /.well-known/did.json": { status: 200, body: { id: oracleDid } },
    ...usualReplies,
    ...script.replies,
  };

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readText(request);
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://stand-in");
    const { method = "GET", headers } = request;
    requests.push({ method, path: request.url ?? "/", headers, body });
    if (!publicPaths.has(pathname) && !(await isAuthorised(headers, oracleDid))) {
      sendError(response, 401, "Invalid UCAN invocation");
      return;
    }
    const reply = replies[`${method} ${pathname}`];
    if (reply !== undefined) sendJson(response, reply.status, reply.body);
    else if (`${method} ${pathname}` === `POST /messages/${standInSession}`) play(response, 0);
    else if (pathname === `/runs/${standInRun}`) play(response, Number(searchParams.get("after")));
    else sendError(response, 404, `Cannot ${method} ${pathname}`);
  }

  function play(response: ServerResponse, after: number): void {
    const fate = fates.shift();
    if (fate?.kind === "refuse") {
      sendError(response, fate.status, "Not now");
      return;
    }
    const frames = (script.frames ?? turnOf("Hello.")).filter(({ id, event }) => id > after || event === "done");
    response.writeHead(200, { "content-type": "text/event-stream", "x-request-id": "req-42", "x-run-id": standInRun });
    const sent = fate === undefined ? frames : frames.filter((frame) => frame.id <= fate.after);
    const text = sent.map((frame) => `event: ${frame.event}\nid: ${frame.id}\ndata: ${JSON.stringify(frame.data)}\n\n`);
    response.write(`: heartbeat\n\n${text.join(": heartbeat\n\n")}`, () => {
      if (fate === undefined) response.end();
      // The socket ends without the body's last chunk: what a client sees of a killed server.
      if (fate?.kind === "break") response.socket?.end();
    });
  }

  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => sendError(response, 500, String(error)));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the stand-in has no port");
  return {
    url: `http://127.0.0.1:${address.port}`,
    requests,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

/** The token is a CAR for this oracle that has not expired and is not good for too long (section 2.3). */
async function isAuthorised(headers: IncomingMessage["headers"], oracleDid: string): Promise<boolean> {
  const token = /^Bearer (.+)$/.exec(headers.authorization ?? "")?.[1];
  if (token === undefined || headers["x-auth-type"] !== "ucan") return false;
  const { ok: invocation } = await Delegation.extract(new Uint8Array(Buffer.from(token, "base64")));
  if (invocation === undefined) return false;
  const [capability] = invocation.capabilities;
  const lifetime = invocation.expiration - Date.now() / 1000;
  const isInTime = lifetime > 0 && lifetime <= 900;
  return (
    invocation.audience.did() === oracleDid && capability.can === "*" && capability.with === "ixo:oracle" && isInTime
  );
}

async function readText(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString("utf8");
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

function sendError(response: ServerResponse, statusCode: number, message: string): void {
  sendJson(response, statusCode, { statusCode, message, error: "Error", requestId: "req-43" });
}
