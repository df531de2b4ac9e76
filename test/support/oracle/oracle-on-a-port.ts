/**
 * The oracle on a local port, for tests of clients: the real routes over the real objects in Node, with a proxy in front that
 * breaks or refuses connections to a run where a test says. The model's answers are scripted; without a script, the built-in model
 * answers. The proxy records requests, and the frames of each connection to a run.
 */
import type { ModelProvider } from "../../../oracle/models/model-port.ts";
import type { PluginDefinition } from "../../../oracle/framework/plugin.ts";
import { Buffer } from "node:buffer";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { chatModels, chatSettings } from "./chat-settings.ts";
import { readFrames, type ReadFrame } from "./frame-reader.ts";
import { edgeOverObjects } from "./oracle-objects-in-node.ts";
import { createScriptedModel, type Beat } from "../../../workers/oracle/testing/scripted-model.ts";

/**
 * The fate of one connection to a run: the proxy breaks it after the first matching frame, once `meanwhile` is done, or refuses it.
 */
export type ConnectionFate =
  | { readonly kind: "break"; readonly after: (frame: ReadFrame) => boolean; readonly meanwhile?: () => unknown }
  | { readonly kind: "refuse"; readonly status: number };

export interface OraclePortOptions {
  /** The steps that the model plays. */
  readonly steps?: readonly (readonly Beat[])[];
  /** One fate for each connection to a run in turn; later connections are passed on unchanged. */
  readonly fates?: readonly ConnectionFate[];
  readonly plugins?: readonly PluginDefinition[];
  readonly env?: object;
  /** Runs before a request is passed on. A returned response is sent instead of the oracle's. */
  readonly before?: (request: AskedRequest) => Response | undefined | Promise<Response | undefined>;
}

export interface AskedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

/** Matches a connection's frame that shows `text`. */
export const showing =
  (text: string) =>
  ({ event, data }: ReadFrame): boolean =>
    event === "message" && String(data["content"]).includes(text);

export async function startOracleOnAPort(options: OraclePortOptions = {}) {
  const requests: AskedRequest[] = [];
  const runs: ReadFrame[][] = [];
  const fates = [...(options.fates ?? [])];
  const { edge, objects } = await edgeOverObjects(options.env);
  objects.settings = chatSettings({
    ...(options.steps === undefined ? {} : { models: scripted(options.steps) }),
    plugins: options.plugins ?? [],
    profile: { name: "Oracle", did: edge.oracleDid, entityDid: edge.oracleDid },
  });

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = "GET", url: path = "/", headers } = request;
    const body = await readText(request);
    requests.push({ method, path, headers, body });
    const ofRun = /^(?:POST \/messages\/(?!abort$)|GET \/runs\/)/.test(`${method} ${path}`);
    const replaced = await options.before?.({ method, path, headers, body });
    const fate = ofRun && replaced === undefined ? fates.shift() : undefined;
    if (fate?.kind === "refuse") {
      response.writeHead(fate.status).end();
      return;
    }
    const answer =
      replaced ?? (await edge.call(method, path, { headers: ownHeaders(headers), ...(body === "" ? {} : { body }) }));
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    if (ofRun && answer.ok && answer.body !== null) await relay(answer.body, response, fate);
    else response.end(Buffer.from(await answer.arrayBuffer()));
  }

  async function relay(
    body: ReadableStream<Uint8Array>,
    response: ServerResponse,
    fate: Extract<ConnectionFate, { kind: "break" }> | undefined,
  ): Promise<void> {
    const carried: ReadFrame[] = [];
    runs.push(carried);
    const frames = readFrames(body);
    response.on("close", () => void frames.cancel());
    response.flushHeaders();
    for (let frame = await frames.next(); frame !== undefined; frame = await frames.next()) {
      carried.push(frame);
      const { event, id, data } = frame;
      const text = `event: ${event}\nid: ${id}\ndata: ${JSON.stringify(data)}\n\n`;
      await new Promise<void>((resolve) => void response.write(text, () => resolve()));
      if (fate?.after(frame) !== true) continue;
      await fate.meanwhile?.();
      // The socket ends without the body's last chunk, as when a server is killed.
      response.socket?.end();
      return;
    }
    response.end();
  }

  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => {
      if (response.headersSent) response.socket?.destroy();
      else response.writeHead(500).end(`{"message":${JSON.stringify(`The proxy failed: ${String(error)}`)}}`);
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    /** Calls the oracle directly, past the proxy. */
    edge,
    objects,
    requests,
    /** The frames of each connection to a run, in order of the connections. */
    runs,
    async close(): Promise<void> {
      const closed = new Promise<void>((resolve) => void server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

function scripted(steps: readonly (readonly Beat[])[]): ModelProvider {
  const model = createScriptedModel();
  model.plays(...steps);
  return chatModels(model);
}

/** Without hop-by-hop headers. */
function ownHeaders(headers: IncomingMessage["headers"]): Record<string, string> {
  const ofConnection = new Set(["connection", "content-length", "host", "keep-alive", "transfer-encoding"]);
  const own = Object.entries(headers).filter(([name]) => !ofConnection.has(name));
  return Object.fromEntries(own.map(([name, value]) => [name, String(value)]));
}

async function readText(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString("utf8");
}
