/** A test's settings for its page, and the signatures of its user, which are made and counted outside the browser. */

export interface PageSettings {
  readonly oracleUrl: string;
  readonly oracleDid: string;
  readonly userDid: string;
  /** Empty when the test gave none. */
  readonly sessionId: string;
  /** The test's other settings. */
  readonly [name: string]: string | undefined;
}

/** The settings of `open(name, user, { settings })`. */
export function pageSettings(): PageSettings {
  return { sessionId: "", ...Object.fromEntries(new URLSearchParams(window.location.search)) } as PageSettings;
}

interface SignedToken {
  serialized: string;
  expiresAt: number;
}

async function mint(kind: "delegation" | "invocation", oracleDid: string, userDid: string): Promise<SignedToken> {
  const response = await fetch("/mint", { method: "POST", body: JSON.stringify({ userDid, kind, oracleDid }) });
  if (!response.ok) throw new Error(`no token for ${userDid}`);
  return (await response.json()) as SignedToken;
}

/** For the page's user, or another user who signed up. */
export const createDelegation = (oracleDid: string, userDid = pageSettings().userDid): Promise<SignedToken> =>
  mint("delegation", oracleDid, userDid);
export const createInvocation = (oracleDid: string, userDid = pageSettings().userDid): Promise<SignedToken> =>
  mint("invocation", oracleDid, userDid);
