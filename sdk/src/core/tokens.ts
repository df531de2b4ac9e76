/**
 * The tokens that sign a user in: kept per user and oracle, renewed before they expire, replaced once when the oracle refuses
 * them. Requests and sockets that need one at the same time share one signature.
 */

/** What the application signs: a UCAN in a CAR, base64. */
export interface SignedToken {
  readonly serialized: string;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

/** Signs for the audience `oracleDid`. */
export type CreateToken = (oracleDid: string) => Promise<SignedToken>;

export interface Tokens {
  getDelegation(): Promise<string | null>;
  getInvocation(): Promise<string | null>;
  /** `x-ucan-delegation`, `Authorization` and `X-Auth-Type`, as far as there are tokens. */
  headers(): Promise<Record<string, string>>;
  /** What Socket.IO sends in CONNECT. */
  handshake(): Promise<{ invocation?: string; ucanDelegation?: string }>;
  /**
   * After a 401 or 403: stage 1 a new invocation, stage 2 a new delegation and invocation. Callers that were refused with the
   * same tokens share one renewal. `false`: nothing new could be signed.
   */
  renew(stage: 1 | 2): Promise<boolean>;
  /** Forgets what is kept for this user and oracle. */
  clear(): void;
}
