/**
 * Finds the addresses of an oracle from the services of its DID. If the application sets the address, no request is
 * sent. Otherwise the SDK asks only the services that the application has configured, or the index of its chain
 * network.
 */
import { indexUrl } from "./chain-network.ts";
import { jsonOf, OfflineError, refusalOf, RequestError } from "./errors.ts";
import type { Endpoints } from "./client-settings.ts";

/** Milliseconds until the response of a lookup must begin. */
const LOOKUP_TIME_MS = 30_000;

/** A service of a DID document or of an entity. */
export interface DidService {
  readonly id: string;
  readonly type: string;
  readonly serviceEndpoint: string;
}

/** The oracle to find, and the services that know its address. */
export interface DiscoveryOptions {
  readonly oracleDid: string;
  /** The address of the API. It skips the lookup and is also the address of the sockets. */
  readonly baseUrl?: string | undefined;
  /** The address of the sockets. */
  readonly wsUrl?: string | undefined;
  /**
   * A domain registry. The SDK reads the DID document at `/1.0/identifiers/{did}`. It takes precedence over
   * `graphqlUrl`.
   */
  readonly registryUrl?: string | undefined;
  /** An index of entities (`entity(id)` with its `service`). Default: the index of the environment's chain network. */
  readonly graphqlUrl?: string | undefined;
  readonly fetch?: typeof fetch | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Finds the addresses of an oracle by its DID. Throws if the DID has no service with an address. */
export async function discoverEndpoints(options: DiscoveryOptions): Promise<Endpoints> {
  const { oracleDid, baseUrl, wsUrl } = options;
  if (baseUrl !== undefined) return endpointsOf(baseUrl, wsUrl);
  const { apiUrl, socketUrl } = serviceUrls(await servicesOf(options));
  if (apiUrl === undefined) throw new Error(`${oracleDid} has no service "oracleService" with the address of its API.`);
  return endpointsOf(apiUrl, wsUrl ?? socketUrl);
}

/** The origins of the API (`oracleService`, or an id that ends in `#api`) and of the sockets (`wsService`, `#ws`). */
export function serviceUrls(services: readonly DidService[]): {
  readonly apiUrl?: string;
  readonly socketUrl?: string;
} {
  const origin = (type: string, fragment: string): string | undefined => {
    const service = services.find((each) => each.type === type) ?? services.find(({ id }) => id.endsWith(fragment));
    return service === undefined ? undefined : safeOrigin(service.serviceEndpoint);
  };
  const [apiUrl, socketUrl] = [origin("oracleService", "#api"), origin("wsService", "#ws")];
  return { ...(apiUrl !== undefined && { apiUrl }), ...(socketUrl !== undefined && { socketUrl }) };
}

/**
 * Reads the DID of the oracle at an address, which is the audience of the tokens: the `id` of its
 * `/.well-known/did.json`.
 *
 * @example
 * const oracleDid = await readOracleDid("http://localhost:3000");
 */
export async function readOracleDid(baseUrl: string, fetchNow: typeof fetch = fetch): Promise<string> {
  const { id } = await readJson<{ id?: unknown }>(fetchNow, `${baseUrl.replace(/\/+$/, "")}/.well-known/did.json`);
  if (typeof id !== "string" || !id.startsWith("did:")) throw new Error(`${baseUrl} does not say which oracle it is.`);
  return id;
}

async function servicesOf(options: DiscoveryOptions): Promise<readonly DidService[]> {
  const { oracleDid, registryUrl, graphqlUrl = indexUrl(), fetch: fetchNow = fetch, signal } = options;
  if (registryUrl !== undefined) {
    const url = `${registryUrl.replace(/\/+$/, "")}/1.0/identifiers/${encodeURIComponent(oracleDid)}`;
    const document = await readJson<DidDocument>(fetchNow, url, {
      headers: { Accept: "application/did+ld+json" },
      signal,
    });
    return listOf(document.didDocument?.service ?? document.service);
  }
  const query = "query Services($id: String!) { entity(id: $id) { service } }";
  const { data } = await readJson<{ data?: { entity?: { service?: unknown } | null } | null }>(fetchNow, graphqlUrl, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ query, variables: { id: oracleDid } }),
    signal,
  });
  return listOf(data?.entity?.service);
}

interface DidDocument {
  readonly service?: unknown;
  /** A resolution result contains the document. */
  readonly didDocument?: { readonly service?: unknown } | null;
}

async function readJson<Body>(
  fetchNow: typeof fetch,
  url: string,
  { signal, ...init }: Omit<RequestInit, "signal"> & { readonly signal?: AbortSignal | undefined } = {},
): Promise<Body> {
  signal?.throwIfAborted();
  const ending = new AbortController();
  const end = () => ending.abort(signal?.reason);
  signal?.addEventListener("abort", end);
  const timer = setTimeout(end, LOOKUP_TIME_MS);
  try {
    const response = await fetchNow(url, { ...init, signal: ending.signal });
    clearTimeout(timer);
    if (!response.ok) throw await refusalOf(response);
    return (await jsonOf(response)) as Body;
  } catch (cause) {
    if (cause instanceof RequestError || cause instanceof OfflineError) throw cause;
    signal?.throwIfAborted();
    throw new OfflineError(`${originOf(url) ?? url} could not be reached.`, { cause });
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", end);
  }
}

function listOf(services: unknown): readonly DidService[] {
  const list: readonly unknown[] = Array.isArray(services) ? services : [];
  return list.filter((each): each is DidService => typeof (each as Partial<DidService> | null)?.id === "string");
}

function endpointsOf(apiUrl: string, socketUrl: string | undefined): Endpoints {
  return { apiUrl, ...(socketUrl !== undefined && { socketUrl }) };
}

/** Tokens are sent there, so it must use TLS, except on this device. */
function safeOrigin(url: unknown): string | undefined {
  const origin = originOf(url);
  if (origin === undefined) return undefined;
  const { protocol, hostname } = new URL(String(url));
  if (protocol === "https:" || protocol === "wss:") return origin;
  const isOwnDevice = hostname === "[::1]" || /(^|\.)localhost$|^127(\.\d+){3}$/.test(hostname);
  return (protocol === "http:" || protocol === "ws:") && isOwnDevice ? origin : undefined;
}

function originOf(url: unknown): string | undefined {
  try {
    return new URL(String(url)).origin;
  } catch {
    return undefined;
  }
}
