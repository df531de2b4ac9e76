/** Headers of a finished answer: its height, how long it holds, and whether the caller has it already (contract D, sections 5 and 12). */
import type { DeploymentSettings } from "./settings.ts";

const HEIGHT_HEADERS = ["Grpc-Metadata-X-Cosmos-Block-Height", "X-Cosmos-Block-Height"];

/** Both spellings: clients of older nodes read the first one. */
export function addHeight(headers: Headers, height: string | undefined): void {
  if (height === undefined) return;
  for (const name of HEIGHT_HEADERS) headers.set(name, height);
}

export interface Freshness {
  readonly cacheControl: string;
  /** How long we keep it ourselves, 0 for not at all. */
  readonly seconds: number;
}

/** `asked`: the height of the request, absent for the latest; `best`: the newest that any node has told of. */
export function freshnessOf(
  { cache, gate }: Pick<DeploymentSettings, "cache" | "gate">,
  asked: bigint | undefined,
  best: bigint | undefined,
): Freshness {
  const audience = gate.mode === "none" ? "public, " : "private, ";
  const { latestSeconds, immutableDepth, immutableSeconds } = cache;
  if (asked === undefined) {
    const cacheControl = latestSeconds === 0 ? "no-cache" : `max-age=${latestSeconds}`;
    return { cacheControl: gate.mode === "none" ? cacheControl : audience + cacheControl, seconds: latestSeconds };
  }
  const isSettled = best !== undefined && asked <= best - BigInt(immutableDepth);
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
