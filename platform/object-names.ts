/** The names of Durable Objects, shared by the Worker that calls them and the objects themselves. */

/** The name of a phone session's object, shared by the Worker that calls it and the objects themselves. */
/** Not part of any session id: request.ts refuses control characters. */
const NAME_SEPARATOR = "\u001F";

export interface SessionIdentity {
  /** The telecom gateway's id of the session. */
  readonly sessionId: string;
  /** The telecom gateway, if it has its own adapter. */
  readonly provider?: string;
}

/**
 * The name of a session's object, and its id in the index. Telecom gateways choose their session ids independently, so
 * two of them may use one id. The name of a session of the plain endpoint is its id.
 */
export function sessionName({ provider, sessionId }: SessionIdentity): string {
  return provider === undefined ? sessionId : `${provider}${NAME_SEPARATOR}${sessionId}`;
}

export function identityOf(name: string): SessionIdentity {
  const at = name.indexOf(NAME_SEPARATOR);
  return at < 0 ? { sessionId: name } : { provider: name.slice(0, at), sessionId: name.slice(at + 1) };
}

/** The outbox of SMS. */
export const SMS_OUTBOX = "sms";

/** All runs of the oracle. */
export const BUDGET_OF_ALL = "budget:all";

/** The runs from one address, or from one network of IPv6 (`clientNetwork`). */
export function budgetOfAddress(address: string): string {
  return `budget:address:${address}`;
}

/** The store of plugins' oracle-wide data; not a DID, so no user owns it. */
export const ORACLE_STORE = "oracle:plugins";

/** Whether a user vault holds data of a user or of plugins; the others contain only the operator's budgets. */
export function isUserStore(name: string): boolean {
  return name.startsWith("did:") || name === ORACLE_STORE;
}
