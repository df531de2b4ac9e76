/**
 * A user of pages under test: a key, a count of the tokens that their page requests, and requests in their name from outside the
 * page.
 */
import { generate } from "@ucanto/principal/ed25519";
import { mintDelegation, mintInvocation, type Signer } from "../auth/ucan.ts";

/** Lifetime of a token, milliseconds; an oracle accepts at most a day. */
const TOKEN_LIFETIME_MS = 600_000;

export type TokenKind = "delegation" | "invocation";

export interface MintedToken {
  readonly serialized: string;
  /** Milliseconds since 1970, as the page reads it. */
  readonly expiresAt: number;
}

export interface PageUser {
  readonly did: string;
  /** How many tokens the page has requested. */
  readonly mints: Record<TokenKind, number>;
  /** This many of the next invocations have already expired, though the page reads another time: the oracle refuses them. */
  expiredInvocations: number;
  mint(kind: TokenKind, oracleDid: string): Promise<MintedToken>;
  /** An authenticated request to the oracle; its tokens are not counted. */
  call(method: string, path: string, body?: unknown): Promise<Response>;
  newSession(): Promise<string>;
  /** The stored messages of a session, oldest first. */
  transcript(sessionId: string): Promise<readonly StoredMessage[]>;
}

export interface StoredMessage {
  readonly id: string;
  readonly type: "ai" | "human";
  readonly content: string;
}

export async function createPageUser(oracle: { readonly url: string; readonly did: string }): Promise<PageUser> {
  const key: Signer = await generate();
  let own: { readonly token: string; readonly until: number } | undefined;
  const invocation = (audience: string, lifetimeMs: number): Promise<string> =>
    mintInvocation(key, audience, Math.floor((Date.now() + lifetimeMs) / 1000));

  const user: PageUser = {
    did: key.did(),
    mints: { delegation: 0, invocation: 0 },
    expiredInvocations: 0,
    async mint(kind, oracleDid) {
      user.mints[kind] += 1;
      const expiresAt = Date.now() + TOKEN_LIFETIME_MS;
      if (kind === "delegation") {
        return { serialized: await mintDelegation(key, oracleDid, Math.floor(expiresAt / 1000)), expiresAt };
      }
      const isExpired = user.expiredInvocations > 0;
      if (isExpired) user.expiredInvocations -= 1;
      return {
        serialized: await invocation(oracleDid, isExpired ? -TOKEN_LIFETIME_MS : TOKEN_LIFETIME_MS),
        expiresAt,
      };
    },
    async call(method, path, body) {
      if (own === undefined || own.until < Date.now()) {
        own = { token: await invocation(oracle.did, TOKEN_LIFETIME_MS), until: Date.now() + TOKEN_LIFETIME_MS / 2 };
      }
      const headers = { Authorization: `Bearer ${own.token}`, "X-Auth-Type": "ucan" };
      if (body === undefined) return await fetch(`${oracle.url}${path}`, { method, headers });
      const json = { ...headers, "Content-Type": "application/json" };
      return await fetch(`${oracle.url}${path}`, { method, headers: json, body: JSON.stringify(body) });
    },
    async newSession() {
      const response = await user.call("POST", "/sessions");
      const { sessionId } = await response.json<{ sessionId: string }>();
      return sessionId;
    },
    async transcript(sessionId) {
      const response = await user.call("GET", `/messages/${sessionId}`);
      return (await response.json<{ messages: StoredMessage[] }>()).messages;
    },
  };
  return user;
}
