/**
 * Parses a token's text into its UCANs: base64, CAR, root block, UCAN blocks. The result is well-formed and each block
 * matches its CID; signatures, times and rights are not yet checked.
 */
import * as UCAN from "@ipld/dag-ucan";
import { CBOR, DID } from "@ucanto/core";
import { base64, base64pad, base64url, base64urlpad } from "multiformats/bases/base64";
import { CID } from "multiformats/cid";
import { type Result, failure, success } from "../result.ts";
import { type Archive, type Block, decodeCbor, isRecord, readArchive } from "./archive.ts";
import type { TokenIssue } from "./token-issue.ts";

const DAG_CBOR = 0x71;
const UCAN_VERSION = "0.9.1";
const ROOT_MEMBER = `ucan@${UCAN_VERSION}`;
/** Characters; the longest DID in use (an entity's) has 49. Keeps names of objects and cache keys short. */
const MAX_DID_CHARACTERS = 256;
const DID_SYNTAX = /^did:[a-z0-9]+:[A-Za-z0-9._:%-]*[A-Za-z0-9._%-]$/;

export interface Capability {
  readonly can: string;
  readonly with: string;
  /** Each caveat's value as base64 of its dag-cbor, so that two are equal exactly if their texts are. */
  readonly caveats: ReadonlyMap<string, string>;
}

export interface Ucan {
  readonly cid: string;
  readonly issuer: string;
  readonly audience: string;
  readonly capabilities: readonly Capability[];
  /** Unix seconds; null for no expiry. */
  readonly expiration: number | null;
  /** Unix seconds. */
  readonly notBefore?: number;
  /** CIDs of the UCANs that it cites. */
  readonly proofs: readonly string[];
  /** The library's view of the block, over which the signature is checked. */
  readonly view: UCAN.View;
}

export interface UcanToken {
  readonly outermost: Ucan;
  /** The UCAN with that CID; `proof chain` if the archive lacks it, `malformed CAR` if the block is not a UCAN. */
  read(cid: string): Result<Ucan, TokenIssue>;
}

export async function readToken(text: string): Promise<Result<UcanToken, TokenIssue>> {
  const bytes = decodeTokenText(text);
  if (bytes === undefined) return failure("malformed CAR");
  const archive = await readArchive(bytes);
  if (!archive.ok) return failure(archive.error === "digest" ? "signature" : "malformed CAR");
  const block = outermostBlock(archive.value);
  const outermost = block === undefined ? undefined : readUcan(block);
  if (outermost === undefined) return failure("malformed CAR");
  const read = (cid: string) => (cid === outermost.cid ? success(outermost) : readCited(archive.value, cid));
  return success({ outermost, read });
}

/**
 * The CID of the outermost UCAN, unverified and independent of the CAR's encoding. Undefined if the text is not a
 * token.
 */
export async function cidOfToken(text: string): Promise<string | undefined> {
  const token = await readToken(text);
  return token.ok ? token.value.outermost.cid : undefined;
}

function outermostBlock({ root, blocks }: Archive): Block | undefined {
  const rootBlock = blocks.get(root.toString());
  if (rootBlock === undefined || rootBlock.cid.code !== DAG_CBOR) return undefined;
  const content = decodeCbor(rootBlock.bytes);
  if (!isRecord(content) || Object.keys(content).length !== 1) return undefined;
  const link = CID.asCID(content[ROOT_MEMBER]);
  return link === null ? undefined : blocks.get(link.toString());
}

function readCited(archive: Archive, cid: string): Result<Ucan, TokenIssue> {
  const block = archive.blocks.get(cid);
  if (block === undefined) return failure("proof chain");
  const ucan = readUcan(block);
  return ucan === undefined ? failure("malformed CAR") : success(ucan);
}

/**
 * A UCAN block must equal the codec's encoding of its content, byte for byte. This one rule refuses unknown members,
 * empty optional ones, other spellings of a name and every other part of a block that no signature covers.
 */
function readUcan(block: Block): Ucan | undefined {
  if (block.cid.code !== DAG_CBOR) return undefined;
  try {
    const view = UCAN.decode(block.bytes);
    if (view.code !== DAG_CBOR || view.version !== UCAN_VERSION) return undefined;
    if (!sameBytes(UCAN.encode(view), block.bytes)) return undefined;
    const { exp, nbf } = view.model;
    if ((exp !== null && !Number.isSafeInteger(exp)) || (nbf !== undefined && !Number.isSafeInteger(nbf)))
      return undefined;
    const issuer = readPrincipal(view.issuer);
    const audience = readPrincipal(view.audience);
    if (issuer === undefined || audience === undefined) return undefined;
    return {
      cid: block.cid.toString(),
      issuer,
      audience,
      capabilities: view.capabilities.map(readCapability),
      expiration: exp,
      ...(nbf !== undefined && { notBefore: nbf }),
      proofs: view.proofs.map((link) => link.toString()),
      view,
    };
  } catch {
    return undefined;
  }
}

/** A DID has one byte encoding; others (a did:key written as text) are refused. */
function readPrincipal(bytes: Uint8Array): string | undefined {
  const did = DID.decode(bytes).did();
  if (did.length > MAX_DID_CHARACTERS || !DID_SYNTAX.test(did)) return undefined;
  return sameBytes(DID.parse(did), bytes) ? did : undefined;
}

function readCapability({ can, with: resource, nb = {} }: UCAN.Capability): Capability {
  if (!isRecord(nb)) throw new TypeError("caveats must be a map: another value could not be compared");
  const caveats = Object.entries(nb).map(([name, value]) => [name, base64.baseEncode(CBOR.encode(value))] as const);
  return { can, with: resource, caveats: new Map(caveats) };
}

function sameBytes(left: Uint8Array, right: Uint8Array): boolean {
  return left.length === right.length && left.every((byte, index) => byte === right[index]);
}

/** Characters of the trimmed text. A chain of eight delegations takes about 4 KiB; longer headers are abuse. */
export const MAX_TOKEN_CHARACTERS = 48 * 1024;

const BASE64_QUARTET = 4;
const variants = [
  { shape: /^[A-Za-z0-9+/]+$/, padded: false, codec: base64 },
  { shape: /^[A-Za-z0-9_-]+$/, padded: false, codec: base64url },
  { shape: /^[A-Za-z0-9+/]+={1,2}$/, padded: true, codec: base64pad },
  { shape: /^[A-Za-z0-9_-]+={1,2}$/, padded: true, codec: base64urlpad },
];

/** The bytes, or undefined if the text is empty, too long or not exactly one of the four variants. */
export function decodeTokenText(text: string): Uint8Array | undefined {
  const trimmed = text.trim();
  if (trimmed.length > MAX_TOKEN_CHARACTERS) return undefined;
  const variant = variants.find(({ shape }) => shape.test(trimmed));
  if (variant === undefined || (variant.padded && trimmed.length % BASE64_QUARTET !== 0)) return undefined;
  try {
    return variant.codec.baseDecode(trimmed);
  } catch {
    return undefined; // left-over bits, which no encoder writes
  }
}

/** Standard alphabet, padded: the spelling that every existing reader accepts. */
export function encodeTokenText(bytes: Uint8Array): string {
  return base64pad.baseEncode(bytes);
}
