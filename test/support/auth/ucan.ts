/**
 * Tokens for tests, made with the library that real clients use (@ucanto/core, @ucanto/principal), and ways to corrupt them. Runs
 * in Node and in workerd: no Node globals, no files. Times are Unix seconds.
 */
import { CAR, CBOR, DID, delegate, type API } from "@ucanto/core";
import { derive } from "@ucanto/principal/ed25519";
import { base64pad } from "multiformats/bases/base64";

export type Signer = API.Signer;

/** A seed byte always makes the same key; `did` replaces its did:key name. */
export async function signer(seedByte: number, did?: string): Promise<Signer> {
  const key = await derive(new Uint8Array(32).fill(seedByte));
  return did === undefined ? key : key.withDID(did as API.DID);
}

export interface UcanContent {
  readonly issuer: Signer;
  readonly audience: string;
  readonly capabilities?: readonly { readonly can: string; readonly with: string; readonly nb?: object }[];
  /** Null: never expires. */
  readonly expiration: number | null;
  readonly notBefore?: number;
  readonly nonce?: string;
  readonly facts?: readonly Record<string, unknown>[];
  readonly proofs?: readonly API.Delegation[];
}

export async function issue(content: UcanContent): Promise<API.Delegation> {
  const { issuer, audience, expiration, notBefore, nonce, capabilities, facts, proofs } = content;
  return delegate({
    issuer,
    audience: DID.parse(audience),
    capabilities: (capabilities ?? [{ can: "*", with: "ixo:oracle" }]) as unknown as API.Capabilities,
    expiration: expiration ?? Infinity,
    ...(notBefore !== undefined && { notBefore }),
    ...(nonce !== undefined && { nonce }),
    facts: [...(facts ?? [])],
    proofs: [...(proofs ?? [])],
  });
}

/** The token's text: standard base64 with padding, as real clients encode it. */
export async function tokenOf(ucan: API.Delegation): Promise<string> {
  const archive = await ucan.archive();
  if (archive.error) throw archive.error;
  return toBase64(archive.ok);
}

export async function mintInvocation(issuer: Signer, audience: string, expiration: number): Promise<string> {
  return tokenOf(await issue({ issuer, audience, expiration }));
}

export async function mintDelegation(
  issuer: Signer,
  audience: string,
  expiration: number | null,
  capabilities: UcanContent["capabilities"] = [{ can: "memory/*", with: "ixo:memory" }],
): Promise<string> {
  return tokenOf(await issue({ issuer, audience, expiration, capabilities }));
}

/** `depth` UCANs, each citing the previous one; issued by the keys 1, 2, 3 and so on, the last one to `audience`. */
export async function mintChain(depth: number, audience: string, expiration: number): Promise<API.Delegation> {
  const issuers = await Promise.all(Array.from({ length: depth }, (_, index) => signer(index + 1)));
  let proofs: readonly API.Delegation[] = [];
  for (const [index, issuer] of issuers.entries()) {
    const next = issuers[index + 1]?.did() ?? audience;
    proofs = [await issue({ issuer, audience: next, expiration, proofs })];
  }
  const [outermost] = proofs;
  if (outermost === undefined) throw new RangeError("a chain holds at least one UCAN");
  return outermost;
}

/** A token with the root `ucan` over arbitrary blocks, which no honest encoder would write. */
export async function assemble(ucan: API.Block, blocks: Iterable<API.Block>): Promise<string> {
  const root = await CBOR.write({ "ucan@0.9.1": ucan.cid });
  const entries = [...blocks, ucan, root].map((block) => [block.cid.toString(), block] as const);
  return toBase64(CAR.encode({ roots: [root], blocks: new Map(entries) }));
}

/** The UCAN with some members of its block replaced after signing; the block's CID is recomputed. */
export async function forge(ucan: API.Delegation, members: Record<string, unknown>): Promise<string> {
  const proofs = [...ucan.export()].filter(({ cid }) => cid.toString() !== ucan.cid.toString());
  return assemble(await CBOR.write({ ...membersOf(ucan), ...members }), proofs);
}

/** The members of a UCAN's block, unparsed. */
export function membersOf(ucan: API.Delegation): Record<string, unknown> {
  const content: unknown = CBOR.decode(ucan.root.bytes);
  return { ...(content as object) };
}

/** The token with the bytes of one block under the CID of another. */
export async function swapBlock(
  ucan: API.Delegation,
  victim: API.Delegation,
  impostor: API.Delegation,
): Promise<string> {
  const blocks = [...ucan.export()].filter(({ cid }) => cid.toString() !== victim.cid.toString());
  return assemble(ucan.root, [{ cid: victim.cid, bytes: impostor.root.bytes }, ...blocks] as API.Block[]);
}

/** The token with one byte of its CAR XORed with `mask`, 1 to 255. */
export function flipByte(token: string, index: number, mask: number): string {
  const bytes = fromBase64(token);
  return toBase64(bytes.map((byte, position) => (position === index ? byte ^ mask : byte)));
}

/** The token truncated after that many bytes of its CAR. */
export function truncate(token: string, length: number): string {
  return toBase64(fromBase64(token).subarray(0, length));
}

export function byteLength(token: string): number {
  return fromBase64(token).length;
}

export function toBase64(bytes: Uint8Array): string {
  return base64pad.baseEncode(bytes);
}

export function fromBase64(text: string): Uint8Array {
  return base64pad.baseDecode(text);
}

/** Issued by key 7 to `did:ixo:ixo1oracletest`, expires 1900000000. */
export const FIELD_VECTOR = {
  token:
    "OqJlcm9vdHOB2CpYJQABcRIgjdmGPDOz74C7SM/OwTZhXRPEqbAVBvanP+shwkhQpI9ndmVyc2lvbgHgAQFxEiAwSxR99WZqhTO0NKYIrmPbDR5BXYDGklZOxhFv0dH0Fadhc1hE7aEDQI92gnjHngofFkrCaaUhP8l1jdLHChDiwXAitG/f7WVd2fQzne08/NUnQ2belYBk583+qAOVvM7EWQwx3a5FoAJhdmUwLjkuMWNhdHSBomNjYW5hKmR3aXRoaml4bzpvcmFjbGVjYXVkVJ0aaXhvOml4bzFvcmFjbGV0ZXN0Y2V4cBpxP7MAY2lzc1gi7QHqSmxj4pxSCr71UHsTLsX5lUd2rr6+e5JCHuppFEbSLGNwcmaAWQFxEiCN2YY8M7PvgLtIz87BNmFdE8SpsBUG9qc/6yHCSFCkj6FqdWNhbkAwLjkuMdgqWCUAAXESIDBLFH31ZmqFM7Q0pgiuY9sNHkFdgMaSVk7GEW/R0fQV",
  issuer: "did:key:z6MkvDqGT54cXesYGvABpF1UapVNwjCqRcafi4Px6Thv5T3Z",
  audience: "did:ixo:ixo1oracletest",
  expiration: 1_900_000_000,
  cid: "bafyreibqjmkh35lgnkcthnbuuyek4y63bupecxmay2jfmtwgcfx5dupucu",
};
