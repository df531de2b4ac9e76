/**
 * Statuses with which a gateway in front of a service reports that it got no valid response: the service may have done
 * its work. 520 and 524 are Cloudflare's.
 */
export const GATEWAY_STATUSES: ReadonlySet<number> = new Set([502, 504, 520, 524]);
