/**
 * The address that a limit counts (decisions 1.8). Without a trusted proxy it is the one that the edge itself
 * saw; with `hops` trusted proxies it is that many entries from the right of X-Forwarded-For. No other header is
 * believed, and a chain shorter than the configuration promises falls back to the edge's own view.
 */
import * as z from "zod";
import { flagVariable, integerVariable, oncePerIsolate, parseConfig } from "../config.ts";

export interface ProxyTrust {
  readonly enabled: boolean;
  /** How many proxies of ours stand before the Worker. */
  readonly hops: number;
}

/** The variables of every slice whose surface counts by address. */
export const proxyVariables = {
  TRUST_PROXY_ENABLED: flagVariable(false),
  TRUST_PROXY_HOPS: integerVariable(1, 1),
};

/** What the environment says of proxies; nothing is trusted while that is wrong, and `/health` names the variable. */
export const readProxyTrust: (env: object) => ProxyTrust = oncePerIsolate((env: object) => {
  const parsed = parseConfig(z.object(proxyVariables), env);
  if (!parsed.ok) return { enabled: false, hops: 1 };
  return { enabled: parsed.value.TRUST_PROXY_ENABLED, hops: parsed.value.TRUST_PROXY_HOPS };
});

const UNKNOWN_ADDRESS = "unknown";

export function clientAddress(request: Request, trust: ProxyTrust): string {
  const seenByEdge = request.headers.get("CF-Connecting-IP") ?? UNKNOWN_ADDRESS;
  if (!trust.enabled) return seenByEdge;
  const chain = (request.headers.get("X-Forwarded-For") ?? "").split(",").map((entry) => entry.trim());
  const address = chain.at(-trust.hops) ?? "";
  return address === "" ? seenByEdge : address;
}
