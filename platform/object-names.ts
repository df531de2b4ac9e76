/** How Durable Objects are named, where the Worker that calls them and the objects themselves must agree. */

/** How the object of a phone session is named, by the Worker that calls it and by the objects themselves. */
/** No session id contains it: request.ts refuses control characters. */
const NAME_SEPARATOR = "\u001F";

export interface SessionIdentity {
  /** As the telecom gateway names the session. */
  readonly sessionId: string;
  /** The telecom gateway, if it has its own adapter. */
  readonly provider?: string;
}

/**
 * The name of a session's object, also its id in the index. Telecom gateways choose their session ids without knowing of
 * each other, so two of them may use the same one. A session of the plain endpoint is named by its id alone.
 */
export function sessionName({ provider, sessionId }: SessionIdentity): string {
  return provider === undefined ? sessionId : `${provider}${NAME_SEPARATOR}${sessionId}`;
}

export function identityOf(name: string): SessionIdentity {
  const at = name.indexOf(NAME_SEPARATOR);
  return at < 0 ? { sessionId: name } : { provider: name.slice(0, at), sessionId: name.slice(at + 1) };
}

/** All runs of the oracle. */
export const BUDGET_OF_ALL = "budget:all";

/** The runs from one address, or from one network of IPv6: what `clientNetwork` says. */
export function budgetOfAddress(address: string): string {
  return `budget:address:${address}`;
}

/** The store of what plugins keep for the oracle as a whole; not a DID, so no user owns it. */
export const ORACLE_STORE = "oracle:plugins";
