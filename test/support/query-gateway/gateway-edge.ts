/**
 * The query gateway with the dispatcher, called as a client calls it. The test provides entities, nodes' answers and the clock.
 * Runs in Node and inside workerd; the descriptor set is an argument, since the two read files differently.
 */
import { createDispatcher } from "../../../workers/dispatch.ts";
import type { Logger } from "../../../platform/log.ts";
import type { EntitySource } from "../../../platform/ports.ts";
import type { Surface } from "../../../platform/surface.ts";
import { createQueryGatewayApp, type GatewayPlatform } from "../../../workers/query-gateway/app.ts";
import { createPagesApp } from "../../../workers/pages/app.ts";
import { readPagesConfig } from "../../../workers/pages/config.ts";
import { ownerOf } from "../../../workers/surfaces.ts";
import type { Received } from "../server/received.ts";

const ORIGIN = "https://gateway.test";

export interface GatewayEdgeParts {
  readonly image: Uint8Array;
  readonly source: EntitySource;
  /** `GATEWAY_CONFIG`'s one chain profile, without its name and the sample of claims and tokens; or the whole text. */
  readonly deployment?: object | string;
  readonly env?: object;
  readonly platform?: Partial<GatewayPlatform>;
}

export interface GatewayEdge {
  readonly surface: Surface;
  readonly env: Env;
  /** Every log line of the edge, as `level event members`. */
  readonly log: readonly string[];
  /** `/path` for a GET, otherwise `METHOD /path`. */
  call(line: string, init?: Omit<RequestInit, "method">): Promise<Response>;
  /** Calls the gateway, and reads the body as JSON if there is one. */
  ask(line: string, init?: Omit<RequestInit, "method">): Promise<Answered>;
  /** Settles when all work after the answers is done. */
  settled(): Promise<void>;
}

export interface Answered {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly body: Received;
}

export function gatewayEdge({ image, source, deployment, env = {}, platform = {} }: GatewayEdgeParts): GatewayEdge {
  const log: string[] = [];
  const write =
    (level: string): Logger["info"] =>
    (event, members) => {
      log.push(`${level} ${event} ${JSON.stringify(members ?? {})}`);
    };
  const logger: Logger = { info: write("info"), warn: write("warn"), error: write("error") };
  const surface = createQueryGatewayApp({
    source: () => source,
    image: new Uint8Array(image).buffer,
    otherOwnerOf: (path) => {
      const owner = ownerOf(path);
      return owner === "query-gateway" ? undefined : owner;
    },
    platform: { sharedCache: () => undefined, log: logger, ...platform },
  });
  const surfaces = { "query-gateway": surface };
  const dispatch = createDispatcher({
    apps: { ...surfaces, shared: createPagesApp({ surfaces }) },
    hosts: readPagesConfig,
    log: () => logger,
  });
  const complete = { ENVIRONMENT: "test", ...configured(deployment), ...env } as unknown as Env;
  const pending: Promise<unknown>[] = [];
  const context = {
    waitUntil: (work: Promise<unknown>) => void pending.push(work),
    passThroughOnException: () => undefined,
    props: {},
  } as unknown as ExecutionContext;

  const edge: GatewayEdge = {
    surface,
    env: complete,
    log,
    async call(line, init = {}) {
      const [first = "", second] = line.split(" ");
      const url = ORIGIN + (second ?? first);
      return dispatch(new Request(url, { ...init, method: second === undefined ? "GET" : first }), complete, context);
    },
    async ask(line, init) {
      const { status, headers, ...response } = await bodyOf(await edge.call(line, init));
      return { status, headers, ...response };
    },
    async settled() {
      while (pending.length > 0) await pending.pop();
    },
  };
  return edge;
}

function configured(deployment: object | string | undefined): object {
  if (typeof deployment === "string") return { GATEWAY_CONFIG: deployment };
  const embedded = { seed: "sample" };
  return { GATEWAY_CONFIG: JSON.stringify({ deployments: [{ name: "test", embedded, ...deployment }] }) };
}

async function bodyOf(response: Response): Promise<Answered> {
  const text = await response.text();
  const isJson = response.headers.get("Content-Type") === "application/json" && text !== "";
  return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : undefined };
}
