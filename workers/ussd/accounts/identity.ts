/**
 * The customer's own key (contract/ussd.md amendments, decisions 4.6): an Ed25519 key whose did:key names the customer
 * towards the oracle and is accepted by the registry as a controller. The private key is sealed for its customer.
 */
import { DID, invoke } from "@ucanto/core";
import { derive } from "@ucanto/principal/ed25519";
import { base16 } from "multiformats/bases/base16";
import { ED25519_KEY_BYTES } from "../../platform/auth/did-key.ts";
import { encodeTokenText } from "../../platform/auth/token-text.ts";
import type { KeyRing, Sealed } from "../secrets/key-ring.ts";
import type { AccountSettings } from "./settings.ts";

/** Seconds: an invocation is used at once; asking again and again about one answer takes two minutes at most. */
const INVOCATION_LIFETIME = 300;
const NONCE_BYTES = 16;

export interface Identity {
  readonly did: string;
  readonly sealed: Sealed;
}

export async function createIdentity(
  { ring, random }: Pick<AccountSettings, "ring" | "random">,
  customerId: string,
): Promise<Identity> {
  const seed = random(ED25519_KEY_BYTES);
  const key = await derive(seed);
  return { did: key.did(), sealed: await ring.seal(base16.baseEncode(seed), "identity", customerId) };
}

/** Undefined when the sealed key does not open. */
export async function mintOracleInvocation(
  { ring, clock, random }: Pick<AccountSettings, "ring" | "clock" | "random">,
  customerId: string,
  sealed: Sealed,
  audience: string,
): Promise<string | undefined> {
  const issuer = await openIdentity(ring, customerId, sealed);
  if (issuer === undefined) return undefined;
  const invocation = await invoke({
    issuer,
    audience: DID.parse(audience),
    capability: { can: "oracle/ask", with: "ixo:oracle" },
    expiration: Math.floor(clock() / 1_000) + INVOCATION_LIFETIME,
    facts: [{ nonce: base16.baseEncode(random(NONCE_BYTES)) }],
  }).delegate();
  const archive = await invocation.archive();
  return archive.ok && encodeTokenText(archive.ok);
}

async function openIdentity(ring: KeyRing, customerId: string, sealed: Sealed) {
  const seed = await ring.open(sealed, "identity", customerId);
  return seed === undefined ? undefined : await derive(base16.baseDecode(seed));
}
