/**
 * Minting for downstream services: the oracle invokes a capability there with the user's delegation as proof.
 * @ucanto/validator checks whether the delegation covers it, because such services use it too: an invocation that they
 * would refuse is not sent. `audience-discovery.ts` finds a service's DID.
 */
import { Delegation, DID, invoke, type API } from "@ucanto/core";
import { capability as defineCapability, Schema } from "@ucanto/validator";
import { failure, success, type Result } from "../result.ts";
import type { OracleSigner } from "./oracle-signer.ts";
import { decodeTokenText, encodeTokenText } from "./ucan-token.ts";

/** Seconds; a minted invocation never outlives the delegation either. */
export const DOWNSTREAM_LIFETIME = 3_600;

export interface DownstreamInvocation {
  /** The service's DID. */
  readonly audience: string;
  readonly capability: WantedCapability;
  /** A delegation that was verified when it was received; `expiration` in Unix seconds. */
  readonly delegation: { readonly token: string; readonly expiration: number | null };
  /** Unix seconds. */
  readonly now: number;
  /** Any unused text, such as a UUID. */
  readonly nonce: string;
}

export interface WantedCapability {
  readonly can: `${string}/${string}`;
  readonly with: `${string}:${string}`;
  readonly nb?: Readonly<Record<string, unknown>>;
}

export type MintingIssue = "malformed CAR" | "expired" | "audience" | "capability";

/**
 * Base64 of the CAR, to be sent as Bearer with `X-Auth-Type: ucan`. `audience`: the delegation is not for this oracle.
 */
export async function mintInvocation(
  signer: OracleSigner,
  oracleDids: readonly string[],
  { audience, capability, delegation, now, nonce }: DownstreamInvocation,
): Promise<Result<string, MintingIssue>> {
  const expiration = Math.min(now + DOWNSTREAM_LIFETIME, delegation.expiration ?? Infinity);
  if (expiration <= now) return failure("expired");
  const archive = decodeTokenText(delegation.token);
  const proof = archive === undefined ? undefined : (await Delegation.extract(archive)).ok;
  if (proof === undefined) return failure("malformed CAR");
  const issuer = proof.audience.did();
  if (!oracleDids.includes(issuer)) return failure("audience");
  if (!isGranted(capability, proof)) return failure("capability");
  const invocation = await invoke({
    issuer: signer.issueAs(issuer),
    audience: DID.parse(audience),
    capability: { can: capability.can, with: capability.with, ...(capability.nb && { nb: { ...capability.nb } }) },
    proofs: [proof],
    expiration,
    facts: [{ nonce }],
  }).delegate();
  const minted = await invocation.archive();
  return minted.ok === undefined ? failure("malformed CAR") : success(encodeTokenText(minted.ok));
}

function isGranted(wanted: WantedCapability, proof: API.Delegation): boolean {
  const definition = defineCapability({
    can: wanted.can,
    with: Schema.URI.uri(),
    nb: Schema.dictionary({ value: Schema.unknown() }),
  });
  const claim = definition.match({ capability: wanted, delegation: proof }).ok;
  const granted = proof.capabilities.map((capability) => ({
    capability: capability as API.ParsedCapability,
    delegation: proof,
  }));
  return claim !== undefined && claim.select(granted).matches.length > 0;
}
