/**
 * The customer's own key (PH-64): an Ed25519 key whose did:key names the customer to the oracle and is accepted by the
 * registry as a controller. The private key is sealed for its customer.
 */
import type { Login } from "../../../durable-objects/ussd-session/ports.ts";
import { DID, invoke } from "@ucanto/core";
import { derive } from "@ucanto/principal/ed25519";
import { base16 } from "multiformats/bases/base16";
import { ED25519_KEY_BYTES } from "../../../platform/auth/verification-method.ts";
import { encodeTokenText } from "../../../platform/auth/ucan-token.ts";
import type { Sealed } from "../key-ring.ts";
import { findLoggedIn } from "./customers.ts";
import type { AccountSettings } from "./settings.ts";

/** Seconds: an invocation is used at once, and one question is polled for at most two minutes. */
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

/** Null if the login has been revoked or the customer's key cannot be opened. */
export async function mintInvocation(
  settings: AccountSettings,
  login: Login,
  audience: string,
): Promise<string | null> {
  const { ring, clock, random, log } = settings;
  const row = await findLoggedIn(settings, login);
  if (row === null || row.key_sealed === null || row.key_sealed_by === null) return null;
  const seed = await ring.open({ keyId: row.key_sealed_by, value: row.key_sealed }, "identity", row.customer_id);
  if (seed === undefined) {
    log.error("identity-unreadable", { keyId: row.key_sealed_by });
    return null;
  }
  const invocation = await invoke({
    issuer: await derive(base16.baseDecode(seed)),
    audience: DID.parse(audience),
    capability: { can: "oracle/ask", with: "ixo:oracle" },
    expiration: Math.floor(clock() / 1_000) + INVOCATION_LIFETIME,
    facts: [{ nonce: base16.baseEncode(random(NONCE_BYTES)) }],
  }).delegate();
  const archive = await invocation.archive();
  return archive.ok ? encodeTokenText(archive.ok) : null;
}
