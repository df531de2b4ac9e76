/**
 * A user by a key of the page's own: a `did:key` that signs for itself, for development and for applications that keep their
 * users' keys. Its libraries are loaded with the first signer, not with the page.
 */
import type { TokenStore } from "./client-settings.ts";
import { pageStore } from "./environment.ts";
import type { CreateToken } from "./tokens.ts";
import type { TokenIssuer } from "./ucan-token.ts";

/** Where the key comes from. */
export interface SignerOptions {
  /**
   * A key pair of WebCrypto (Ed25519). Its private key need not be extractable, and can be kept in IndexedDB, where no script
   * reads it.
   */
  readonly key?: CryptoKeyPair;
  /** The key: 32 bytes that nobody else knows. */
  readonly seed?: Uint8Array;
  /**
   * Without a key and a seed: where a random seed is kept; null makes a new user each time. By default a key pair that nobody can
   * export is kept in IndexedDB. A seed that `localStorage` has from before stays in use, and where the browser has neither
   * Ed25519 nor IndexedDB a new one is kept there.
   */
  readonly store?: TokenStore | null;
}

/** A user who signs with a key of their own. */
export interface OracleSigner {
  /** The user: `did:key:z6Mk...`. */
  readonly did: string;
  /** Lets the oracle use the user's memory, sandbox, skills and subscriptions for a day. */
  readonly createDelegation: CreateToken;
  /** Says who is calling, for 10 minutes. */
  readonly createInvocation: CreateToken;
  /** The user as `OraclesProvider` takes them: signed in nowhere but at the oracle. */
  readonly initialWallet: {
    readonly address: string;
    readonly did: string;
    readonly matrix: { readonly accessToken: string; readonly homeServer: string };
  };
  /** Rejects: the key has no account on a chain. */
  readonly transactSignX: () => Promise<never>;
}

/** Seconds. Many oracles refuse an invocation of more than 900; less leaves room for clocks that differ. */
export const INVOCATION_LIFETIME = 600;
/** Seconds: long enough for any run, and soon worth nothing when it leaks. */
export const DELEGATION_LIFETIME = 24 * 60 * 60;

const STORE_KEY = "twinedge signer";
const SEED_BYTES = 32;

type Capability = { readonly can: `${string}/*` | `${string}/read` | "*"; readonly with: `ixo:${string}` };

/** Says who is calling. */
export const INVOKED: readonly Capability[] = [{ can: "*", with: "ixo:oracle" }];
/** What a user usually lets an oracle do for them. */
export const DELEGATED: readonly Capability[] = [
  { can: "memory/*", with: "ixo:memory" },
  { can: "sandbox/*", with: "ixo:sandbox" },
  { can: "skills/*", with: "ixo:skills" },
  { can: "subscriptions/read", with: "ixo:subscriptions" },
];

/**
 * A user who signs with a key of their own: all that `OraclesProvider` and `createOracleClient` need of them. Losing the key
 * means losing the sessions.
 *
 * @example
 * const signer = await createSigner();
 * const client = createOracleClient({ ...signer, userDid: signer.did, oracleDid, endpoints: { apiUrl } });
 *
 * @example
 * // A key that the application keeps itself.
 * const key = await crypto.subtle.generateKey("Ed25519", false, ["sign", "verify"]);
 * const signer = await createSigner({ key });
 */
export async function createSigner({ key, seed, store }: SignerOptions = {}): Promise<OracleSigner> {
  const [{ issueToken }, issuer] = await Promise.all([import("./ucan-token.ts"), issuerFor(key, seed, store)]);

  const creator =
    (capabilities: readonly Capability[], lifetime: number): CreateToken =>
    async (audience) => {
      const expiration = Math.floor(Date.now() / 1000) + lifetime;
      const token = await issueToken(issuer, { audience, capabilities, expiration });
      return { serialized: base64(token), expiresAt: expiration * 1000 };
    };
  const { did } = issuer;
  return {
    did,
    createDelegation: creator(DELEGATED, DELEGATION_LIFETIME),
    createInvocation: creator(INVOKED, INVOCATION_LIFETIME),
    initialWallet: { address: "", did, matrix: { accessToken: "", homeServer: "" } },
    transactSignX: () =>
      Promise.reject(new Error("This user has no account on a chain: createSigner() makes a key only.")),
  };
}

async function issuerFor(
  key: CryptoKeyPair | undefined,
  seed: Uint8Array | undefined,
  store: TokenStore | null | undefined,
): Promise<TokenIssuer> {
  const { keptKey, keyIssuer, seedIssuer } = await import("./key-issuer.ts");
  if (key !== undefined) return await keyIssuer(key);
  if (seed !== undefined) return await seedIssuer(seed);
  if (store !== undefined) return await seedIssuer(keptSeed(store));
  const page = pageStore();
  const kept = await keptKey(() => (page?.getItem(STORE_KEY) ?? null) === null);
  return await (kept === undefined ? seedIssuer(keptSeed(page)) : keyIssuer(kept));
}

/** The seed of earlier visits, or a new one that is kept for the next. */
function keptSeed(store: TokenStore | null): Uint8Array {
  const kept = store?.getItem(STORE_KEY) ?? "";
  if (/^[0-9a-f]{64}$/.test(kept)) return Uint8Array.from(kept.match(/../g) ?? [], (pair) => parseInt(pair, 16));
  const seed = crypto.getRandomValues(new Uint8Array(SEED_BYTES));
  store?.setItem(STORE_KEY, Array.from(seed, (byte) => byte.toString(16).padStart(2, "0")).join(""));
  return seed;
}

function base64(bytes: Uint8Array): string {
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
}
