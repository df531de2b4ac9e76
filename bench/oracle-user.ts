/** Users of the oracle under load: identities, invocations and open sessions, as in the terminal client. */
import { randomBytes } from "node:crypto";
import { mintInvocation } from "../scripts/chat/tokens.ts";
import { seedIssuer } from "../sdk/src/core/key-issuer.ts";
import { fetchText, type RequestSpec } from "./load.ts";

export interface OracleUser {
  /** Headers whose token the oracle has cached after the first request. */
  readonly headers: Readonly<Record<string, string>>;
  readonly sessionId: string;
  /** The token in the headers. */
  readonly token: string;
  /** Returns a new token. */
  readonly freshToken: () => Promise<string>;
}

/** Seconds: longer than any run of the benchmark. */
const TOKEN_LIFETIME = 3_600;

export async function signUp(base: string): Promise<OracleUser> {
  const identity = await seedIssuer(new Uint8Array(randomBytes(32)));
  const { id } = JSON.parse(await fetchText(base, { path: "/.well-known/did.json" })) as { id: string };
  const now = Math.floor(Date.now() / 1000);
  let lifetime = TOKEN_LIFETIME;
  const freshToken = async (): Promise<string> => {
    // A new expiry makes a new token: signatures are deterministic.
    lifetime += 1;
    return await mintInvocation(identity, id, now, lifetime);
  };
  const token = await freshToken();
  const headers = signedHeaders(token);
  const session = JSON.parse(await fetchText(base, { path: "/sessions", method: "POST", headers })) as {
    sessionId: string;
  };
  return { headers, sessionId: session.sessionId, token, freshToken };
}

export function signUpMany(base: string, count: number): Promise<readonly OracleUser[]> {
  return Promise.all(Array.from({ length: count }, () => signUp(base)));
}

export function signedHeaders(token: string): Readonly<Record<string, string>> {
  return { Authorization: `Bearer ${token}`, "X-Auth-Type": "ucan" };
}

/** A message to the user's session, which the built-in model answers. */
export function message({ headers, sessionId }: OracleUser, text: string, stream: boolean): RequestSpec {
  return {
    path: `/messages/${sessionId}`,
    method: "POST",
    headers: { ...headers, "Content-Type": "application/json" },
    body: JSON.stringify({ message: text, stream }),
  };
}
