/**
 * The content of a domain, which is its statements about itself and the subject of a vote to verify it, and the digests
 * that identify a version and each member of the content (docs/decisions/005-registry.md, "What a verification
 * covers").
 */
import canonicalize from "canonicalize";
import { sha256Hex } from "../../../platform/digest.ts";
import { type DomainRecord, markedMembers, type ContentDigests } from "./domain.ts";
import { sameJson } from "./json-values.ts";
import { representationOf } from "./representation.ts";

const contentMembers = ["type", "class", "controllers", "relayerNode", ...markedMembers] as const;

/** The members that differ, in a fixed order. The order of controllers is ignored. */
export function changedContent(before: DomainRecord, after: DomainRecord): readonly string[] {
  return contentMembers.filter((name) => !sameJson(contentOf(before)[name], contentOf(after)[name]));
}

export async function contentDigestsOf(record: DomainRecord): Promise<ContentDigests> {
  const digests = await Promise.all(markedMembers.map(async (name) => [name, await digestOf(record[name])] as const));
  return Object.fromEntries(digests) as unknown as ContentDigests;
}

/** One digest of everything that is under vote. Downstream services are part of it, all switched off. */
export async function contentHashOf(record: DomainRecord): Promise<string> {
  return digestOf({ ...contentOf(record), services: record.services });
}

/**
 * The members that differ from the verified content. Without stored digests (a domain verified by an older release), a
 * changed member stays marked.
 */
export async function changedSince(
  verified: ContentDigests | null,
  record: DomainRecord,
  { marked, changed }: { readonly marked: readonly string[]; readonly changed: readonly string[] },
): Promise<readonly string[]> {
  if (verified === null) return markedMembers.filter((name) => marked.includes(name) || changed.includes(name));
  const now = await contentDigestsOf(record);
  return markedMembers.filter((name) => now[name] !== verified[name]);
}

function contentOf(record: DomainRecord) {
  const { type, controllers, relayerNode, metadata, document, credentials, accounts } = record;
  return {
    type,
    class: record.class,
    controllers: controllers.toSorted(),
    relayerNode,
    metadata,
    document,
    credentials,
    accounts,
    externalId: record.externalId,
    validFrom: record.validFrom,
    validUntil: record.validUntil,
  };
}

/** 64 lower-case hexadecimal characters. */
export async function versionIdOf(record: Omit<DomainRecord, "versionId">): Promise<string> {
  const { versionId: _, ...shown } = representationOf({ ...record, versionId: "" });
  return digestOf(shown);
}

/** SHA-256 of a JSON value's canonical form, in lower-case hexadecimal. Texts in it must be well-formed Unicode. */
export async function digestOf(value: unknown): Promise<string> {
  const text = canonicalize(value);
  if (text === undefined) throw new Error("only JSON has a canonical form");
  return sha256Hex(text);
}
