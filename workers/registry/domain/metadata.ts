/**
 * The settings of a domain: free JSON within bounds (contract/registry.md section 1.1). What cannot be kept and hashed
 * exactly is refused: numbers beyond a double, texts that are no Unicode, members named `__proto__`.
 */
import { depthOf, isJsonObject, type JsonObject } from "../../platform/json.ts";
import type { Flaw } from "../problem.ts";
import { escapeToken } from "./json-pointer.ts";

/** Bytes of the metadata as compact UTF-8 JSON. */
const METADATA_BYTES = 64 * 1024;
/** Levels of objects and lists, the outermost counted: more is no settings but an attack on a parser. */
const JSON_DEPTH = 16;
/** Characters of a member's name. */
const MEMBER_NAME_LENGTH = 256;
/** Characters of a name that lists and indexes show. */
export const NAME_LENGTH = 256;

/** Pointers are relative to the metadata; a detail goes on from the name of the place. */
export function flawsOfMetadata(metadata: JsonObject): readonly Flaw[] {
  const flaws = flawsOfFreeJson(metadata);
  if (flaws.length > 0 || jsonBytes(metadata) <= METADATA_BYTES) return flaws;
  return [{ pointer: "", code: "length", detail: `may have at most ${METADATA_BYTES} bytes as UTF-8 JSON` }];
}

/** Depth first: what is too deep is not walked. */
export function flawsOfFreeJson(value: JsonObject): readonly Flaw[] {
  if (depthOf(value) > JSON_DEPTH) {
    return [{ pointer: "", code: "range", detail: `may be at most ${JSON_DEPTH} levels deep` }];
  }
  return flawsWithin("", value);
}

function flawsWithin(pointer: string, value: unknown): Flaw[] {
  if (typeof value === "string" && !value.isWellFormed()) {
    return [{ pointer, code: "format", detail: "must be well-formed Unicode" }];
  }
  if (typeof value === "number" && !Number.isFinite(value)) {
    return [{ pointer, code: "range", detail: "must be a number that a double can hold" }];
  }
  if (Array.isArray(value)) return value.flatMap((item, at) => flawsWithin(`${pointer}/${at}`, item));
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([name, inner]) => {
    const flaw = flawOfName(pointer, name);
    return flaw === undefined ? flawsWithin(`${pointer}/${escapeToken(name)}`, inner) : [flaw];
  });
}

function flawOfName(pointer: string, name: string): Flaw | undefined {
  if (name === "__proto__") return { pointer, code: "format", detail: "may have no member named __proto__" };
  if (!name.isWellFormed()) return { pointer, code: "format", detail: "must have names of well-formed Unicode" };
  if (Array.from(name).length <= MEMBER_NAME_LENGTH) return undefined;
  return { pointer, code: "length", detail: `must have names of at most ${MEMBER_NAME_LENGTH} characters` };
}

export function jsonBytes(value: unknown): number {
  return new TextEncoder().encode(JSON.stringify(value)).byteLength;
}

/** `metadata.name` when it is a non-empty text, cut at 256 characters. */
export function nameOf(metadata: JsonObject): string | null {
  const { name } = metadata;
  if (typeof name !== "string" || name === "") return null;
  return name.length <= NAME_LENGTH ? name : Array.from(name).slice(0, NAME_LENGTH).join("");
}
