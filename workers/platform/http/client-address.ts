/**
 * The address that a limit counts (decisions 1.8). Without a trusted proxy it is the one that the edge itself
 * saw; with `hops` trusted proxies it is that many entries from the right of X-Forwarded-For. No other header is
 * believed, and a chain shorter than the configuration promises falls back to the edge's own view.
 */
export interface ProxyTrust {
  readonly enabled: boolean;
  /** How many proxies of ours stand before the Worker. */
  readonly hops: number;
}

const UNKNOWN_ADDRESS = "unknown";

export function clientAddress(request: Request, trust: ProxyTrust): string {
  const seenByEdge = request.headers.get("CF-Connecting-IP") ?? UNKNOWN_ADDRESS;
  if (!trust.enabled) return seenByEdge;
  const chain = (request.headers.get("X-Forwarded-For") ?? "").split(",").map((entry) => entry.trim());
  const address = chain.at(-trust.hops) ?? "";
  return address === "" ? seenByEdge : address;
}
