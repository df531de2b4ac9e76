/**
 * A user with a key in the page: a `did:key` that signs for itself. It is for development and for applications that
 * store their users' keys. The libraries load with the first signer.
 */
import type { TokenStore } from "./client-settings.ts";
import { pageStore } from "./environment.ts";
import type { CreateToken } from "./tokens.ts";
import type { TokenIssuer } from "./ucan-token.ts";

/** The source of the key. */
export interface SignerOptions {
  /**
   * A WebCrypto key pair (Ed25519). Its private key can be non-extractable and stored in IndexedDB, where no script can
   * read it.
   */
  readonly key?: CryptoKeyPair;
  /** The key as a seed: 32 secret bytes. */
  readonly seed?: Uint8Array;
  /**
   * The store of a random seed, if you pass no key and no seed. Null creates a new user each time. By default, a
   * non-extractable key pair is stored in IndexedDB. If `localStorage` contains a seed from an earlier version, that
   * seed stays in use. If the browser has neither Ed25519 nor IndexedDB, a new seed is stored in `localStorage`.
   */
  readonly store?: TokenStore | null;
}

/** A user who signs with their own key. */
export interface OracleSigner {
  /** The user: `did:key:z6Mk...`. */
  readonly did: string;
  /** Lets the oracle use the user's memory, sandbox, skills and subscriptions for a day. */
  readonly createDelegation: CreateToken;
  /** Proves who is calling, for 10 minutes. */
  readonly createInvocation: CreateToken;
  /** The user in the form that `OraclesProvider` expects, without accounts at other services. */
  readonly initialWallet: {
    readonly address: string;
    readonly did: string;
    readonly matrix: { readonly accessToken: string; readonly homeServer: string };
  };
  /** Always rejects, because the key has no account on a chain. */
  readonly transactSignX: () => Promise<never>;
}

/** Seconds. Many oracles refuse an invocation of more than 900 seconds; a lower value allows for clock differences. */
export const INVOCATION_LIFETIME = 600;
/** Seconds: long enough for any run, and short enough to limit the damage of a leak. */
export const DELEGATION_LIFETIME = 24 * 60 * 60;

const STORE_KEY = "twinedge signer";
const SEED_BYTES = 32;

type Capability = { readonly can: `${string}/*` | `${string}/read` | "*"; readonly with: `ixo:${string}` };

/** The capability that proves who is calling. */
export const INVOKED: readonly Capability[] = [{ can: "*", with: "ixo:oracle" }];
/** The capabilities that a user usually delegates to an oracle. */
export const DELEGATED: readonly Capability[] = [
  { can: "memory/*", with: "ixo:memory" },
  { can: "sandbox/*", with: "ixo:sandbox" },
  { can: "skills/*", with: "ixo:skills" },
  { can: "subscriptions/read", with: "ixo:subscriptions" },
];

/**
 * Creates a user who signs with their own key: everything that `OraclesProvider` and `createOracleClient` need. If the
 * key is lost, the user's sessions are lost.
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
      Promise.reject(new Error("This user has no account on a chain: createSigner() creates only a key.")),
  };
}

async function issuerFor(
  key: CryptoKeyPair | undefined,
  seed: Uint8Array | undefined,
  store: TokenStore | null | undefined,
): Promise<TokenIssuer> {
  const { storedKey, keyIssuer, seedIssuer } = await import("./key-issuer.ts");
  if (key !== undefined) return await keyIssuer(key);
  if (seed !== undefined) return await seedIssuer(seed);
  if (store !== undefined) return await seedIssuer(storedSeed(store));
  const page = pageStore();
  const kept = await storedKey(() => (page?.getItem(STORE_KEY) ?? null) === null);
  return await (kept === undefined ? seedIssuer(storedSeed(page)) : keyIssuer(kept));
}

/** The seed of earlier visits, or a new one that is stored for the next visit. */
function storedSeed(store: TokenStore | null): Uint8Array {
  const kept = store?.getItem(STORE_KEY) ?? "";
  if (/^[0-9a-f]{64}$/.test(kept)) return Uint8Array.from(kept.match(/../g) ?? [], (pair) => parseInt(pair, 16));
  const seed = crypto.getRandomValues(new Uint8Array(SEED_BYTES));
  store?.setItem(STORE_KEY, Array.from(seed, (byte) => byte.toString(16).padStart(2, "0")).join(""));
  return seed;
}

function base64(bytes: Uint8Array): string {
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
}
