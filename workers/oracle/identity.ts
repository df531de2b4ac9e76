/** Who this oracle is (decisions 3.1): its DIDs, and the key that it signs with when one is configured. */
import { createOracleSigner, oracleSeed, type OracleSigner } from "../platform/auth/oracle-signer.ts";
import type { OracleConfig } from "./config.ts";

export interface OracleIdentity {
  /** ORACLE_DID, or the did:key of the signing key. */
  readonly did: string;
  /** ORACLE_ENTITY_DID, or the same as `did`. */
  readonly entityDid: string;
  /** Undefined when the oracle has no key: it then verifies others but mints nothing and publishes no document. */
  readonly signer: OracleSigner | undefined;
}

/** The configuration has one of ORACLE_DID and a key; `parseOracleConfig` sees to that. */
export async function identityOf(config: OracleConfig): Promise<OracleIdentity> {
  const seed = await oracleSeed(config.ORACLE_SIGNING_SEED, config.ORACLE_MNEMONIC);
  const signer = seed === undefined ? undefined : await createOracleSigner(seed, config.ORACLE_DID);
  const did = config.ORACLE_DID ?? signer?.did ?? "";
  return { did, entityDid: config.ORACLE_ENTITY_DID ?? did, signer };
}

/** The DIDs that a token for this oracle may be addressed to. */
export function audiencesOf({ did, entityDid }: OracleIdentity): readonly string[] {
  return [...new Set([did, entityDid])];
}
