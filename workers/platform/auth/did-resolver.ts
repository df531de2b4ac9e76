/**
 * The Ed25519 keys of a DID: did:key holds its own; any other is looked for in the
 * static map, then in the domain registry, then in a Blocksync GraphQL service. An unknown DID has no
 * keys; an outage is a failure of its own, so that it becomes a 503 and not a false 401. Whoever asks for the same DID at
 * the same time shares one lookup, and an outage is remembered too: a service that is down is not asked for each request.
 */
import * as z from "zod";
import type { JsonObject } from "../json.ts";
import { failure, success, type Result } from "../result.ts";
import { ed25519KeysOf, publicKeyOf } from "./verification-method.ts";
import { createExpiringCache } from "./verification-cache.ts";
import { type Fetch, type FetchLimits, createSharedLookups, fetchJson } from "./shared-lookups.ts";

export type PublicKeys = readonly Uint8Array<ArrayBuffer>[];
/** Empty when the DID is unknown or has no key that could sign; `unresolvable` when no source could tell. */
export type KeyResolver = (did: string) => Promise<Result<PublicKeys, "unresolvable">>;

/** Milliseconds. */
export const KNOWN_KEYS_LIFETIME = 60_000;
/** Milliseconds; short, so that a DID made a moment ago is soon found. */
export const UNKNOWN_DID_LIFETIME = 10_000;
/** Milliseconds; shorter than the `Retry-After` of the 503, so that a caller that waits that long causes a new lookup. */
export const OUTAGE_LIFETIME = 3_000;
/** Milliseconds. */
export const RESOLVER_TIMEOUT = 3_000;
/** DIDs remembered per isolate, about 200 bytes each. */
const CACHE_CAPACITY = 4_096;
/** Bytes; the largest documents of the chain are a tenth of it. */
export const MAX_RESOLVER_RESPONSE = 256 * 1024;

/** `STATIC_DID_KEYS`: a map from a DID to the did:keys that sign for it. */
export const staticDidKeysSchema = z.record(
  z.string().startsWith("did:", { error: "must map DIDs to lists of did:key" }),
  z.array(
    z.string().refine((key) => publicKeyOf(key) !== undefined, { error: "must hold did:keys of Ed25519 only" }),
    { error: "must map DIDs to lists of did:key" },
  ),
);

export interface DidResolverOptions {
  readonly staticKeys?: Readonly<Record<string, readonly string[]>>;
  /**
   * The registry's DID documents. A failure `not_found` means that the next source is asked; `gone` means that the domain
   * is deactivated and that no source may give keys of it.
   */
  readonly document?: (did: string) => Promise<Result<JsonObject>>;
  readonly blocksyncUrl?: string;
  readonly fetch: Fetch;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  /** Milliseconds a lookup may take; `RESOLVER_TIMEOUT` when left out. */
  readonly timeout?: number;
}

export function createDidResolver(options: DidResolverOptions): KeyResolver {
  const { staticKeys = {}, document, blocksyncUrl, fetch, clock, timeout = RESOLVER_TIMEOUT } = options;
  const limits = { milliseconds: timeout, bytes: MAX_RESOLVER_RESPONSE };
  const sources = [
    ...(document === undefined ? [] : [registrySource(document)]),
    ...(blocksyncUrl === undefined ? [] : [blocksyncSource(blocksyncUrl, fetch, limits)]),
  ];
  const cache = createExpiringCache<PublicKeys>(CACHE_CAPACITY, clock);
  // Apart from the keys: an outage must not push out what is known.
  const outages = createExpiringCache<true>(CACHE_CAPACITY, clock);
  const share = createSharedLookups<Result<PublicKeys, "unresolvable">>(clock);

  async function lookUp(did: string): Promise<Result<PublicKeys, "unresolvable">> {
    const found = await askInOrder(sources, did);
    if (!found.ok) outages.set(did, true, clock() + OUTAGE_LIFETIME);
    else cache.set(did, found.value, clock() + (found.value.length > 0 ? KNOWN_KEYS_LIFETIME : UNKNOWN_DID_LIFETIME));
    return found;
  }

  return async (did) => {
    const own = publicKeyOf(did);
    if (own !== undefined) return success([own]);
    if (Object.hasOwn(staticKeys, did))
      return success((staticKeys[did] ?? []).flatMap((key) => publicKeyOf(key) ?? []));
    if (!did.startsWith("did:ixo:")) return success([]);
    const known = cache.get(did);
    if (known !== undefined) return success(known);
    if (outages.get(did) === true) return failure("unresolvable");
    return share(did, () => lookUp(did));
  };
}

/** `gone`: the DID is deactivated, whatever another source still tells of it. */
type KeySource = (did: string) => Promise<Result<PublicKeys | "gone", "unresolvable">>;

/** The first source that knows keys answers; one that is down counts only when no other knows any. */
async function askInOrder(sources: readonly KeySource[], did: string): Promise<Result<PublicKeys, "unresolvable">> {
  let outcome: Result<PublicKeys, "unresolvable"> = success([]);
  for (const source of sources) {
    const answer = await source(did);
    if (!answer.ok) outcome = answer;
    else if (answer.value === "gone") return success([]);
    else if (answer.value.length > 0) return success(answer.value);
  }
  return outcome;
}

function registrySource(document: (did: string) => Promise<Result<JsonObject>>): KeySource {
  return async (did) => {
    const found = await document(did);
    if (found.ok) return success(ed25519KeysOf(found.value["verificationMethod"]));
    if (found.error.code === "gone") return success("gone");
    return found.error.code === "not_found" ? success([]) : failure("unresolvable");
  };
}

const BLOCKSYNC_QUERY =
  "query Keys($did: String!) { iids(filter: { id: { equalTo: $did } }) { nodes { id verificationMethod } } }";

const blocksyncAnswer = z.object({
  data: z.object({
    iids: z.object({ nodes: z.array(z.object({ id: z.string(), verificationMethod: z.unknown() })) }),
  }),
});

function blocksyncSource(url: string, fetch: Fetch, limits: FetchLimits): KeyResolver {
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
