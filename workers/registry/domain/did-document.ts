/** The DID document of a domain (contract/registry.md section 1.2; W3C DID Core): its own, never merged with classes. */
import type { JsonObject, JsonValue } from "../../platform/json.ts";
import { absoluteId } from "./did.ts";
import { idOf } from "./document-items.ts";
import { itemLists, relationships, type DomainRecord } from "./domain.ts";

const CONTEXT = ["https://www.w3.org/ns/did/v1", "https://w3id.org/ixo/ns/did/v1"];

/** Relative ids become absolute; empty lists are left out. */
export function didDocumentOf({ id, class: protocol, controllers, document }: DomainRecord): JsonObject {
  const members: [string, JsonValue][] = [
    ["@context", [...CONTEXT, ...document.context]],
    ["id", id],
    ["controller", controllers],
    ["alsoKnownAs", document.alsoKnownAs],
    ["class", protocol],
    ["verificationMethod", document.verificationMethod.map(absolute)],
    ...relationships.map((name): [string, JsonValue] => [name, document[name].map((method) => absoluteId(id, method))]),
    ...itemLists
      .filter((name) => name !== "verificationMethod")
      .map((name): [string, JsonValue] => [name, document[name].map(absolute)]),
  ];
  return Object.fromEntries(members.filter(([, value]) => !Array.isArray(value) || value.length > 0));

  function absolute(item: JsonObject): JsonObject {
    return { ...item, id: absoluteId(id, idOf(item)) };
  }
}
