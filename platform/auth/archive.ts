/**
 * CAR version 1, read strictly: one root, and every block's SHA-256 equals its CID, so that a proof cannot be swapped.
 * It knows nothing of UCANs. @ucanto/core's reader is not used here because it checks no digest, reads version 2 as
 * well and hides roots without a block.
 */
import { CBOR } from "@ucanto/core";
import { varint } from "multiformats";
import { CID } from "multiformats/cid";
import { sha256 } from "../digest.ts";
import { failure, success, type Result } from "../result.ts";

const SHA2_256 = 0x12;
const DIGEST_BYTES = 32;

export interface Block {
  readonly cid: CID;
  readonly bytes: Uint8Array;
}

export interface Archive {
  readonly root: CID;
  /** The blocks by the text of their CIDs. */
  readonly blocks: ReadonlyMap<string, Block>;
}

export type ArchiveIssue = "malformed" | "digest";

export async function readArchive(bytes: Uint8Array): Promise<Result<Archive, ArchiveIssue>> {
  const sections = readSections(bytes);
  const [header, ...rest] = sections ?? [];
  const root = header === undefined ? undefined : readHeader(header);
  if (root === undefined) return failure("malformed");
  const blocks = new Map<string, Block>();
  for (const section of rest) {
    const block = readBlock(section);
    if (block === undefined) return failure("malformed");
    if (!(await digestMatches(block))) return failure("digest");
    blocks.set(block.cid.toString(), block);
  }
  return success({ root, blocks });
}

/** Both the header and each block are a length as varint and that many bytes. */
function readSections(bytes: Uint8Array): Uint8Array[] | undefined {
  const sections: Uint8Array[] = [];
  let offset = 0;
  while (offset < bytes.length) {
    const prefix = readVarint(bytes, offset);
    if (prefix === undefined) return undefined;
    const start = offset + prefix.size;
    const end = start + prefix.value;
    if (prefix.value === 0 || end > bytes.length) return undefined;
    sections.push(bytes.subarray(start, end));
    offset = end;
  }
  return sections;
}

function readVarint(bytes: Uint8Array, offset: number): { value: number; size: number } | undefined {
  try {
    const [value, size] = varint.decode(bytes, offset);
    return varint.encodingLength(value) === size ? { value, size } : undefined;
  } catch {
    return undefined;
  }
}

function readHeader(section: Uint8Array): CID | undefined {
  const header = decodeCbor(section);
  if (!isRecord(header) || Object.keys(header).length !== 2 || header["version"] !== 1) return undefined;
  const roots = header["roots"];
  if (!Array.isArray(roots) || roots.length !== 1) return undefined;
  return CID.asCID(roots[0]) ?? undefined;
}

function readBlock(section: Uint8Array): Block | undefined {
  try {
    const [cid, bytes] = CID.decodeFirst(section);
    const { code, digest } = cid.multihash;
    return cid.version === 1 && code === SHA2_256 && digest.length === DIGEST_BYTES ? { cid, bytes } : undefined;
  } catch {
    return undefined;
  }
}

async function digestMatches({ cid, bytes }: Block): Promise<boolean> {
  return (await sha256(bytes)).every((byte, index) => byte === cid.multihash.digest[index]);
}

/** The value of a dag-cbor block, or undefined if the bytes are not dag-cbor (which has no undefined). */
export function decodeCbor(bytes: Uint8Array): unknown {
  try {
    return CBOR.decode(bytes);
  } catch {
    return undefined;
  }
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value) && CID.asCID(value) === null;
}
