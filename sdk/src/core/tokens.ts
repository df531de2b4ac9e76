/**
 * The tokens that sign a user in: stored per user and oracle, renewed before they expire, and replaced if the oracle
 * refuses them. Concurrent requests and sockets share one signature.
 */
import { OfflineError } from "./errors.ts";
import type { TokenStore } from "./client-settings.ts";
import { pageStore } from "./environment.ts";

/** A token that the application has signed: a UCAN in a CAR, as base64. */
export interface SignedToken {
  readonly serialized: string;
  /** Milliseconds since 1970. Seconds are also accepted. */
  readonly expiresAt: number;
}

/** Signs a token for the audience `oracleDid`. */
export type CreateToken = (oracleDid: string) => Promise<SignedToken>;

/** The application's functions that sign. Without `createInvocation`, the delegation alone signs the user in. */
export interface TokenCreators {
  readonly createDelegation?: CreateToken | undefined;
  readonly createInvocation?: CreateToken | undefined;
}

/** The tokens of a request or a connection, under the names of the socket's handshake. */
export interface SentTokens {
  readonly invocation?: string;
  readonly ucanDelegation?: string;
}

/** A token could not be signed. `cause` is the error of the application's function. */
export class SigningError extends Error {
  override readonly name = "SigningError";
}

/** The tokens of one user for one oracle. */
export interface Tokens {
  getDelegation(): Promise<string | null>;
  getInvocation(): Promise<string | null>;
  /** The headers `x-ucan-delegation`, `Authorization` and `X-Auth-Type` for the available tokens. */
  headers(): Promise<Record<string, string>>;
  /** The tokens that Socket.IO sends in CONNECT. */
  handshake(): Promise<SentTokens>;
  /**
   * Renews tokens after a 401 or 403. Stage 1 signs a new invocation, stage 2 a new delegation and invocation.
   * Concurrent callers share one renewal, and a caller that passes the `refused` tokens gets tokens that others have
   * renewed since. Without an invocation, stage 1 renews the delegation. Returns `false` if there is no token to renew.
   * Rejects with `SigningError`.
   */
  renew(stage: 1 | 2, refused?: SentTokens): Promise<boolean>;
  /**
   * Reports a user action: if the user declined a signature before, they are asked again. Otherwise a page would ask
   * them each time it becomes active, because all its reads are signed.
   */
  askAgain(): void;
  /** Deletes the stored tokens of this user and oracle. */
  clear(): void;
}

export interface TokensOptions {
  readonly userDid: string;
  readonly oracleDid: string;
  /** Read before each signature. */
  readonly creators: () => TokenCreators;
  /** Undefined: `localStorage`. Null, or without `localStorage`: memory only. */
  readonly store?: TokenStore | null | undefined;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
  /** Called after each signature, without the token. */
  readonly onSigned?: (kind: TokenKind) => void;
}

export type TokenKind = "delegation" | "invocation";

/**
 * Milliseconds before its expiry at which a token is replaced, so that it does not expire in transit or during a run.
 */
export const TOKEN_MARGINS: Readonly<Record<TokenKind, number>> = { delegation: 5 * 60_000, invocation: 30_000 };
/** Milliseconds that a user has to sign: time to find their wallet, unlock it and read. */
export const SIGNING_LIMIT = 120_000;
/**
 * Every time since 1973 in milliseconds is above this number, and every time before the year 5138 in seconds is below.
 */
const LEAST_MILLISECONDS = 1e11;

export function createTokens(options: TokensOptions): Tokens {
  const delegation = createSlot("delegation", options);
  const invocation = createSlot("invocation", options);

  const handshake = async (): Promise<SentTokens> => {
    const [invoked, delegated] = await Promise.all([invocation.get(), delegation.get()]);
    return {
      ...(invoked !== null && { invocation: invoked }),
      ...(delegated !== null && { ucanDelegation: delegated }),
    };
  };
  return {
    getDelegation: delegation.get,
    getInvocation: invocation.get,
    handshake,
    async headers() {
      return authHeaders(await handshake());
    },
    async renew(stage, refused) {
      const signs = [invocation.signs(), delegation.signs()];
      if (stage === 1) {
        if (signs[0]) return await invocation.replace(refused?.invocation);
        return signs[1] === true && (await delegation.replace(refused?.ucanDelegation));
      }
      // If there is only one kind of token, stage 1 has already renewed it.
      if (signs.includes(false)) return false;
      const replaced = [invocation.replace(refused?.invocation), delegation.replace(refused?.ucanDelegation)];
      await Promise.all(replaced);
      return true;
    },
    askAgain() {
      delegation.askAgain();
      invocation.askAgain();
    },
    clear() {
      delegation.clear();
      invocation.clear();
    },
  };
}

/** The tokens as request headers. */
export function authHeaders({ invocation, ucanDelegation }: SentTokens): Record<string, string> {
  return {
    ...(invocation !== undefined && { Authorization: `Bearer ${invocation}`, "X-Auth-Type": "ucan" }),
    ...(ucanDelegation !== undefined && { "x-ucan-delegation": ucanDelegation }),
  };
}

interface HeldToken {
  readonly serialized: string;
  /** Milliseconds since 1970. */
  readonly renewAt: number;
}

/** One kind of token: the current token, its storage, and the single signature that all callers wait for. */
function createSlot(kind: TokenKind, { userDid, oracleDid, creators, now = Date.now, ...options }: TokensOptions) {
  const store = options.store === undefined ? pageStore() : options.store;
  // DIDs contain no blanks.
  const key = `twinedge ${kind} ${userDid} ${oracleDid}`;
  let held: HeldToken | undefined;
  let signing: Promise<string> | undefined;
  let refusedToken: string | undefined;
  /** The last signature failed: it is not requested again before the user acts. */
  let declined: SigningError | undefined;

  const create = () => (kind === "delegation" ? creators().createDelegation : creators().createInvocation);
  const usable = (token: HeldToken | undefined): token is HeldToken =>
    token !== undefined && token.serialized !== refusedToken && token.renewAt > now();

  /** The token in use, or the one that another tab has signed. */
  function current(): HeldToken | undefined {
    if (!usable(held)) held = readToken(store, key);
    return usable(held) ? held : undefined;
  }

  /** A late token is kept: the user has signed it, and should not have to sign again. */
  async function signed(createToken: CreateToken): Promise<string> {
    const { serialized, expiresAt } = await createToken(oracleDid);
    if (typeof serialized !== "string" || serialized === "") throw new Error("it returned no token");
    const end = expiresAt < LEAST_MILLISECONDS ? expiresAt * 1000 : expiresAt;
    // A token whose lifetime is shorter than its margin is used for half of it.
    held = { serialized, renewAt: Math.max(end - TOKEN_MARGINS[kind], (end + now()) / 2) };
    options.onSigned?.(kind);
    writeToken(store, key, held);
    return serialized;
  }

  async function sign(createToken: CreateToken): Promise<string> {
    try {
      return await inTime(signed(createToken));
    } catch (cause) {
      const failure = new SigningError(`The ${kind} for the oracle could not be signed.`, { cause });
      // Without a network, the user was not asked.
      if (!(cause instanceof OfflineError)) declined = failure;
      throw failure;
    }
  }

  async function get(): Promise<string | null> {
    const createToken = create();
    if (createToken === undefined) return null;
    if (signing === undefined) {
      const token = current();
      if (token === undefined && declined !== undefined) throw declined;
      declined = undefined;
      if (token !== undefined) return token.serialized;
      signing = sign(createToken).finally(() => {
        signing = undefined;
      });
    }
    return await signing;
  }

  return {
    get,
    signs: () => create() !== undefined,
    /** Without the refused token, the current token counts as refused, except one that is being signed. */
    async replace(refused: string | undefined): Promise<true> {
      if (signing === undefined) refusedToken = refused ?? held?.serialized;
      await get();
      return true;
    },
    askAgain() {
      declined = undefined;
    },
    clear() {
      held = undefined;
      writeToken(store, key, undefined);
    },
  };
}

/**
 * Rejects when a wallet leaves the request open, for example after its window was closed; otherwise everything would wait for it.
 */
async function inTime(signing: Promise<string>): Promise<string> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error("it was not signed within two minutes")), SIGNING_LIMIT);
  });
  try {
    return await Promise.race([signing, late]);
  } finally {
    clearTimeout(timer);
  }
}

function readToken(store: TokenStore | null, key: string): HeldToken | undefined {
  try {
    const { serialized, renewAt } = JSON.parse(store?.getItem(key) ?? "") as HeldToken;
    return typeof serialized === "string" && typeof renewAt === "number" ? { serialized, renewAt } : undefined;
  } catch {
    return undefined;
  }
}

/** A full or forbidden store costs only a signature at the next visit. */
function writeToken(store: TokenStore | null, key: string, token: HeldToken | undefined): void {
  try {
    if (token === undefined) store?.removeItem(key);
    else store?.setItem(key, JSON.stringify(token));
  } catch {
    // Without the store, the next page load asks for a signature.
  }
}
