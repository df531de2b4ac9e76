/**
 * A token of UCAN 0.9.1 as oracles parse it: signed like a JWT, encoded as DAG-CBOR, in a CAR archive. It has one issuer with an
 * Ed25519 key, and no proofs. The general libraries for this are ten times its size; a test compares the bytes with theirs.
 */
import { bytesOfDid } from "./did-key.ts";

/** Signs tokens. */
export interface TokenIssuer {
  readonly did: string;
  /** Returns the 64 bytes of an Ed25519 signature. */
  sign(payload: Uint8Array<ArrayBuffer>): Promise<Uint8Array>;
}

export interface TokenClaims {
  readonly audience: string;
  readonly capabilities: readonly { readonly can: string; readonly with: string }[];
  /** Seconds since 1970. */
  readonly expiration: number;
}

const VERSION = "0.9.1";
/** EdDSA (0xd0ed) and the length of its signature (64), as variable-length integers. */
const SIGNATURE_TAG = [0xed, 0xa1, 0x03, 0x40];
/** The first bytes of a link: version 1, DAG-CBOR, SHA-256 of 32 bytes. */
const LINK_TAG = [0x01, 0x71, 0x12, 0x20];
/** CBOR's tag for a link, and the zero byte before one. */
const [LINK_IN_CBOR, BEFORE_LINK] = [42, 0];

/** Returns the bytes of the archive. */
export async function issueToken(issuer: TokenIssuer, claims: TokenClaims): Promise<Uint8Array> {
  const { audience, expiration } = claims;
  // Both formats write the members in this order.
  const att = claims.capabilities.map(({ can, with: resource }) => ({ can, with: resource }));
  const header = { alg: "EdDSA", typ: "JWT", ucv: VERSION };
  const payload = { att, aud: audience, exp: expiration, iss: issuer.did, prf: [] };
  const signature = await issuer.sign(utf8(`${base64url(header)}.${base64url(payload)}`));
  const token = await blockOf({
    s: joined([SIGNATURE_TAG, signature]),
    v: VERSION,
    att,
    aud: bytesOfDid(audience),
    exp: expiration,
    iss: bytesOfDid(issuer.did),
    prf: [],
  });
  const root = await blockOf({ [`ucan@${VERSION}`]: token.link });
  const roots = cbor({ roots: [root.link], version: 1 });
  const sections = [token, root].map(({ link, bytes }) => sized(joined([link.bytes, bytes])));
  return joined([sized(roots), ...sections]);
}

/** The address of a block, computed from its content. */
class Link {
  readonly bytes: Uint8Array;
  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }
}

type Cbor = string | number | Uint8Array | Link | readonly Cbor[] | { readonly [member: string]: Cbor };

async function blockOf(value: Cbor): Promise<{ readonly link: Link; readonly bytes: Uint8Array }> {
  const bytes = cbor(value);
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return { link: new Link(joined([LINK_TAG, digest])), bytes };
}

/** RFC 8949. The caller passes the members of a map in order, the shorter name first. */
function cbor(value: Cbor): Uint8Array<ArrayBuffer> {
  if (typeof value === "number") return head(0, value);
  if (typeof value === "string") return joined([head(3, utf8(value).length), utf8(value)]);
  if (value instanceof Uint8Array) return joined([head(2, value.length), value]);
  if (value instanceof Link) return joined([head(6, LINK_IN_CBOR), cbor(joined([[BEFORE_LINK], value.bytes]))]);
  if (isList(value)) return joined([head(4, value.length), ...value.map(cbor)]);
  const members = Object.entries(value);
  return joined([head(5, members.length), ...members.flatMap(([name, member]) => [cbor(name), cbor(member)])]);
}

function isList(value: Cbor): value is readonly Cbor[] {
  return Array.isArray(value);
}

/** The kind of a value and its number, in as few bytes as possible. */
function head(kind: number, value: number): Uint8Array<ArrayBuffer> {
  const first = kind << 5;
  if (value < 24) return Uint8Array.of(first | value);
  const sizes = [1, 2, 4, 8];
  const at = sizes.findIndex((size) => value < 2 ** (8 * size));
  const size = sizes[at] ?? 8;
  const digits = Array.from({ length: size }, (_, index) => Math.floor(value / 2 ** (8 * (size - 1 - index))) & 0xff);
  return Uint8Array.of(first | (24 + at), ...digits);
}

/** Prefixes the length, seven bits per byte, lowest first. */
function sized(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const length: number[] = [];
  for (let rest = bytes.length; rest > 0; rest >>= 7) length.push((rest & 0x7f) | (rest > 0x7f ? 0x80 : 0));
  return joined([length, bytes]);
}

function joined(parts: readonly ArrayLike<number>[]): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

function base64url(value: object): string {
  const bytes = utf8(JSON.stringify(value));
  const text = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
  return text.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

function utf8(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(new TextEncoder().encode(text));
}
