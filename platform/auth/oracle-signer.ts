/**
 * The oracle's own Ed25519 key and the DID that it answers to.
 * Generating and keeping a key in development is the start script's matter.
 */
import type { API } from "@ucanto/core";
import { derive } from "@ucanto/principal/ed25519";
import { base16 } from "multiformats/bases/base16";
import * as z from "zod";
import { sha256 } from "../digest.ts";

/** `ORACLE_SIGNING_SEED`: 32 bytes as hexadecimal digits. */
export const signingSeedSchema = z.string().regex(/^[0-9A-Fa-f]{64}$/, { error: "must be 64 hexadecimal digits" });

export interface OracleSigner {
  readonly did: string;
  /** The did:key of the signing key, whatever `did` is. */
  readonly keyDid: string;
  /** `z6Mk…`, for the DID document. */
  readonly publicKeyMultibase: string;
  /** Signs in the name of one of the oracle's DIDs. */
  issueAs(did: string): API.Signer;
}

/**
 * The 32 bytes of the secret key: `ORACLE_SIGNING_SEED`, as `signingSeedSchema` wants it, else from `ORACLE_MNEMONIC`
 * the SHA-256 of its UTF-8 text, blanks around it trimmed, as existing deployments derive it. Undefined when neither is set: the
 * oracle then verifies others but mints nothing and publishes no document.
 */
export async function oracleSeed(signingSeed?: string, mnemonic?: string): Promise<Uint8Array | undefined> {
  if (signingSeed !== undefined) return base16.baseDecode(signingSeed.toLowerCase());
  if (mnemonic === undefined || mnemonic.trim() === "") return undefined;
  return sha256(mnemonic.trim());
}

/** `did` is `ORACLE_DID`; the did:key of the signing key when left out. */
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
