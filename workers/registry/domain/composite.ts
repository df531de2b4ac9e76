/**
 * A domain merged with the content inherited along its chain of classes. It inherits services and linked items, but no
 * rights: no controllers, no keys, no verification.
 */
import type { JsonObject } from "../../../platform/json.ts";
import { didOf } from "../did.ts";
import type { DomainRecord, ItemList } from "./domain.ts";

/** Maximum number of classes above a domain; a longer chain is cut. */
export const ANCESTORS = 20;

/** The lists that a domain inherits from its classes. */
export const inheritedLists = [
  "service",
  "linkedResource",
  "linkedClaim",
  "linkedEntity",
  "accordedRight",
] as const satisfies readonly ItemList[];

export interface Ancestor {
  readonly did: string;
  readonly found: boolean;
  readonly version: number | null;
}

export interface ClassChain {
  /** The domains found, nearest first. */
  readonly domains: readonly DomainRecord[];
  readonly inheritance: readonly Ancestor[];
  readonly truncated: boolean;
  readonly cycle: boolean;
}

/** Follows the domain's class upwards through the domains in `stored`. A DID URL refers to the domain of its DID. */
export function classChain(domain: DomainRecord, stored: ReadonlyMap<string, DomainRecord>): ClassChain {
  const domains: DomainRecord[] = [];
  const inheritance: Ancestor[] = [];
  const seen = new Set([domain.id]);
  let { class: named } = domain;
  for (; !seen.has(didOf(named));) {
    const next = didOf(named);
    const ancestor = stored.get(next);
    if (ancestor !== undefined && domains.length === ANCESTORS) {
      return { domains, inheritance, truncated: true, cycle: false };
    }
    inheritance.push({
      did: ancestor === undefined ? named : next,
      found: ancestor !== undefined,
      version: ancestor?.version ?? null,
    });
    if (ancestor === undefined) return { domains, inheritance, truncated: false, cycle: false };
    domains.push(ancestor);
    seen.add(next);
    named = ancestor.class;
  }
  return { domains, inheritance, truncated: false, cycle: true };
}

/** The document with all inherited items, and the settings separately. */
export function compositeDocument(domain: DomainRecord, ancestors: readonly DomainRecord[]) {
  const lists = inheritedLists.map((list): [string, readonly JsonObject[]] => [
    list,
    mergedList(list, domain, ancestors),
  ]);
  const merged: Readonly<Record<string, readonly JsonObject[]>> = Object.fromEntries(lists);
  const linked = merged["linkedResource"] ?? [];
  const settings = linked.filter(isSettings);
  return {
    ...domain.document,
    ...merged,
    linkedResource: linked.filter((resource) => !isSettings(resource)),
    // Later entries win, and the nearest domain comes first.
    settings: Object.fromEntries(settings.toReversed().map((resource) => [textOf(resource["description"]), resource])),
  };
}

/** The nearest item with a key wins as a whole. Items without an id have no key and are all kept. */
function mergedList(list: ItemList, domain: DomainRecord, ancestors: readonly DomainRecord[]): readonly JsonObject[] {
  const all = [
    ...domain.document[list],
    ...ancestors.flatMap((from) =>
      from.document[list].map((item): JsonObject => ({ ...item, inheritedFrom: from.id })),
    ),
  ];
  const taken = new Set<string>();
  return all.filter((item) => {
    const key = keyOf(item);
    if (key === "") return true;
    if (taken.has(key)) return false;
    taken.add(key);
    return true;
  });
}

/** The fragment of the id, or the whole id if it has no fragment. */
function keyOf({ id }: JsonObject): string {
  const text = textOf(id);
  const hash = text.indexOf("#");
  return hash === -1 ? text : text.slice(hash + 1);
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function isSettings(resource: JsonObject): boolean {
  return resource["type"] === "Settings";
}
