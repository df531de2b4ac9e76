/**
 * Where an oracle is: its DID's services say it. Nothing is asked when the application names the address itself, and otherwise
 * only what it has configured, or the index of the chain network that it runs on.
 */
import { indexUrl } from "./chain-network.ts";
import { jsonOf, OfflineError, refusalOf, RequestError } from "./errors.ts";
import type { Endpoints } from "./client-settings.ts";

/** Milliseconds until the answer to a look-up has to begin. */
const LOOKUP_TIME_MS = 30_000;

/** A service of a DID document or of an entity. */
export interface DidService {
  readonly id: string;
  readonly type: string;
  readonly serviceEndpoint: string;
}

/** Which oracle, and who knows where it is. */
export interface DiscoveryOptions {
  readonly oracleDid: string;
  /** The API's address: with it nothing is looked up, and sockets go there too. */
  readonly baseUrl?: string | undefined;
  /** The sockets' address. */
  readonly wsUrl?: string | undefined;
  /** A domain registry: the DID document of `/1.0/identifiers/{did}` is read. Comes before `graphqlUrl`. */
  readonly registryUrl?: string | undefined;
  /** An index of entities (`entity(id)` with its `service`). By default that of the chain network in the environment. */
  readonly graphqlUrl?: string | undefined;
  readonly fetch?: typeof fetch | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The addresses of an oracle, by its DID. Throws when the DID has no service by which the oracle could be reached. */
export async function discoverEndpoints(options: DiscoveryOptions): Promise<Endpoints> {
  const { oracleDid, baseUrl, wsUrl } = options;
  if (baseUrl !== undefined) return endpointsOf(baseUrl, wsUrl);
  const { apiUrl, socketUrl } = serviceUrls(await servicesOf(options));
  if (apiUrl === undefined) throw new Error(`${oracleDid} has no service "oracleService" that says where its API is.`);
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
 * The DID of the oracle at an address, which tokens are signed for: the `id` of its `/.well-known/did.json`.
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
  /** Of a resolution result, which has the document inside. */
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

/** Tokens go there: over TLS, except to the device itself. */
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
