/**
 * A token with all UCANs that it cites, checked as one chain: each proof is present, signed and addressed to the issuer
 * who cites it, and covers that issuer's claims. The caller checks the audience and the times of the chain.
 */
import * as UCAN from "@ipld/dag-ucan";
import { type Result, failure, success } from "../result.ts";
import type { KeyResolver } from "./did-resolver.ts";
import { inRealTime, type After } from "./shared-lookups.ts";
import type { TokenIssue } from "./token-issue.ts";
import type { Capability, Ucan, UcanToken } from "./ucan-token.ts";

/** UCANs on the longest path, including the outermost: user to service to service is three, so eight is generous. */
export const MAX_CHAIN_DEPTH = 8;
/**
 * UCANs in one chain, each of which costs a signature check: one per service that the user permits would be a dozen.
 */
export const MAX_CHAIN_MEMBERS = 32;
/** Seconds that another clock may run ahead of ours. */
export const CLOCK_SKEW = 60;
/** Issuers of one token whose keys are looked up; a user, the services in between and their organisations are fewer. */
export const MAX_LOOKED_UP_ISSUERS = 8;
/** Milliseconds that all lookups of one token may take: one slow service, and a retry after a cancelled request. */
export const LOOKUPS_TIMEOUT = 5_000;

export interface ProofChain {
  readonly outermost: Ucan;
  /** Unix seconds of the earliest expiry; null if nothing in the chain expires. */
  readonly expiration: number | null;
  /** Unix seconds from which all of the chain is valid. */
  readonly notBefore: number | null;
  /**
   * Milliseconds since 1970 until which this can be cached, because keys can change; absent: as long as the chain is
   * valid.
   */
  readonly knownUntil?: number;
  /**
   * The DID that first granted that capability: the issuer at the end of the citations that cover it. Undefined if the
   * outermost UCAN does not claim it, or only with caveats.
   */
  readonly rootOf: (wanted: Pick<Capability, "can" | "with">) => string | undefined;
}

interface Link {
  readonly ucan: Ucan;
  readonly proofs: readonly Link[];
  /** UCANs on the longest path from here down, including this one. */
  readonly depth: number;
}

export async function verifyChain(
  token: UcanToken,
  resolveKeys: KeyResolver,
  after: After = inRealTime,
): Promise<Result<ProofChain, TokenIssue>> {
  const links = new Map<string, Link>();
  const collected = collect(token.outermost.cid, token, links);
  if (!collected.ok) return collected;
  if (collected.value.depth > MAX_CHAIN_DEPTH || links.size > MAX_CHAIN_MEMBERS) return failure("proof chain");
  const lookedUp = new Set([...links.values()].map(({ ucan }) => ucan.issuer).filter(isLookedUp));
  if (lookedUp.size > MAX_LOOKED_UP_ISSUERS) return failure("proof chain");
  const keys = boundedInTime(resolveKeys, after);
  // From the outside in and sequentially: a proof's issuer is looked up only on behalf of a UCAN that verified.
  try {
    for (const { ucan } of [...links.values()].toReversed()) {
      const verified = await verifySignature(ucan, keys.resolve);
      if (!verified.ok) return verified;
    }
  } finally {
    keys.end();
  }
  if (![...links.values()].every(isCoveredByProofs)) return failure("proof chain");
  const members = [...links.values()].map((link) => link.ucan);
  return success({
    outermost: token.outermost,
    expiration: leastOf(members.flatMap(({ expiration }) => expiration ?? [])),
    notBefore: greatestOf(members.flatMap(({ notBefore }) => notBefore ?? [])),
    rootOf: (wanted) => rootOf(collected.value, { ...wanted, caveats: new Map() }),
    ...keys.knownUntil(),
  });
}

/** A did:key contains its own key. */
function isLookedUp(issuer: string): boolean {
  return !issuer.startsWith("did:key:");
}

/** Limits all lookups of one token to LOOKUPS_TIMEOUT, and tracks until when their results can be cached. */
function boundedInTime(resolveKeys: KeyResolver, after: After) {
  const expiry = Promise.withResolvers<Result<never, "unresolvable">>();
  let callOff: (() => void) | undefined;
  let until = Infinity;
  const resolve: KeyResolver = async (did) => {
    if (!isLookedUp(did)) return resolveKeys(did);
    callOff ??= after(LOOKUPS_TIMEOUT, () => expiry.resolve(failure("unresolvable")));
    const keys = await Promise.race([resolveKeys(did), expiry.promise]);
    if (keys.ok) until = Math.min(until, keys.value.until ?? Infinity);
    return keys;
  };
  return { resolve, knownUntil: () => (until === Infinity ? {} : { knownUntil: until }), end: () => callOff?.() };
}

/** Proofs come before the UCANs that cite them; a UCAN cited twice is read once. Hashes make cycles impossible. */
function collect(cid: string, token: UcanToken, links: Map<string, Link>): Result<Link, TokenIssue> {
  const known = links.get(cid);
  if (known !== undefined) return success(known);
  const ucan = token.read(cid);
  if (!ucan.ok) return ucan;
  const proofs: Link[] = [];
  for (const proofCid of new Set(ucan.value.proofs)) {
    const proof = collect(proofCid, token, links);
    if (!proof.ok) return proof;
    proofs.push(proof.value);
  }
  const link: Link = { ucan: ucan.value, proofs, depth: 1 + Math.max(0, ...proofs.map((proof) => proof.depth)) };
  links.set(cid, link);
  return success(link);
}

function isCoveredByProofs({ ucan, proofs }: Link): boolean {
  if (!proofs.every((proof) => proof.ucan.audience === ucan.issuer)) return false;
  const granted = proofs.flatMap((proof) => proof.ucan.capabilities);
  return proofs.length === 0 || ucan.capabilities.every((claimed) => granted.some((parent) => covers(parent, claimed)));
}

/** For a verified chain: each claim is covered by one of the proofs below it. */
function rootOf({ ucan, proofs }: Link, wanted: Capability): string | undefined {
  const claimed = ucan.capabilities.find((capability) => covers(capability, wanted));
  if (claimed === undefined || proofs.length === 0) return claimed && ucan.issuer;
  for (const proof of proofs) {
    const root = rootOf(proof, claimed);
    if (root !== undefined) return root;
  }
  return undefined;
}

/** Whether `parent` grants `claimed`: at least as wide in ability and resource, with each of its caveats unchanged. */
function covers(parent: Capability, claimed: Capability): boolean {
  return (
    coversAbility(parent.can, claimed.can) &&
    coversResource(parent.with, claimed.with) &&
    [...parent.caveats].every(([name, value]) => claimed.caveats.get(name) === value)
  );
}

function coversAbility(parent: string, claimed: string): boolean {
  if (parent === claimed || parent === "*") return true;
  return parent.endsWith("/*") && claimed.startsWith(parent.slice(0, -1));
}

function coversResource(parent: string, claimed: string): boolean {
  return parent === claimed || (parent.endsWith("*") && claimed.startsWith(parent.slice(0, -1)));
}

function leastOf(values: readonly number[]): number | null {
  return values.length === 0 ? null : Math.min(...values);
}

function greatestOf(values: readonly number[]): number | null {
  return values.length === 0 ? null : Math.max(...values);
}

/** `ed a1 03` names EdDSA as varint, `40` the 64 bytes that follow. */
const EDDSA_PREFIX = [0xed, 0xa1, 0x03, 0x40];
const SIGNATURE_BYTES = EDDSA_PREFIX.length + 64;

async function verifySignature(ucan: Ucan, resolveKeys: KeyResolver): Promise<Result<null, TokenIssue>> {
  const signature = Uint8Array.from(ucan.view.signature);
  if (signature.length !== SIGNATURE_BYTES) return failure("signature");
  if (EDDSA_PREFIX.some((byte, index) => signature[index] !== byte)) return failure("signature");
  const keys = await resolveKeys(ucan.issuer);
  if (!keys.ok) return keys;
  for (const key of keys.value.keys) {
    if (await verifiesWith(ucan, key, signature.subarray(EDDSA_PREFIX.length))) return success(null);
  }
  return failure("signature");
}

async function verifiesWith(ucan: Ucan, key: Uint8Array<ArrayBuffer>, raw: Uint8Array<ArrayBuffer>): Promise<boolean> {
  const verifier: UCAN.Verifier = {
    did: () => ucan.view.issuer.did(),
    verify: (payload) => verifyEd25519(key, raw, Uint8Array.from(payload)),
  };
  return UCAN.verifySignature(ucan.view, verifier);
}

async function verifyEd25519(
  key: Uint8Array<ArrayBuffer>,
  signature: Uint8Array<ArrayBuffer>,
  message: Uint8Array<ArrayBuffer>,
): Promise<boolean> {
  try {
    const imported = await crypto.subtle.importKey("raw", key, "Ed25519", false, ["verify"]);
    return await crypto.subtle.verify("Ed25519", imported, signature, message);
  } catch {
    return false; // 32 bytes that are not a point of the curve
  }
}
