/**
 * Mints the two UCANs of a chat: the invocation that proves who is calling, and the delegation that lets the oracle use
 * the user's other services. Both are sent as base64 of a CAR.
 */
import { delegate, DID } from "@ucanto/core";

/** A key, or a key that signs under another DID. */
type Signer = Parameters<typeof delegate>[0]["issuer"];

/** Seconds. The field refuses an invocation that is good for more than 900; shorter leaves room for clock skew. */
export const invocationLifetime = 600;

/** Seconds. A day: long enough for any run, short enough that a leaked delegation soon is worth nothing. */
export const delegationLifetime = 24 * 60 * 60;

/** What a user of the field usually lets an oracle do for them. */
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

/** @param now Unix seconds; `lifetime` in seconds. */
export async function mintInvocation(
  issuer: Signer,
  oracleDid: string,
  now: number,
  lifetime = invocationLifetime,
): Promise<string> {
  return await mint(issuer, oracleDid, [{ can: "*", with: "ixo:oracle" }], now + lifetime);
}

/** @param now Unix seconds; `lifetime` in seconds. */
export async function mintDelegation(
  issuer: Signer,
  oracleDid: string,
  now: number,
  lifetime = delegationLifetime,
): Promise<string> {
  return await mint(issuer, oracleDid, [...delegatedCapabilities], now + lifetime);
}

/** @param expiration Unix seconds. */
export async function mint(
  issuer: Signer,
  audience: string,
  capabilities: Capabilities,
  expiration: number,
): Promise<string> {
  const token = await delegate({ issuer, audience: DID.parse(audience), capabilities, expiration });
  const archive = await token.archive();
  if (archive.error !== undefined) throw archive.error;
  return Buffer.from(archive.ok).toString("base64");
}
