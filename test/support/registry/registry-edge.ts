/**
 * The registry with the dispatcher, called as a client calls it, over a real D1 database. Each edge has its own clock and rate
 * limits. Data of earlier tests is still stored, so tests create unique DIDs.
 */
import { createDispatcher } from "../../../workers/dispatch.ts";
import type { Logger } from "../../../platform/log.ts";
import { createRegistryApp, type RegistrySurface } from "../../../workers/registry/app.ts";
import type { Scope } from "../../../workers/registry/caller.ts";
import { createPagesApp } from "../../../workers/pages/app.ts";
import { readPagesConfig } from "../../../workers/pages/config.ts";
import type { Received } from "../server/received.ts";

const ORIGIN = "https://registry.test";
export const ADMIN_TOKEN = "operator-token-of-32-characters!";

export interface RegistryCall {
  readonly headers?: Readonly<Record<string, string>>;
  /** A string is sent as it is, anything else as JSON with its type. */
  readonly body?: unknown;
  /** The API key, or ADMIN_TOKEN. */
  readonly key?: string;
}

export interface RegistryEdge {
  readonly registry: RegistrySurface;
  /** Every log line of the edge, as `level event members`. */
  readonly log: readonly string[];
  /** Unix milliseconds; the test advances it. */
  readonly clock: { now: number };
  /** Sends a request unchanged. */
  send(request: Request): Promise<Response>;
  call(method: string, path: string, call?: RegistryCall): Promise<Response>;
  /** Calls the registry, and reads the body as JSON. */
  ask(method: string, path: string, call?: RegistryCall): Promise<Answered>;
  /** A new key of `did` with these scopes. */
  keyOf(did: string, scopes: readonly Scope[], more?: object): Promise<string>;
  /** Settles when all work after the answers is done. */
  settled(): Promise<void>;
}

export interface Answered {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Received;
}

/** `env` needs DATABASE; rate limits are high unless a test sets its own. */
export function registryEdge(env: object, start = Date.parse("2026-11-21T09:00:00Z")): RegistryEdge {
  const clock = { now: start };
  const complete = {
    ENVIRONMENT: "test",
    ADMIN_TOKEN,
    REGISTRY_READS_PER_MINUTE: "1000000",
    REGISTRY_WRITES_PER_MINUTE: "1000000",
    REGISTRY_PUBLIC_READS_PER_MINUTE: "1000000",
    REGISTRY_PUBLIC_ROW_COST_PER_SECOND: "1000000000",
    REGISTRY_SCAN_ROW_COST_PER_SECOND: "1000000000",
    ...env,
  } as unknown as Env;
  const registry = createRegistryApp({
    clock: () => clock.now,
    randomBytes: (count) => crypto.getRandomValues(new Uint8Array(count)),
  });
  const log: string[] = [];
  const write =
    (level: string): Logger["info"] =>
    (event, members) => {
      log.push(`${level} ${event} ${JSON.stringify(members ?? {})}`);
    };
  const dispatch = createDispatcher({
    apps: { registry, shared: createPagesApp({ surfaces: { registry } }) },
    hosts: readPagesConfig,
    log: () => ({ info: write("info"), warn: write("warn"), error: write("error") }),
  });
  const pending: Promise<unknown>[] = [];
  const context = {
    waitUntil: (work: Promise<unknown>) => void pending.push(work),
    passThroughOnException: () => undefined,
    props: {},
  } as unknown as ExecutionContext;

  const edge: RegistryEdge = {
    registry,
    log,
    clock,
    send: (request) => dispatch(request, complete, context),
    async call(method, path, { headers = {}, body, key } = {}) {
      const isText = typeof body === "string";
      const request = new Request(`${ORIGIN}${path}`, {
        method,
        headers: {
          ...(key === undefined ? {} : { Authorization: `Bearer ${key}` }),
          ...(body === undefined || isText ? {} : { "Content-Type": typeFor(method) }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: isText ? body : JSON.stringify(body) }),
      });
      return dispatch(request, complete, context);
    },
    async ask(method, path, call) {
      const response = await edge.call(method, path, call);
      const text = await response.text();
      return { status: response.status, headers: response.headers, body: text === "" ? undefined : JSON.parse(text) };
    },
    async keyOf(did, scopes, more = {}) {
      const body = { label: "test", did, scopes, ...more };
      const issued = await edge.ask("POST", "/v1/api-keys", { key: ADMIN_TOKEN, body });
      if (issued.status !== 201) throw new Error(`no key: ${issued.status} ${JSON.stringify(issued.body)}`);
      return String(issued.body.key);
    },
    async settled() {
      while (pending.length > 0) await pending.pop();
    },
  };
  return edge;
}

function typeFor(method: string): string {
  return method === "PATCH" ? "application/merge-patch+json" : "application/json";
}
