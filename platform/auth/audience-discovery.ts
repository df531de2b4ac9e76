/**
 * The DID of a downstream service: `id` of `<origin>/.well-known/did.json`, cached for ten minutes. Only over https,
 * because the answering host receives a token minted for it.
 */
import * as z from "zod";
import { fail } from "../failure.ts";
import { success, type Result } from "../result.ts";
import { createExpiringCache } from "./verification-cache.ts";
import { fetchJson, type Fetch } from "./shared-lookups.ts";

/** Milliseconds. */
export const AUDIENCE_LIFETIME = 600_000;
const DISCOVERY_TIMEOUT = 3_000;
/** Bytes. */
export const MAX_DID_DOCUMENT = 64 * 1024;
/** Cached services; an oracle calls a handful. */
const CACHE_CAPACITY = 256;

const documentSchema = z.object({
  id: z
    .string()
    .regex(/^did:[a-z0-9]+:[A-Za-z0-9._:%-]+$/)
    .max(256),
});
const LOCAL_HOSTS = ["localhost", "127.0.0.1", "[::1]"];

/** Failures: `invalid_request` for an address that must not be requested, `upstream_failed` if no DID was returned. */
export type AudienceDiscovery = (serviceUrl: string) => Promise<Result<string>>;

export interface AudienceDiscoveryOptions {
  readonly fetch: Fetch;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  /** Milliseconds; `DISCOVERY_TIMEOUT` by default. */
  readonly timeout?: number;
}

export function createAudienceDiscovery(options: AudienceDiscoveryOptions): AudienceDiscovery {
  const { fetch, clock, timeout = DISCOVERY_TIMEOUT } = options;
  const known = createExpiringCache<string>(CACHE_CAPACITY, clock);

  return async (serviceUrl) => {
    const origin = trustworthyOrigin(serviceUrl);
    if (origin === undefined) return fail("invalid_request", "A service must be reached over https");
    const remembered = known.get(origin);
    if (remembered !== undefined) return success(remembered);
    const limits = { milliseconds: timeout, bytes: MAX_DID_DOCUMENT };
    const init = { headers: { Accept: "application/did+json, application/json" } };
    const response = await fetchJson(fetch, `${origin}/.well-known/did.json`, init, limits);
    const document = response.ok ? documentSchema.safeParse(response.value) : undefined;
    if (document?.success !== true) return fail("upstream_failed", "The service does not publish its DID");
    known.set(origin, document.data.id, clock() + AUDIENCE_LIFETIME);
    return success(document.data.id);
  };
}

function trustworthyOrigin(serviceUrl: string): string | undefined {
  if (!URL.canParse(serviceUrl)) return undefined;
  const { protocol, hostname, origin } = new URL(serviceUrl);
  return protocol === "https:" || (protocol === "http:" && LOCAL_HOSTS.includes(hostname)) ? origin : undefined;
}
