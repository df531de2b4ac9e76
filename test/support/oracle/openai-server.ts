/**
 * A small, faithful mock of an OpenAI-compatible service on a separate port: `POST <baseUrl>/chat/completions`, streamed or whole.
 * Its answers are scripted per model id, or else come from a queue, or else repeat the user's last words. It records each request,
 * and when and how its connection ended.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { answerBody, answerChunks, errorBody, event, textChunks, type OpenAiReply } from "./openai-replies.ts";

export interface RecordedRequest {
  readonly model: string;
  readonly authorization: string | undefined;
  readonly body: Readonly<Record<string, unknown>>;
  /** `completed` when the answer was sent whole, `dropped` when the client closed the connection first. */
  readonly ended: Promise<"completed" | "dropped">;
}

export interface OpenAiServer {
  /** The value for `OPENAI_BASE_URL`. */
  readonly baseUrl: string;
  readonly requests: readonly RecordedRequest[];
  /** Queues the next answers, for any model, one per request. */
  enqueue(...replies: readonly OpenAiReply[]): void;
  /** Resolves with request number `count` (from 1) as soon as it arrives. */
  request(count: number): Promise<RecordedRequest>;
  close(): Promise<void>;
}

export interface OpenAiServerOptions {
  /** The key that requests must carry; not checked by default. */
  readonly apiKey?: string;
  /** Answers by model id, which take precedence over the queue. */
  readonly models?: Readonly<Record<string, OpenAiReply>>;
  /** 0 for any free port. */
  readonly port?: number;
}

export async function startOpenAiServer(options: OpenAiServerOptions = {}): Promise<OpenAiServer> {
  const requests: RecordedRequest[] = [];
  const queue: OpenAiReply[] = [];
  const waiting: { readonly count: number; readonly tell: (request: RecordedRequest) => void }[] = [];

  const serve = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const ended = Promise.withResolvers<"completed" | "dropped">();
    response.on("close", () => ended.resolve(response.writableFinished ? "completed" : "dropped"));
    const body = JSON.parse((await readText(incoming)) || "{}") as Record<string, unknown>;
    const { authorization } = incoming.headers;
    const request = { model: String(body["model"]), authorization, body, ended: ended.promise };
    requests.push(request);
    waiting.filter(({ count }) => count === requests.length).forEach(({ tell }) => tell(request));

    if (incoming.method !== "POST" || incoming.url !== "/v1/chat/completions") return refuse(response, 404);
    if (options.apiKey !== undefined && authorization !== `Bearer ${options.apiKey}`) return refuse(response, 401);
    const reply = options.models?.[request.model] ?? queue.shift() ?? repetition(body);
    await perform(reply, request, response, requests.length);
  };

  const server = createServer((incoming, response) => void serve(incoming, response));
  await new Promise<void>((resolve) => server.listen(options.port ?? 0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    requests,
    enqueue: (...replies) => void queue.push(...replies),
    request: (count) => {
      const known = requests[count - 1];
      return known === undefined ? new Promise((tell) => waiting.push({ count, tell })) : Promise.resolve(known);
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function perform(
  reply: OpenAiReply,
  request: RecordedRequest,
  response: ServerResponse,
  number: number,
): Promise<void> {
  const completion = { id: `chatcmpl-${number}`, model: request.model, created: 1_700_000_000 };
  const start = (deltas: readonly string[]): Promise<void> => stream(response, textChunks(completion, deltas));
  switch (reply.kind) {
    case "answer": {
      if (request.body["stream"] !== true) return json(response, 200, answerBody(completion, reply));
      const streamOptions = request.body["stream_options"] as { include_usage?: boolean } | undefined;
      await stream(response, answerChunks(completion, reply, streamOptions?.include_usage === true));
      response.end();
      return;
    }
    case "status":
      return refuse(response, reply.status, reply.headers, reply.code);
    case "cut":
      await start(reply.deltas);
      await reply.when;
      response.destroy();
      return;
    case "truncated":
      await start(reply.deltas);
      response.end();
      return;
    case "hang":
      if (reply.deltas !== undefined) await start(reply.deltas);
      return;
    case "error":
      await start(reply.deltas);
      response.end(event({ error: reply.error }));
      return;
    case "garbled":
      await start(reply.deltas);
      response.end(event('{"choices": [') + event("[DONE]"));
      return;
  }
}

/** Each chunk in a separate write, flushed before the next: a later cut must not lose it. */
async function stream(response: ServerResponse, chunks: readonly string[]): Promise<void> {
  if (!response.headersSent)
    response.writeHead(200, { "Content-Type": "text/event-stream", "Cache-Control": "no-cache" });
  for (const text of chunks) await new Promise<void>((resolve) => response.write(text, () => resolve()));
}

function refuse(response: ServerResponse, status: number, headers: object = {}, code?: string): void {
  json(response, status, errorBody(status, code), headers);
}

function json(response: ServerResponse, status: number, body: object, headers: object = {}): void {
  response.writeHead(status, { "Content-Type": "application/json", ...headers }).end(JSON.stringify(body));
}

function repetition(body: Readonly<Record<string, unknown>>): OpenAiReply {
  const messages = (body["messages"] ?? []) as readonly { readonly role: string; readonly content: unknown }[];
  const { content = "" } = messages.findLast(({ role }) => role === "user") ?? {};
  const text = typeof content === "string" ? content : JSON.stringify(content);
  return { kind: "answer", deltas: `You said: ${text}`.match(/\S+\s*/g) ?? [] };
}

async function readText(incoming: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of incoming) parts.push(part as Buffer);
  return Buffer.concat(parts).toString("utf8");
}
