/**
 * A server of the Model Context Protocol by the official library, with either protocol: `new` is stateless (2026-07-28), `old` has
 * the handshake and a session. Its tools exercise the plugin's edge cases, and it records every request.
 */
import { randomUUID } from "node:crypto";
import {
  createMcpHandler,
  isInitializeRequest,
  McpServer,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import * as z from "zod";
import type { Peer } from "./peer.ts";
import { registerLater, registerTools } from "./mcp-tools.ts";
import { startNodeFetchServer } from "./node-fetch-server.ts";

export interface McpPeerOptions {
  readonly era?: "new" | "old";
  /** Its name in `MCP_SERVERS`. */
  readonly name?: string;
  /** TTL of its list, milliseconds; 0: the list is read in each turn. */
  readonly ttlMs?: number;
  readonly auth?: "none" | "oauth" | "ucan";
  readonly headers?: Readonly<Record<string, string>>;
  readonly pin?: boolean;
  /** The operator's settings for it; by default, its calls need no approval and its annotations are trusted. */
  readonly trust?: Readonly<Record<string, unknown>>;
  /** Who may call tools; everyone by default. */
  readonly requireBearer?: (token: string, request: Request) => boolean | Promise<boolean>;
  /** Whether every request needs the bearer, or only `tools/call`. */
  readonly guards?: "all" | "calls";
  /** A tool `whoami` returns the bearer of its call, and contains it in its description. */
  readonly echoesBearer?: boolean;
  /** With the older protocol: answers calls with JSON instead of events. */
  readonly answersJson?: boolean;
  /**
   * With the older protocol: lists `ask_first` only for a client that declares `elicitation`, and `long_task`, which runs only as a
   * task.
   */
  readonly listsByClient?: boolean;
  /** Named in `WWW-Authenticate` when a bearer is missing. */
  readonly resourceMetadataUrl?: string;
  /** Answers requests outside `/mcp`. */
  readonly otherRoutes?: (request: Request) => Promise<Response | undefined>;
  readonly port?: number;
}

export interface McpRequestSeen {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The method of the JSON-RPC message, if there is one. */
  readonly rpc: string | undefined;
  readonly params: Readonly<Record<string, unknown>>;
}

export interface McpPeer extends Peer {
  readonly requests: readonly McpRequestSeen[];
  /** Names of the tools that were run, in order. */
  readonly calls: readonly string[];
  /** Its member of `MCP_SERVERS`. */
  readonly entry: Readonly<Record<string, unknown>>;
  /** Changes the description of `changing`. */
  describeChanging(text: string): void;
  /** Adds a tool `later`, and notifies listeners that the list changed. */
  addTool(): void;
  /** Breaks every connection, as when the process is killed; new connections are accepted. */
  breakOff(): void;
  /** Lets `slow` answer. */
  release(): void;
  /** Stops answering, until it is called again. */
  hang(isHanging: boolean): void;
}

function bearerOf(request: Request | undefined): string {
  return /^Bearer (.+)$/.exec(request?.headers.get("authorization") ?? "")?.[1] ?? "";
}

export async function startMcpPeer(options: McpPeerOptions = {}): Promise<McpPeer> {
  const {
    era = "new",
    name = `${era}-tools`,
    ttlMs,
    auth = "none",
    headers = {},
    pin = false,
    guards = "all",
  } = options;
  const requests: McpRequestSeen[] = [];
  const calls: string[] = [];
  const waiting = new Set<() => void>();
  const sessions = new Map<string, { transport: WebStandardStreamableHTTPServerTransport; server: McpServer }>();
  let changing = "Says that it was called.";
  let hasLater = false;
  let isHanging = false;

  function makeServer(eraOfServer: "new" | "old", bearer: string): McpServer {
    const cacheHints =
      ttlMs === undefined ? {} : { cacheHints: { "tools/list": { ttlMs, cacheScope: "private" as const } } };
    const server = new McpServer(
      { name: `peer-${name}`, version: "1.0.0" },
      { capabilities: { tools: { listChanged: true } }, ...cacheHints },
    );
    registerTools(server, {
      era: eraOfServer,
      bearer: options.echoesBearer === true ? bearer : undefined,
      ran: (tool) => void calls.push(tool),
      released: () => new Promise<void>((resolve) => void waiting.add(resolve)),
      changing,
      hasLater,
      addTool,
    });
    return server;
  }

  const modern = createMcpHandler(({ requestInfo }) => makeServer("new", bearerOf(requestInfo)), { legacy: "reject" });

  function addTool(): void {
    hasLater = true;
    modern.notify.toolsChanged();
    for (const { server } of sessions.values()) registerLater(server);
  }

  async function answerOld(request: Request): Promise<Response> {
    const id = request.headers.get("mcp-session-id");
    if (id !== null)
      return sessions.get(id)?.transport.handleRequest(request) ?? new Response("no such session", { status: 404 });
    const body: unknown = request.method === "POST" ? await request.clone().json() : undefined;
    if (!isInitializeRequest(body))
      return Response.json(
        { jsonrpc: "2.0", id: null, error: { code: -32000, message: "No session" } },
        { status: 400 },
      );
    const server = makeServer("old", bearerOf(request));
    if (options.listsByClient === true) {
      const inputSchema = z.object({});
      const answer = async () => ({ content: [] });
      server.registerTool("ask_first", { inputSchema }, answer).enabled =
        body.params.capabilities.elicitation !== undefined;
      server.registerTool("long_task", { inputSchema }, answer).execution = { taskSupport: "required" };
    }
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      enableJsonResponse: options.answersJson === true,
      onsessioninitialized: (session) => void sessions.set(session, { transport, server }),
      onsessionclosed: (session) => void sessions.delete(session),
    });
    await server.connect(transport);
    return transport.handleRequest(request);
  }

  async function isAllowed(request: Request, rpc: string | undefined): Promise<boolean> {
    if (options.requireBearer === undefined || (guards === "calls" && rpc !== "tools/call")) return true;
    const token = bearerOf(request);
    return token !== "" && (await options.requireBearer(token, request));
  }

  async function handle(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url);
    if (pathname !== "/mcp")
      return (await options.otherRoutes?.(request)) ?? new Response("not found", { status: 404 });
    const message = (await request
      .clone()
      .json()
      .catch(() => ({}))) as { method?: string; params?: Record<string, unknown> };
    requests.push({
      method: request.method,
      path: pathname,
      headers: Object.fromEntries(request.headers),
      rpc: message.method,
      params: message.params ?? {},
    });
    if (isHanging) await new Promise<never>(() => undefined);
    for (const [header, value] of Object.entries(headers))
      if (request.headers.get(header) !== value) return new Response("a header is missing", { status: 401 });
    if (!(await isAllowed(request, message.method))) {
      const metadata =
        options.resourceMetadataUrl === undefined ? "" : ` resource_metadata="${options.resourceMetadataUrl}"`;
      return new Response("unauthorized", { status: 401, headers: { "WWW-Authenticate": `Bearer${metadata}` } });
    }
    return era === "new" ? modern.fetch(request) : answerOld(request);
  }

  const server = await startNodeFetchServer(handle, options.port);
  const url = `${server.url}/mcp`;
  const trust = options.trust ?? { approval: "never", trusted: true };
  const entry = {
    name,
    url,
    ...(Object.keys(headers).length > 0 ? { headers } : {}),
    auth,
    ...(pin ? { pin } : {}),
    ...trust,
  };
  return {
    name: `mcp-${name}`,
    url,
    entry,
    variables: { MCP_SERVERS: JSON.stringify([entry]) },
    requests,
    calls,
    describeChanging(description) {
      changing = description;
    },
    addTool,
    breakOff: () => server.breakOff(),
    release() {
      for (const resolve of waiting) resolve();
      waiting.clear();
    },
    hang(hanging) {
      isHanging = hanging;
    },
    async stop() {
      await modern.close();
      await server.stop();
    },
  };
}
