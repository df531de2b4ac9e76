/** Who signs with a key pair of WebCrypto: the private key stays where the platform keeps it, and may be one that nobody can export. */
import { didOfKey } from "./did-key.ts";
import type { TokenIssuer } from "./ucan-token.ts";

export async function issuerOf({ privateKey, publicKey }: CryptoKeyPair): Promise<TokenIssuer> {
  if (privateKey.algorithm.name !== "Ed25519" || !privateKey.usages.includes("sign"))
    throw new TypeError("A signer needs a key pair of Ed25519 whose private key may sign.");
  const raw: unknown = await crypto.subtle.exportKey("raw", publicKey);
  if (!(raw instanceof ArrayBuffer)) throw new TypeError("The platform gives no raw public key.");
  return {
    did: didOfKey(new Uint8Array(raw)),
    sign: async (payload) => new Uint8Array(await crypto.subtle.sign("Ed25519", privateKey, payload)),
  };
}
