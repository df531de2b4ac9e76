/**
 * The parts of an oracle that are built once per isolate from its configuration: its identity and its authentication.
 */
import { createAuthenticator, type Authenticator } from "../../platform/auth/authenticator.ts";
import { createDidResolver } from "../../platform/auth/did-resolver.ts";
import type { Fetch } from "../../platform/auth/shared-lookups.ts";
import { createOracleSigner, oracleSeed, type OracleSigner } from "../../platform/auth/oracle-signer.ts";
import { fail } from "../../platform/failure.ts";
import { createAttemptLimit, type AttemptLimit } from "../../platform/http/attempt-limit.ts";
import type { JsonObject } from "../../platform/json.ts";
import { success, type Result } from "../../platform/result.ts";
import { readOracleConfig, type OracleConfig } from "./config.ts";

export interface OracleRuntime {
  readonly name: string;
  readonly config: OracleConfig;
  readonly identity: OracleIdentity;
  readonly authenticator: Authenticator;
  /** Limits failed authentications per address; undefined in development. */
  readonly failedAuthentications: AttemptLimit | undefined;
}

export interface OracleIdentity {
  /** ORACLE_DID, or the did:key of the signing key. */
  readonly did: string;
  /** ORACLE_ENTITY_DID, or `did`. */
  readonly entityDid: string;
  /** Undefined if the oracle has no key: it then verifies tokens, but mints none and publishes no DID document. */
  readonly signer: OracleSigner | undefined;
}

/** The app's dependencies on its platform. */
export interface OraclePlatform {
  readonly fetch: Fetch;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
}

export interface RuntimeOptions extends OraclePlatform {
  readonly env: Env;
  /** Used unless `ORACLE_NAME` is set. */
  readonly name: string;
  /** DID documents of the domain registry, which is asked for keys before any external service. */
  readonly document?: ((env: Env, did: string) => Promise<Result<JsonObject>>) | undefined;
  /** Whether the user has revoked the delegation with that CID. */
  readonly isRevoked?: (did: string, cid: string) => Promise<boolean>;
}

/** Fails while the configuration is invalid. */
export async function createRuntime({
  env,
  name,
  document,
  isRevoked,
  fetch,
  clock,
}: RuntimeOptions): Promise<Result<OracleRuntime>> {
  const read = readOracleConfig(env);
  if (!read.ok) {
    return fail(
      "internal",
      "The oracle is not configured correctly; GET /health lists the variables, and the log explains each error",
      { reason: "misconfigured" },
    );
  }
  const config = read.value;
  const identity = await identityOf(config);
  const resolver = createDidResolver({
    staticKeys: config.STATIC_DID_KEYS,
    ...(document === undefined ? {} : { document: (did: string) => document(env, did) }),
    ...(config.BLOCKSYNC_GRAPHQL_URL === undefined ? {} : { blocksyncUrl: config.BLOCKSYNC_GRAPHQL_URL }),
    fetch,
    clock,
  });
  const audiences = audiencesOf(identity);
  return success({
    name: config.ORACLE_NAME ?? name,
    config,
    identity,
    authenticator: createAuthenticator({
      audiences,
      maxTtlSeconds: config.UCAN_AUTH_MAX_TTL_SECONDS,
      allowsBareDelegation: config.UCAN_ALLOW_BARE_DELEGATION_AUTH,
      allowedDids: config.ORACLE_ALLOWED_DIDS,
      resolver,
      clock,
      ...(isRevoked === undefined ? {} : { isRevoked }),
    }),
    failedAuthentications: config.ENVIRONMENT === "development" ? undefined : createAttemptLimit(clock),
  });
}

/** The configuration has ORACLE_DID or a key; `parseOracleConfig` checks this. */
async function identityOf(config: OracleConfig): Promise<OracleIdentity> {
  const seed = await oracleSeed(config.ORACLE_SIGNING_SEED, config.ORACLE_MNEMONIC);
  const signer = seed === undefined ? undefined : await createOracleSigner(seed, config.ORACLE_DID);
  const did = config.ORACLE_DID ?? signer?.did ?? "";
  return { did, entityDid: config.ORACLE_ENTITY_DID ?? did, signer };
}

/** The DIDs to which a token for this oracle may be addressed. */
export function audiencesOf({ did, entityDid }: OracleIdentity): readonly string[] {
  return [...new Set([did, entityDid])];
}
