/**
 * The Ed25519 keys of a DID: a did:key contains its own; any other is looked up in the static map, then in the domain
 * registry, then in a Blocksync GraphQL service. An unknown DID has no keys; an outage is a separate failure, so that
 * it becomes a 503 and not a false 401. Concurrent requests about one DID share one lookup, and an outage is cached
 * too: an unavailable service is not called for each request.
 */
import * as z from "zod";
import type { JsonObject } from "../json.ts";
import { failure, success, type Result } from "../result.ts";
import { ed25519KeysOf, publicKeyOf, signInKeysOf } from "./verification-method.ts";
import { createExpiringCache } from "./verification-cache.ts";
import { type Fetch, type FetchLimits, createSharedLookups, fetchJson } from "./shared-lookups.ts";

export type PublicKeys = readonly Uint8Array<ArrayBuffer>[];
/** The result of a resolver for a DID. */
export interface KnownKeys {
  /** Empty if the DID is unknown or has no signing key. */
  readonly keys: PublicKeys;
  /**
   * Milliseconds since 1970 until which the keys, and anything they prove, can be cached; absent for a did:key, which
   * never changes.
   */
  readonly until?: number;
}
/** `unresolvable` if no source could answer. */
export type KeyResolver = (did: string) => Promise<Result<KnownKeys, "unresolvable">>;

/** Milliseconds. */
export const KNOWN_KEYS_LIFETIME = 60_000;
/** Milliseconds; short, so that a new DID is soon found. */
export const UNKNOWN_DID_LIFETIME = 10_000;
/**
 * Milliseconds; shorter than the `Retry-After` of the 503, so that a caller that waits that long causes a new lookup.
 */
export const OUTAGE_LIFETIME = 3_000;
/** Milliseconds. */
export const RESOLVER_TIMEOUT = 3_000;
/** DIDs cached per isolate, about 200 bytes each. */
const CACHE_CAPACITY = 4_096;
/** Bytes; the largest documents of the chain have a tenth of it. */
export const MAX_RESOLVER_RESPONSE = 256 * 1024;

/** `STATIC_DID_KEYS`: maps a DID to the did:keys that sign for it. */
export const staticDidKeysSchema = z.record(
  z.string().startsWith("did:", { error: "must map DIDs to lists of did:key" }),
  z.array(
    z.string().refine((key) => publicKeyOf(key) !== undefined, { error: "must contain only did:keys of Ed25519" }),
    { error: "must map DIDs to lists of did:key" },
  ),
);

export interface DidResolverOptions {
  readonly staticKeys?: Readonly<Record<string, readonly string[]>>;
  /**
   * The registry's DID documents. On `not_found` the next source is asked; `gone` means that the domain is deactivated
   * and that no source may return its keys.
   */
  readonly document?: (did: string) => Promise<Result<JsonObject>>;
  readonly blocksyncUrl?: string;
  readonly fetch: Fetch;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  /** Milliseconds that a lookup may take; `RESOLVER_TIMEOUT` by default. */
  readonly timeout?: number;
}

export function createDidResolver(options: DidResolverOptions): KeyResolver {
  const { staticKeys = {}, document, blocksyncUrl, fetch, clock, timeout = RESOLVER_TIMEOUT } = options;
  const limits = { milliseconds: timeout, bytes: MAX_RESOLVER_RESPONSE };
  const sources = [
    ...(document === undefined ? [] : [registrySource(document)]),
    ...(blocksyncUrl === undefined ? [] : [blocksyncSource(blocksyncUrl, fetch, limits)]),
  ];
  const cache = createExpiringCache<KnownKeys>(CACHE_CAPACITY, clock);
  // Separate from the keys, because invented DIDs and outages must not evict known keys.
  const unknown = createExpiringCache<KnownKeys>(CACHE_CAPACITY, clock);
  const outages = createExpiringCache<true>(CACHE_CAPACITY, clock);
  const share = createSharedLookups<Result<KnownKeys, "unresolvable">>(clock);

  async function lookUp(did: string): Promise<Result<KnownKeys, "unresolvable">> {
    // Taken before the lookup, so that a key that is removed during it is valid no longer than any other.
    const begunAt = clock();
    const found = await askInOrder(sources, did);
    if (!found.ok) {
      outages.set(did, true, clock() + OUTAGE_LIFETIME);
      return found;
    }
    const isKnown = found.value.length > 0;
    const until = begunAt + (isKnown ? KNOWN_KEYS_LIFETIME : UNKNOWN_DID_LIFETIME);
    const known = { keys: found.value, until };
    (isKnown ? cache : unknown).set(did, known, until);
    return success(known);
  }

  return async (did) => {
    const own = publicKeyOf(did);
    if (own !== undefined) return success({ keys: [own] });
    if (Object.hasOwn(staticKeys, did)) {
      const keys = (staticKeys[did] ?? []).flatMap((key) => publicKeyOf(key) ?? []);
      return success({ keys, until: clock() + KNOWN_KEYS_LIFETIME });
    }
    if (!did.startsWith("did:ixo:")) return success({ keys: [] });
    const known = cache.get(did) ?? unknown.get(did);
    if (known !== undefined) return success(known);
    if (outages.get(did) === true) return failure("unresolvable");
    return share(did, () => lookUp(did));
  };
}

/** `unknown`: the source has no such DID. */
type KeySource = (did: string) => Promise<Result<PublicKeys | "unknown", "unresolvable">>;

/**
 * The first source that has the DID answers, even without keys. An unavailable source may have it, so no later source
 * answers in its place.
 */
async function askInOrder(sources: readonly KeySource[], did: string): Promise<Result<PublicKeys, "unresolvable">> {
  for (const source of sources) {
    const answer = await source(did);
    if (!answer.ok) return answer;
    if (answer.value !== "unknown") return success(answer.value);
  }
  return success([]);
}

/** A domain of the registry is authoritative for its DID: other sources are ignored. */
function registrySource(document: (did: string) => Promise<Result<JsonObject>>): KeySource {
  return async (did) => {
    const found = await document(did);
    if (found.ok) return success(signInKeysOf(found.value));
    if (found.error.code === "gone") return success([]);
    return found.error.code === "not_found" ? success("unknown") : failure("unresolvable");
  };
}

const BLOCKSYNC_QUERY =
  "query Keys($did: String!) { iids(filter: { id: { equalTo: $did } }) { nodes { id verificationMethod } } }";

const blocksyncAnswer = z.object({
  data: z.object({
    iids: z.object({ nodes: z.array(z.object({ id: z.string(), verificationMethod: z.unknown() })) }),
  }),
});

function blocksyncSource(url: string, fetch: Fetch, limits: FetchLimits): KeySource {
  return async (did) => {
    const request = {
      method: "POST",
      headers: { "Content-Type": "application/json", Accept: "application/json" },
      body: JSON.stringify({ query: BLOCKSYNC_QUERY, variables: { did } }),
    };
    const response = await fetchJson(fetch, url, request, limits);
    const answer = response.ok ? blocksyncAnswer.safeParse(response.value) : undefined;
    if (answer?.success !== true) return failure("unresolvable");
    const node = answer.data.data.iids.nodes.find(({ id }) => id === did);
    return success(ed25519KeysOf(node?.verificationMethod));
  };
}
