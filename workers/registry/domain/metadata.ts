/** The free part of a domain: its limits, its name, and the text by which full-text search finds the domain. */
import type { FailureDetail } from "../../../platform/failure.ts";
import { depthOf, isJsonObject, type JsonObject } from "../../../platform/json.ts";
import type { DomainRecord } from "./domain.ts";
import { escapeToken } from "./json-values.ts";
import { isStorable, STORABLE } from "./shape.ts";

/** Bytes of the metadata as compact UTF-8 JSON. */
const METADATA_BYTES = 64 * 1024;
/** Levels of objects and lists, including the outermost. Deeper JSON is an attack on a parser, not settings. */
const JSON_DEPTH = 16;
/** Characters of a member's name. */
const MEMBER_NAME_LENGTH = 256;
/** Characters of a name in lists and indexes. */
export const NAME_LENGTH = 256;

/** Pointers are relative to the metadata; each message starts with the name of the place. */
export function detailsOfMetadata(metadata: JsonObject): readonly FailureDetail[] {
  const details = detailsOfFreeJson(metadata);
  if (details.length > 0 || jsonBytes(metadata) <= METADATA_BYTES) return details;
  return [{ pointer: "", reason: "length", message: `may have at most ${METADATA_BYTES} bytes as UTF-8 JSON` }];
}

/** Depth first: levels beyond the limit are not walked. */
export function detailsOfFreeJson(value: JsonObject): readonly FailureDetail[] {
  if (depthOf(value) > JSON_DEPTH) {
    return [{ pointer: "", reason: "range", message: `may be at most ${JSON_DEPTH} levels deep` }];
  }
  return detailsWithin("", value);
}

function detailsWithin(pointer: string, value: unknown): FailureDetail[] {
  if (typeof value === "string" && !isStorable(value)) {
    return [{ pointer, reason: "format", message: STORABLE }];
  }
  if (typeof value === "number" && !Number.isFinite(value)) {
    return [{ pointer, reason: "range", message: "must be a number that a double can represent" }];
  }
  if (Array.isArray(value)) return value.flatMap((item, at) => detailsWithin(`${pointer}/${at}`, item));
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([name, inner]) => {
    const detail = detailOfName(pointer, name);
    return detail === undefined ? detailsWithin(`${pointer}/${escapeToken(name)}`, inner) : [detail];
  });
}

function detailOfName(pointer: string, name: string): FailureDetail | undefined {
  if (name === "__proto__") return { pointer, reason: "format", message: "may have no member named __proto__" };
  if (!isStorable(name)) {
    return {
      pointer,
      reason: "format",
      message: "must have names of well-formed Unicode without the character U+0000",
    };
  }
  if (Array.from(name).length <= MEMBER_NAME_LENGTH) return undefined;
  return { pointer, reason: "length", message: `must have names of at most ${MEMBER_NAME_LENGTH} characters` };
}

export function jsonBytes(value: unknown): number {
  return new TextEncoder().encode(JSON.stringify(value)).byteLength;
}

/** `metadata.name` if it is a non-empty text, cut at 256 characters. */
export function nameOf(metadata: JsonObject): string | null {
  const { name } = metadata;
  if (typeof name !== "string" || name === "") return null;
  return name.length <= NAME_LENGTH ? name : Array.from(name).slice(0, NAME_LENGTH).join("");
}

/** Levels of metadata that search covers: `metadata.a`, `metadata.a.b`, `metadata.a.b.c`. */
const SEARCHED_DEPTH = 3;

export interface SearchText {
  readonly name: string;
  readonly text: string;
}

export function searchTextOf({ id, type, name, metadata }: DomainRecord): SearchText {
  // The common prefix of all ids is not searchable (lists/domain-query.ts).
  const ownId = id.slice(id.lastIndexOf(":") + 1);
  return { name: name ?? "", text: [ownId, type, ...textsWithin(metadata, SEARCHED_DEPTH)].join("\n") };
}

function textsWithin(value: unknown, depth: number): string[] {
  if (typeof value === "string") return [value];
  if (depth === 0) return [];
  if (Array.isArray(value)) return value.flatMap((item) => textsWithin(item, depth - 1));
  return isJsonObject(value) ? Object.values(value).flatMap((inner) => textsWithin(inner, depth - 1)) : [];
}
