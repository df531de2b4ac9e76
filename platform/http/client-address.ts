/**
 * The address that a limit counts. Without a trusted proxy it is the address that the edge sees; with `hops` trusted
 * proxies it is that many entries from the right of X-Forwarded-For. No other header is trusted. A chain shorter than
 * configured, or an invalid entry, falls back to the address that the edge sees, so that a forged header cannot look
 * like a new caller each time.
 */
import * as z from "zod";
import { flagVariable, integerVariable, oncePerIsolate, parseConfig } from "../config.ts";

export interface ProxyTrust {
  readonly enabled: boolean;
  /** The number of trusted proxies before the Worker. */
  readonly hops: number;
}

/** The variables of every part whose surface counts by address. */
export const proxyVariables = {
  TRUST_PROXY_ENABLED: flagVariable(false),
  TRUST_PROXY_HOPS: integerVariable(1, 1),
};

/** The trusted proxies in the environment; none while that is wrong, and `/health` names the variable. */
export const readProxyTrust: (env: object) => ProxyTrust = oncePerIsolate((env: object) => {
  const parsed = parseConfig(z.object(proxyVariables), env);
  if (!parsed.ok) return { enabled: false, hops: 1 };
  return { enabled: parsed.value.TRUST_PROXY_ENABLED, hops: parsed.value.TRUST_PROXY_HOPS };
});

const UNKNOWN_ADDRESS = "unknown";

const ipAddress = z.union([z.ipv4(), z.ipv6()]);

export function clientAddress(request: Request, trust: ProxyTrust): string {
  const seenByEdge = request.headers.get("CF-Connecting-IP") ?? UNKNOWN_ADDRESS;
  if (!trust.enabled) return seenByEdge;
  const chain = (request.headers.get("X-Forwarded-For") ?? "").split(",").map((entry) => entry.trim());
  const address = chain.at(-trust.hops) ?? "";
  return ipAddress.safeParse(address).success ? address : seenByEdge;
}

/**
 * The unit that a limit counts as one caller: an IPv4 address, or the /64 network of an IPv6 address. One subscriber
 * usually has a whole /64, so counting full addresses would give each 2^64 times the limit.
 */
export function clientNetwork(request: Request, trust: ProxyTrust): string {
  return networkOf(clientAddress(request, trust), SUBSCRIBER_GROUPS);
}

/** One name of a caller, and how many times a caller's limit it may use by that name. */
export interface Counted {
  readonly name: string;
  readonly share: number;
}

/**
 * The networks that a limit counts for one caller: its own, and for an IPv6 address also the /48 around it, which sites
 * and servers get for free. A /48 may contain many subscribers, so it has the limit of sixteen.
 */
export function clientNetworks(request: Request, trust: ProxyTrust): readonly [own: Counted, site?: Counted] {
  const address = clientAddress(request, trust);
  const [own, site] = [networkOf(address, SUBSCRIBER_GROUPS), networkOf(address, SITE_GROUPS)];
  const counted = { name: own, share: 1 };
  return site === own ? [counted] : [counted, { name: site, share: SITE_SHARE }];
}

/** Groups of 16 bits: /64 and /48. */
const SUBSCRIBER_GROUPS = 4;
const SITE_GROUPS = 3;
const SITE_SHARE = 16;

/** The network of an address: as in `clientNetwork`, or with this many groups. */
export function networkOf(address: string, groupCount = SUBSCRIBER_GROUPS): string {
  const url = address.includes(":") ? URL.parse(`http://[${address}]/`) : null;
  if (url === null) return address;
  const groups = groupsOf(url.hostname.slice(1, -1));
  const [, , , , , marker, high = 0, low = 0] = groups;
  const isMapped = marker === 0xff_ff && groups.slice(0, 5).every((group) => group === 0);
  // An IPv4-mapped IPv6 address, as dual-stack sockets show it.
  if (isMapped) return [high >> 8, high & 0xff, low >> 8, low & 0xff].join(".");
  return `${groups
    .slice(0, groupCount)
    .map((group) => group.toString(16))
    .join(":")}::/${groupCount * 16}`;
}

const GROUPS = 8;

/** The groups of an address in the form of the URL standard: hexadecimal groups, the longest run of zeros as `::`. */
function groupsOf(hostname: string): readonly number[] {
  const [start = "", end] = hostname.split("::");
  const groups = (text: string) => (text === "" ? [] : text.split(":").map((group) => Number.parseInt(group, 16)));
  const [before, after] = [groups(start), groups(end ?? "")];
  const zeros = end === undefined ? 0 : GROUPS - before.length - after.length;
  return [...before, ...Array.from({ length: zeros }, () => 0), ...after];
}
