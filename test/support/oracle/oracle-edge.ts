/**
 * The oracle with the dispatcher, called as a client calls it, by a user who signs. The environment provides its objects: real ones
 * inside workerd, in-memory ones in Node. Runs in both.
 */
import { createDispatcher } from "../../../workers/dispatch.ts";
import { createOracleSurface, type OracleSurfaceOptions } from "../../../workers/oracle/oracle-surface.ts";
import { userPreferences } from "../../../oracle/plugins/user-preferences/plugin.ts";
import type { Logger } from "../../../platform/log.ts";
import { createPagesApp } from "../../../workers/pages/app.ts";
import { readPagesConfig } from "../../../workers/pages/config.ts";
import { mintInvocation, signer } from "../auth/ucan.ts";

/** Key 7 of `ucan.ts`; the oracle is known by its did:key. */
export const ORACLE_SIGNING_SEED = "07".repeat(32);
const ORIGIN = "https://oracle.test";

export interface Call {
  readonly headers?: Readonly<Record<string, string>>;
  /** A string is sent as it is, anything else as JSON. */
  readonly body?: unknown;
  /** The seed of the signing key; without it, the request is not authenticated. */
  readonly as?: number;
}

export interface Edge {
  readonly oracleDid: string;
  call(method: string, path: string, call?: Call): Promise<Response>;
  /** The oracle's minutely schedule. */
  schedule(): Promise<void>;
}

const silent: Logger = { info: () => undefined, warn: () => undefined, error: () => undefined };

const context = { waitUntil: () => undefined, passThroughOnException: () => undefined, props: {} };

/** `env` needs the bindings; the oracle's key is added. */
export async function createEdge(env: object, options: Partial<OracleSurfaceOptions> = {}): Promise<Edge> {
  const complete = { ORACLE_SIGNING_SEED, ...env } as unknown as Env;
  const oracle = createOracleSurface({ config: { name: "Test oracle" }, plugins: [userPreferences], ...options });
  const dispatch = createDispatcher({
    apps: { oracle, shared: createPagesApp({ surfaces: { oracle } }) },
    hosts: readPagesConfig,
    log: () => silent,
  });
  const oracleDid = (await signer(7)).did();
  return {
    oracleDid,
    schedule: () => oracle.scheduled(complete, context, Date.now()),
    async call(method, path, { headers = {}, body, as } = {}) {
      const request = new Request(`${ORIGIN}${path}`, {
        method,
        headers: { ...(as === undefined ? {} : await signedBy(as, oracleDid)), ...headers },
        ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
      });
      return dispatch(request, complete, context as unknown as ExecutionContext);
    },
  };
}

/** Creates a session of that user, and returns its id. */
export async function openSession(edge: Edge, as: number): Promise<string> {
  const response = await edge.call("POST", "/sessions", { as });
  const { sessionId } = await jsonOf(response);
  if (response.status !== 201 || typeof sessionId !== "string") throw new Error(`no session: ${response.status}`);
  return sessionId;
}

export async function jsonOf(response: Response): Promise<Record<string, unknown>> {
  return response.json();
}

async function signedBy(key: number, audience: string): Promise<Record<string, string>> {
  const expiration = Math.floor(Date.now() / 1000) + 600;
  const token = await mintInvocation(await signer(key), audience, expiration);
  return { Authorization: `Bearer ${token}`, "X-Auth-Type": "ucan" };
}
