/** did:key of Ed25519: the key is in the name, `z` and base58btc of `ed 01` and 32 bytes. */
import { DID } from "@ucanto/core";
import { Verifier } from "@ucanto/principal/ed25519";

export const ED25519_KEY_BYTES = 32;
const MULTICODEC = Uint8Array.of(0xed, 0x01);

/** The raw public key, or undefined when the DID is not a did:key of Ed25519. */
export function publicKeyOf(did: string): Uint8Array<ArrayBuffer> | undefined {
  if (!did.startsWith("did:key:z")) return undefined;
  try {
    const tagged = DID.parse(did);
    Verifier.decode(tagged); // throws on another algorithm or length
    return Uint8Array.from(tagged.subarray(MULTICODEC.length));
  } catch {
    return undefined;
  }
}
