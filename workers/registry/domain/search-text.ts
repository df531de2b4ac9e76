/**
 * What full-text search finds a domain by: its name above all, then its id, type and the texts of its metadata, the
 * description among them (contract/registry.md section 4.2, `q`).
 */
import { isJsonObject } from "../../platform/json.ts";
import type { DomainRecord } from "./domain.ts";

/** Levels of metadata whose texts are found: `metadata.a`, `metadata.a.b`, `metadata.a.b.c`. */
const SEARCHED_DEPTH = 3;

export interface SearchText {
  readonly name: string;
  readonly text: string;
}

export function searchTextOf({ id, type, name, metadata }: DomainRecord): SearchText {
  return { name: name ?? "", text: [id, type, ...textsWithin(metadata, SEARCHED_DEPTH)].join("\n") };
}

function textsWithin(value: unknown, depth: number): string[] {
  if (typeof value === "string") return [value];
  if (depth === 0) return [];
  if (Array.isArray(value)) return value.flatMap((item) => textsWithin(item, depth - 1));
  return isJsonObject(value) ? Object.values(value).flatMap((inner) => textsWithin(inner, depth - 1)) : [];
}
