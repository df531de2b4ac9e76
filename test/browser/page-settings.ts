/** What a test gives to its page, and the signatures of its user, which are made outside of the browser and counted there. */

export interface PageSettings {
  readonly oracleUrl: string;
  readonly oracleDid: string;
  readonly userDid: string;
  /** Empty when the test gave none. */
  readonly sessionId: string;
  /** Whatever else the test gave. */
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

async function mint(kind: "delegation" | "invocation", oracleDid: string): Promise<SignedToken> {
  const { userDid } = pageSettings();
  const response = await fetch("/mint", { method: "POST", body: JSON.stringify({ userDid, kind, oracleDid }) });
  if (!response.ok) throw new Error(`no token for ${userDid}`);
  return (await response.json()) as SignedToken;
}

export const createDelegation = (oracleDid: string): Promise<SignedToken> => mint("delegation", oracleDid);
export const createInvocation = (oracleDid: string): Promise<SignedToken> => mint("invocation", oracleDid);
