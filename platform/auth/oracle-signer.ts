/** The oracle's own Ed25519 key and its DID. In development, the start script generates and stores a key. */
import type { API } from "@ucanto/core";
import { derive } from "@ucanto/principal/ed25519";
import { base16 } from "multiformats/bases/base16";
import * as z from "zod";
import { sha256 } from "../digest.ts";

/** `ORACLE_SIGNING_SEED`: 32 bytes as hexadecimal digits. */
export const signingSeedSchema = z.string().regex(/^[0-9A-Fa-f]{64}$/, { error: "must be 64 hexadecimal digits" });

export interface OracleSigner {
  readonly did: string;
  /** The did:key of the signing key, independent of `did`. */
  readonly keyDid: string;
  /** `z6Mk…`, for the DID document. */
  readonly publicKeyMultibase: string;
  /** Signs in the name of one of the oracle's DIDs. */
  issueAs(did: string): API.Signer;
}

/**
 * The 32 bytes of the secret key: `ORACLE_SIGNING_SEED` in the form of `signingSeedSchema`, otherwise the SHA-256 of
 * `ORACLE_MNEMONIC` as trimmed UTF-8 text, as existing deployments derive it. Undefined if neither is set: the oracle
 * then verifies tokens but mints none and publishes no document.
 */
export async function oracleSeed(signingSeed?: string, mnemonic?: string): Promise<Uint8Array | undefined> {
  if (signingSeed !== undefined) return base16.baseDecode(signingSeed.toLowerCase());
  if (mnemonic === undefined || mnemonic.trim() === "") return undefined;
  return sha256(mnemonic.trim());
}

/** `did` is `ORACLE_DID`; the did:key of the signing key by default. */
export async function createOracleSigner(seed: Uint8Array, did?: string): Promise<OracleSigner> {
  const key = await derive(seed);
  const keyDid = key.did();
  return {
    did: did ?? keyDid,
    keyDid,
    publicKeyMultibase: keyDid.slice("did:key:".length),
    issueAs: (name) => (isDid(name) && name !== keyDid ? key.withDID(name) : key),
  };
}

function isDid(text: string): text is API.DID {
  return /^did:[a-z0-9]+:./.test(text);
}
