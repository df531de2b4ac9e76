/**
 * A connection to one server for one turn, by the official client. The server's protocol is detected once and stored with its list.
 * The newer protocol then needs no handshake; an older one has a session, which ends with the turn.
 */
import {
  Client,
  type CallToolResult,
  type ElicitRequest,
  type ElicitResult,
  type PriorDiscovery,
  type Tool,
} from "@modelcontextprotocol/client";
import type { JsonObject } from "../../../platform/json.ts";
import type { Authorization, ServerRefusal } from "./authorization.ts";
import { createServerFetch, type Fetch } from "./server-fetch.ts";
import type { McpServer } from "./settings.ts";
import { McpTransport } from "./transport.ts";

/** Time limit for a server to connect and list its tools, milliseconds. */
export const REACH_MS = 3_000;
/** Maximum number of pages of a list. */
const MAX_PAGES = 32;

export type Elicit = (params: ElicitRequest["params"]) => Promise<ElicitResult>;

export interface ConnectionOptions {
  readonly server: McpServer;
  readonly fetch: Fetch;
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  readonly prior?: PriorDiscovery | undefined;
  readonly onRefused?: ((refusal: ServerRefusal) => Promise<Authorization>) | undefined;
  /** Called when the server reports that its tools changed. */
  readonly onListChanged: () => void;
  /** Answers a server that asks the user a question. A server may list some tools only for clients that support this. */
  readonly elicit: Elicit;
}

export interface ListAnswer {
  readonly tools: readonly Tool[];
  /** The TTL of the list, as the server states it, milliseconds. */
  readonly ttlMs: number | undefined;
  /** The detected protocol, which the next connection reuses. */
  readonly prior: PriorDiscovery;
}

export interface CallOptions {
  readonly definition: Tool;
  readonly signal: AbortSignal;
}

export interface Connection {
  readonly refusal: Exclude<Authorization, { kind: "headers" }> | undefined;
  listTools(): Promise<ListAnswer>;
  call(args: JsonObject, options: CallOptions): Promise<CallToolResult>;
  /** Receives changes of the list while the connection is open. */
  listen(): void;
  /** Ends requests and the server's session. Never rejects. */
  close(): Promise<void>;
}

/** Rejects when the server cannot be reached in time. */
export async function connect(options: ConnectionOptions): Promise<Connection> {
  const { server, prior, onListChanged, elicit } = options;
  const closing = new AbortController();
  const requests = createServerFetch({
    server,
    fetch: options.fetch,
    headers: options.headers,
    signal: AbortSignal.any([options.signal, closing.signal]),
    onRefused: options.onRefused,
  });
  const transport = new McpTransport(new URL(server.url), {
    fetch: (url, init) => requests.fetch(url, init),
    onInsufficientScope: "throw",
  });
  const client = new Client(
    { name: "twinedge", version: "1.0.0" },
    {
      capabilities: { elicitation: { form: {}, url: {} } },
      versionNegotiation: { mode: "auto", probe: { timeoutMs: REACH_MS } },
      listMaxPages: MAX_PAGES,
    },
  );
  client.setNotificationHandler("notifications/tools/list_changed", onListChanged);
  client.setRequestHandler("elicitation/create", ({ params }) => elicit(params));

  async function close(): Promise<void> {
    try {
      if (transport.sessionId !== undefined && !options.signal.aborted) await transport.terminateSession();
    } catch {
      // The server expires the session itself.
    }
    closing.abort();
    await client.close().catch(() => undefined);
  }

  try {
    await client.connect(transport, { timeout: REACH_MS, ...(prior === undefined ? {} : { prior }) });
  } catch (thrown) {
    await close();
    const refused = requests.refusal;
    throw refused === undefined ? thrown : new Refused(refused);
  }

  return {
    get refusal() {
      return requests.refusal;
    },
    close,
    async listTools() {
      const answer = await client.listTools(undefined, { timeout: REACH_MS });
      const { ttlMs } = answer as { readonly ttlMs?: unknown };
      const discover = client.getDiscoverResult();
      return {
        tools: answer.tools,
        ttlMs: typeof ttlMs === "number" ? ttlMs : undefined,
        prior: discover === undefined ? { kind: "legacy" } : { kind: "modern", discover },
      };
    },
    listen() {
      if (client.getProtocolEra() !== "modern" || client.getServerCapabilities()?.tools?.listChanged !== true) return;
      // Without this, a change is noticed when the list expires.
      client.listen({ toolsListChanged: true }).catch(() => undefined);
    },
    call: (args, { definition, signal }) =>
      client.callTool(
        { name: definition.name, arguments: args },
        // The caller's signal enforces the time limit.
        { toolDefinition: definition, signal, timeout: MAX_TIMER_MS },
      ),
  };
}

/** The upper bound of a timer, milliseconds. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** The server refused the user's headers, and the sign-in has returned the next step. */
export class Refused extends Error {
  override readonly name = "Refused";
  readonly authorization: Exclude<Authorization, { kind: "headers" }>;

  constructor(authorization: Exclude<Authorization, { kind: "headers" }>) {
    super(`refused: ${authorization.kind}`);
    this.authorization = authorization;
  }
}
