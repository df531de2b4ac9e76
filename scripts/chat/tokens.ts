/**
 * Mints the two UCANs of a chat (contract/oracle.md sections 2.1 to 2.6): the invocation that says who is calling, and
 * the delegation that lets the oracle use the user's other services. Both travel as base64 of a CAR.
 */
import { delegate, DID } from "@ucanto/core";
import type { Identity } from "./identity.ts";

/** Seconds. The field refuses an invocation that is good for more than 900; shorter leaves room for clock skew. */
export const invocationLifetime = 600;

/** Seconds. A day: long enough for any turn, short enough that a leaked delegation soon is worth nothing. */
export const delegationLifetime = 24 * 60 * 60;

/** What a user of the field usually lets an oracle do for him (section 2.6). */
const delegatedCapabilities = [
  { can: "memory/*", with: "ixo:memory" },
  { can: "sandbox/*", with: "ixo:sandbox" },
  { can: "skills/*", with: "ixo:skills" },
  { can: "subscriptions/read", with: "ixo:subscriptions" },
] as const;

type Capabilities = [
  { can: `${string}/${string}` | "*"; with: `${string}:${string}` },
  ...{ can: `${string}/${string}` | "*"; with: `${string}:${string}` }[],
];

/** @param now Unix seconds. */
export async function mintInvocation(identity: Identity, oracleDid: string, now: number): Promise<string> {
  return await mint(identity, oracleDid, [{ can: "*", with: "ixo:oracle" }], now + invocationLifetime);
}

/** @param now Unix seconds. */
export async function mintDelegation(identity: Identity, oracleDid: string, now: number): Promise<string> {
  return await mint(identity, oracleDid, [...delegatedCapabilities], now + delegationLifetime);
}

/** @param expiration Unix seconds. */
export async function mint(
  identity: Identity,
  audience: string,
  capabilities: Capabilities,
  expiration: number,
): Promise<string> {
  const token = await delegate({ issuer: identity, audience: DID.parse(audience), capabilities, expiration });
  const archive = await token.archive();
  if (archive.error !== undefined) throw archive.error;
  return Buffer.from(archive.ok).toString("base64");
}
