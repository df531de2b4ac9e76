/**
 * Ed25519 keys from the verification methods of a DID document, in all the spellings that the interchain registry and
 * its predecessors use. Methods of other kinds are ignored.
 */
import { DID } from "@ucanto/core";
import { Verifier } from "@ucanto/principal/ed25519";
import { base16 } from "multiformats/bases/base16";
import { base58btc } from "multiformats/bases/base58";
import { base64url } from "multiformats/bases/base64";
import * as z from "zod";
import { isJsonObject, type JsonObject } from "../json.ts";

/** A document with more methods does not belong to a person or an oracle, and each one costs a signature check. */
const MAX_METHODS = 32;

const methodSchema = z.object({
  id: z.string().default(""),
  type: z.string().default(""),
  publicKeyMultibase: z.string().optional(),
  publicKeyHex: z.string().optional(),
  publicKeyBase58: z.string().optional(),
  publicKeyJwk: z
    .object({ crv: z.literal("Ed25519"), x: z.string() })
    .optional()
    .catch(undefined),
});
type Method = z.output<typeof methodSchema>;

const RELATIONSHIPS = [
  "authentication",
  "assertionMethod",
  "keyAgreement",
  "capabilityInvocation",
  "capabilityDelegation",
];

/**
 * The keys with which the subject of a DID document signs in: those that `authentication` names. In a document without
 * any verification relationship every method counts.
 */
export function signInKeysOf(document: JsonObject): readonly Uint8Array<ArrayBuffer>[] {
  const { verificationMethod: methods, authentication } = document;
  const saysWhatFor = RELATIONSHIPS.some((name) => Array.isArray(document[name]) && document[name].length > 0);
  if (!saysWhatFor || !Array.isArray(methods)) return ed25519KeysOf(methods);
  const named = new Set(Array.isArray(authentication) ? authentication : []);
  return ed25519KeysOf(methods.filter((method) => isJsonObject(method) && named.has(method["id"] ?? null)));
}

/** Raw 32-byte public keys in the document's order; unreadable methods are omitted. */
export function ed25519KeysOf(verificationMethods: unknown): readonly Uint8Array<ArrayBuffer>[] {
  if (!Array.isArray(verificationMethods)) return [];
  return verificationMethods.slice(0, MAX_METHODS).flatMap((entry: unknown) => {
    const method = methodSchema.safeParse(entry);
    return method.success && maySign(method.data) ? (keyOf(method.data) ?? []) : [];
  });
}

function maySign({ id, type }: Method): boolean {
  return type.includes("Ed25519") || type === "JsonWebKey2020" || id.includes("signing");
}

function keyOf(method: Method): Uint8Array<ArrayBuffer> | undefined {
  const { publicKeyMultibase, publicKeyHex, publicKeyBase58, publicKeyJwk } = method;
  try {
    if (publicKeyMultibase !== undefined) return multibaseKey(publicKeyMultibase);
    if (publicKeyHex !== undefined) return rawKey(base16.baseDecode(publicKeyHex.toLowerCase()));
    if (publicKeyBase58 !== undefined) return rawKey(base58btc.baseDecode(publicKeyBase58));
    return publicKeyJwk === undefined ? undefined : rawKey(base64url.baseDecode(publicKeyJwk.x));
  } catch {
    return undefined;
  }
}

/** With the multicodec of Ed25519 in newer documents, without it in older ones. */
function multibaseKey(text: string): Uint8Array<ArrayBuffer> | undefined {
  return publicKeyOf(`did:key:${text}`) ?? (text.startsWith("z") ? rawKey(base58btc.decode(text)) : undefined);
}

function rawKey(bytes: Uint8Array): Uint8Array<ArrayBuffer> | undefined {
  return bytes.length === ED25519_KEY_BYTES ? Uint8Array.from(bytes) : undefined;
}

export const ED25519_KEY_BYTES = 32;
const MULTICODEC = Uint8Array.of(0xed, 0x01);

/** The raw public key, or undefined if the DID is not a did:key of Ed25519. */
export function publicKeyOf(did: string): Uint8Array<ArrayBuffer> | undefined {
  if (!did.startsWith("did:key:z")) return undefined;
  try {
    const tagged = DID.parse(did);
    Verifier.decode(tagged); // throws on another algorithm or length
    return Uint8Array.from(tagged.subarray(MULTICODEC.length));
  } catch {
    return undefined;
  }
}
