/** Headers of a finished answer: its height, how long it holds, and whether the caller has it already (contract D, sections 5 and 12). */
import type { DeploymentSettings } from "../deployments/settings.ts";
import type { Lifetime } from "./answer-cache.ts";

const HEIGHT_HEADERS = ["Grpc-Metadata-X-Cosmos-Block-Height", "X-Cosmos-Block-Height"];

/** What a cache before us must know: one URL has an answer for each height, and a settled one holds for a year. */
export const VARY = HEIGHT_HEADERS.join(", ");

/** Both spellings: clients of older nodes read the first one. */
export function heightHeaders(height: string | undefined): Readonly<Record<string, string>> {
  return height === undefined ? {} : Object.fromEntries(HEIGHT_HEADERS.map((name) => [name, height]));
}

export function addHeight(headers: Headers, height: string | undefined): void {
  for (const [name, value] of Object.entries(heightHeaders(height))) headers.set(name, value);
}

export interface Freshness {
  readonly cacheControl: string;
  /** How long it is fresh, 0 for not at all; and how long it may be of use after that. */
  readonly seconds: number;
  readonly staleSeconds: number;
}

export interface Heights {
  /** Of the request, absent for the latest. */
  readonly asked: bigint | undefined;
  /** Of the answer, absent where the node does not tell. */
  readonly told: bigint | undefined;
  /** The newest that any node has told of. */
  readonly best: bigint | undefined;
  /** Everything in the answer is known to our image; after the next update the rest would be printed too. */
  readonly isComplete: boolean;
}

/**
 * What a node says of another height than it was asked for is kept by nobody, nor what it says without naming a height: it may
 * have missed the header and answered from its latest.
 */
export function freshnessOf(
  { cache, gate }: Pick<DeploymentSettings, "cache" | "gate">,
  { asked, told, best, isComplete }: Heights,
): Freshness {
  const audience = gate.mode === "none" ? "public, " : "private, ";
  const { latestSeconds, staleWhileRevalidateSeconds, staleIfErrorSeconds, immutableDepth, immutableSeconds } = cache;
  if (asked === undefined) {
    const staleSeconds = Math.max(staleWhileRevalidateSeconds, staleIfErrorSeconds);
    const members = [
      `max-age=${latestSeconds}`,
      ...(staleWhileRevalidateSeconds > 0 ? [`stale-while-revalidate=${staleWhileRevalidateSeconds}`] : []),
      ...(staleIfErrorSeconds > 0 ? [`stale-if-error=${staleIfErrorSeconds}`] : []),
    ];
    const cacheControl = latestSeconds + staleSeconds === 0 ? "no-cache" : members.join(", ");
    const seconds = latestSeconds;
    return { cacheControl: gate.mode === "none" ? cacheControl : audience + cacheControl, seconds, staleSeconds };
  }
  const isSettled = isComplete && told === asked && best !== undefined && asked <= best - BigInt(immutableDepth);
  const unsettled = gate.mode === "none" ? "no-cache" : "private, no-cache";
  if (!isSettled) return { cacheControl: unsettled, seconds: 0, staleSeconds: 0 };
  return {
    cacheControl: `${audience}max-age=${immutableSeconds}, immutable`,
    seconds: immutableSeconds,
    staleSeconds: 0,
  };
}

/** Of an answer that was kept: how old it is, and whether it is fresh still (RFC 9111, section 5.1; RFC 9211). */
export function cachedHeaders(
  { storedAt, seconds }: Lifetime,
  now: number,
  /** With which a fetch has just failed. */
  failedWith?: number,
): Readonly<Record<string, string>> {
  const age = Math.max(0, Math.floor((now - storedAt) / 1000));
  const ttl = `ttl=${seconds - age}`;
  const status = failedWith === undefined ? `hit; ${ttl}` : `fwd=stale; fwd-status=${failedWith}; ${ttl}`;
  return { Age: String(age), ...keptHeaders(status) };
}

export function keptHeaders(status: string): Readonly<Record<string, string>> {
  return { "Cache-Status": `query-gateway; ${status}` };
}

/** `If-None-Match` of RFC 9110: a list, or `*`; compared weakly. */
export function isKnown(header: string | null, etag: string): boolean {
  if (header === null) return false;
  return header.split(",").some((each) => {
    const tag = each.trim();
    return tag === "*" || tag === etag || tag === `W/${etag}`;
  });
}
