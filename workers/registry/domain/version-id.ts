/**
 * What names a version of a record by its content: SHA-256 over the canonical JSON (RFC 8785) of the record as clients
 * read it, without versionId itself. Whoever holds an answer can therefore check it.
 */
import canonicalize from "canonicalize";
import { sha256Hex } from "../../platform/digest.ts";
import type { DomainRecord } from "./domain.ts";
import { representationOf } from "./representation.ts";

/** 64 lower-case hexadecimal characters. */
export async function versionIdOf(record: Omit<DomainRecord, "versionId">): Promise<string> {
  const { versionId: _, ...shown } = representationOf({ ...record, versionId: "" });
  return digestOf(shown);
}

/** SHA-256 of a JSON value's canonical form, lower-case hexadecimal. Texts in it must be well-formed Unicode. */
export async function digestOf(value: unknown): Promise<string> {
  const text = canonicalize(value);
  if (text === undefined) throw new Error("only JSON has a canonical form");
  return sha256Hex(text);
}
