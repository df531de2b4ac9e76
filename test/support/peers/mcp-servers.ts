/**
 * A server of the Model Context Protocol by the official library, with either protocol: `new` is stateless (2026-07-28), `old` has
 * the handshake and a session. Its tools exercise the plugin's edge cases, and it records every request.
 */
import { randomUUID } from "node:crypto";
import {
  acceptedContent,
  createMcpHandler,
  inputRequired,
  isInitializeRequest,
  McpServer,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import * as z from "zod";
import type { Peer } from "./peer.ts";
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

const HINTS = { readOnlyHint: true } as const;

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
    const text = (value: string) => ({ content: [{ type: "text" as const, text: value }] });
    const ran = (tool: string): void => void calls.push(tool);

    server.registerTool(
      "read_note",
      { description: "Reads a note.", inputSchema: z.object({ id: z.string() }), annotations: HINTS },
      async ({ id }) => {
        ran("read_note");
        return text(`note ${id}`);
      },
    );
    server.registerTool(
      "write_note",
      { description: "Writes a note.", inputSchema: z.object({ text: z.string() }) },
      async ({ text: note }) => {
        ran("write_note");
        return text(`written: ${note}`);
      },
    );
    server.registerTool(
      "count",
      {
        description: "Counts letters.",
        inputSchema: z.object({ word: z.string() }),
        outputSchema: z.object({ letters: z.number() }),
        annotations: HINTS,
      },
      async ({ word }) => {
        ran("count");
        return { content: [{ type: "text", text: String(word.length) }], structuredContent: { letters: word.length } };
      },
    );
    server.registerTool(
      "picture",
      { description: "Shows a picture.", inputSchema: z.object({}), annotations: HINTS },
      async () => ({
        content: [
          { type: "text", text: "a picture" },
          { type: "image", data: "aGVsbG8=", mimeType: "image/png" },
        ],
      }),
    );
    server.registerTool("fail", { description: "Fails.", inputSchema: z.object({}) }, async () => ({
      ...text("the note is locked"),
      isError: true,
    }));
    for (const [tool, annotations] of [
      ["huge", HINTS],
      ["huge_write", {}],
    ] as const)
      server.registerTool(
        tool,
        { description: "Answers with 3 MB.", inputSchema: z.object({}), annotations },
        async () => {
          ran(tool);
          return text("x".repeat(3_000_000));
        },
      );
    for (const [tool, annotations] of [
      ["slow", HINTS],
      ["slow_write", {}],
    ] as const)
      server.registerTool(
        tool,
        { description: "Answers when it is released.", inputSchema: z.object({}), annotations },
        async () => {
          ran(tool);
          await new Promise<void>((resolve) => void waiting.add(resolve));
          return text(`${tool} done`);
        },
      );
    server.registerTool(
      "changing",
      { description: changing, inputSchema: z.object({}), annotations: HINTS },
      async () => {
        ran("changing");
        return text("changing was called");
      },
    );
    server.registerTool("add_tool", { description: "Adds the tool `later`.", inputSchema: z.object({}) }, async () => {
      ran("add_tool");
      addTool();
      return text("added");
    });
    server.registerTool(
      "book",
      { description: "Books a table; asks for how many.", inputSchema: z.object({}) },
      async (_args, ctx) => {
        const asked = {
          message: "How many people?",
          requestedSchema: {
            type: "object" as const,
            properties: { people: { type: "number" as const } },
            required: ["people"],
          },
        };
        if (eraOfServer === "old") {
          // oxlint-disable-next-line typescript/no-deprecated -- how servers of the older era ask
          const answer = await ctx.mcpReq.elicitInput(asked);
          ran("book");
          return text(
            answer.action === "accept"
              ? `booked for ${JSON.stringify(answer.content?.["people"])}`
              : `not booked: ${answer.action}`,
          );
        }
        const given = ctx.mcpReq.inputResponses;
        if (given === undefined) return inputRequired({ inputRequests: { people: inputRequired.elicit(asked) } });
        ran("book");
        const people = acceptedContent<{ people: number }>(given, "people")?.people;
        return text(people === undefined ? "not booked" : `booked for ${people}`);
      },
    );
    server.registerTool(
      "interview",
      { description: "Asks twelve questions at once.", inputSchema: z.object({}) },
      async (_args, ctx) => {
        const asked = {
          message: "And then?",
          requestedSchema: { type: "object" as const, properties: { answer: { type: "string" as const } } },
        };
        const questions = Array.from({ length: 12 }, (_, number) => `q${number}`);
        // oxlint-disable-next-line typescript/no-deprecated -- how servers of the older era ask
        const askNow = () => Promise.all(questions.map(() => ctx.mcpReq.elicitInput(asked)));
        const given = eraOfServer === "old" ? await askNow() : Object.values(ctx.mcpReq.inputResponses ?? {});
        if (given.length === 0)
          return inputRequired({
            inputRequests: Object.fromEntries(questions.map((id) => [id, inputRequired.elicit(asked)])),
          });
        return text(`${JSON.stringify(given).split('"accept"').length - 1} of ${given.length} answered`);
      },
    );
    if (options.echoesBearer === true)
      server.registerTool(
        "whoami",
        { description: `Says that you are ${bearer}.`, inputSchema: z.object({}), annotations: HINTS },
        async () => text(bearer),
      );
    if (hasLater)
      server.registerTool(
        "later",
        { description: "Was added later.", inputSchema: z.object({}), annotations: HINTS },
        async () => text("later was called"),
      );
    return server;
  }

  const modern = createMcpHandler(({ requestInfo }) => makeServer("new", bearerOf(requestInfo)), { legacy: "reject" });

  function addTool(): void {
    hasLater = true;
    modern.notify.toolsChanged();
    for (const { server } of sessions.values()) {
      server.registerTool(
        "later",
        { description: "Was added later.", inputSchema: z.object({}), annotations: HINTS },
        async () => ({ content: [{ type: "text", text: "later was called" }] }),
      );
    }
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
