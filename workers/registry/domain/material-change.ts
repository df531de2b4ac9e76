/**
 * Which changes of a domain touch what was verified (contract/registry.md section 5): class, controllers and relayer
 * node always, and what a deployment adds.
 */
import { documentLists, type DomainRecord } from "./domain.ts";
import { valueAt } from "./json-pointer.ts";
import { sameJson } from "./same-json.ts";

/** The names that REGISTRY_MATERIAL_FIELDS may hold besides JSON pointers into the metadata, such as `/location`. */
const namedMaterialFields: readonly string[] = ["validFrom", "validUntil", ...documentLists];

export function isMaterialField(text: string): boolean {
  return namedMaterialFields.includes(text) || /^(?:\/(?:[^/~]|~[01])*)+$/.test(text);
}

/** The material fields that differ, under the names that an audit shall read. */
export function materialChanges(
  before: DomainRecord,
  after: DomainRecord,
  added: readonly string[],
): readonly string[] {
  const asSet = (dids: readonly string[]) => dids.toSorted();
  const always = [
    ...(before.class === after.class ? [] : ["class"]),
    ...(sameJson(asSet(before.controllers), asSet(after.controllers)) ? [] : ["controllers"]),
    ...(before.relayerNode === after.relayerNode ? [] : ["relayerNode"]),
  ];
  const more = added.filter((field) => !sameJson(materialValue(before, field), materialValue(after, field)));
  return [...always, ...more.map((field) => (field.startsWith("/") ? `metadata${field}` : field))];
}

function materialValue(record: DomainRecord, field: string): unknown {
  if (field === "validFrom" || field === "validUntil") return record[field];
  const list = documentLists.find((name) => name === field);
  return list === undefined ? valueAt(record.metadata, field) : record.document[list];
}
