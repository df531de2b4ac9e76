/** Headers of a finished answer: its height, how long it holds, and whether the caller has it already (contract D, sections 5 and 12). */
import type { DeploymentSettings } from "../deployments/settings.ts";

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
  /** How long we keep it ourselves, 0 for not at all. */
  readonly seconds: number;
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
  const { latestSeconds, immutableDepth, immutableSeconds } = cache;
  if (asked === undefined) {
    const cacheControl = latestSeconds === 0 ? "no-cache" : `max-age=${latestSeconds}`;
    return { cacheControl: gate.mode === "none" ? cacheControl : audience + cacheControl, seconds: latestSeconds };
  }
  const isSettled = isComplete && told === asked && best !== undefined && asked <= best - BigInt(immutableDepth);
  if (!isSettled) return { cacheControl: gate.mode === "none" ? "no-cache" : "private, no-cache", seconds: 0 };
  return { cacheControl: `${audience}max-age=${immutableSeconds}, immutable`, seconds: immutableSeconds };
}

/** `If-None-Match` of RFC 9110: a list, or `*`; compared weakly. */
export function isKnown(header: string | null, etag: string): boolean {
  if (header === null) return false;
  return header.split(",").some((each) => {
    const tag = each.trim();
    return tag === "*" || tag === etag || tag === `W/${etag}`;
  });
}
