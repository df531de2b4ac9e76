/**
 * Finds claims of a package that contradict its domain (docs/decisions/005-registry.md, "What a verification covers").
 * If a package repeats a member of the domain, the values must be equal; it cannot claim a member that the domain
 * lacks. Members that the registry does not know belong to the package.
 */
import type { FailureDetail } from "../../../platform/failure.ts";
import { isJsonObject, type JsonObject } from "../../../platform/json.ts";
import { absoluteId } from "../domain/domain-id.ts";
import { type DomainRecord, itemLists, relationships } from "../domain/domain.ts";
import { escapeToken, sameJson } from "../domain/json-values.ts";
import { typeKeyOf } from "../domain/known-types.ts";
import { parseTime } from "../domain/time.ts";

/** Maximum number listed in a response. */
const MISMATCHES = 50;

/** `sent` is the package as received, including members outside its schema. */
export function mismatches(sent: JsonObject, domain: DomainRecord): readonly FailureDetail[] {
  const document = sent["entityDocument"];
  const details = [
    ...mismatchesOf("/package", sent, domain),
    ...(isJsonObject(document) ? mismatchesOf("/package/entityDocument", document, domain) : []),
  ];
  return details.slice(0, MISMATCHES);
}

/** Compares the value at `pointer`; returns nothing if it agrees. */
type Comparison = (pointer: string, said: unknown) => readonly FailureDetail[];

function mismatchesOf(place: string, said: JsonObject, domain: DomainRecord): readonly FailureDetail[] {
  return Object.entries(comparisonsWith(domain)).flatMap(([name, compare]) => {
    const value = said[name];
    return value === undefined || value === null ? [] : compare(`${place}/${escapeToken(name)}`, value);
  });
}

function comparisonsWith(domain: DomainRecord): Readonly<Record<string, Comparison>> {
  const classes = equal(domain.class);
  const types: Comparison = (pointer, said) =>
    typeof said === "string" && typeKeyOf(said.trim()) === typeKeyOf(domain.type) ? [] : [mismatch(pointer)];
  const contexts = contextsWith(classes);
  const lists = documentComparisons(domain);
  const document: Comparison = (pointer, said) =>
    isJsonObject(said)
      ? Object.entries(lists).flatMap(([name, compare]) => {
          const value = said[name];
          return value === undefined || value === null ? [] : compare(`${pointer}/${name}`, value);
        })
      : [mismatch(pointer)];
  const isVerified = domain.verificationStatus === "Verified";
  return {
    id: equal(domain.id),
    "@id": equal(domain.id),
    type: types,
    "@type": types,
    class: classes,
    protocol: classes,
    "@context": contexts,
    context: contexts,
    name: equal(domain.name),
    owner: equal(domain.owner),
    relayerNode: equal(domain.relayerNode),
    controllers: sameSet(domain.controllers),
    controller: sameSet(domain.controllers),
    externalId: equal(domain.externalId),
    status: sameWord(domain.status),
    verificationStatus: sameWord(domain.verificationStatus),
    entityVerified: (pointer, said) => (said === isVerified ? [] : [mismatch(pointer)]),
    verifiedAt: sameTime(domain.verifiedAt),
    validFrom: sameTime(domain.validFrom),
    startDate: sameTime(domain.validFrom),
    validUntil: sameTime(domain.validUntil),
    endDate: sameTime(domain.validUntil),
    metadata: sameMembers(domain.metadata),
    services: sameMembers(domain.services),
    credentials: oneOf(domain.credentials, domain.id),
    accounts: oneOf(domain.accounts, domain.id),
    document,
    ...lists,
  };
}

function documentComparisons({ id, document }: DomainRecord): Readonly<Record<string, Comparison>> {
  const names = [...itemLists, ...relationships, "alsoKnownAs"] as const;
  return Object.fromEntries(names.map((name) => [name, oneOf(document[name], id)]));
}

function equal(known: string | null): Comparison {
  return (pointer, said) => (typeof said === "string" && said.trim() === known ? [] : [mismatch(pointer)]);
}

/** `Active` and `active` are equal. */
function sameWord(known: string): Comparison {
  return (pointer, said) =>
    typeof said === "string" && said.trim().toLowerCase() === known.toLowerCase() ? [] : [mismatch(pointer)];
}

function sameTime(known: string | null): Comparison {
  const instant = known === null ? undefined : parseTime(known)?.milliseconds;
  return (pointer, said) => {
    const claimed = typeof said === "string" ? parseTime(said.trim())?.milliseconds : undefined;
    return claimed !== undefined && claimed === instant ? [] : [mismatch(pointer)];
  };
}

/** One DID is read as a list of one. */
function sameSet(known: readonly string[]): Comparison {
  return (pointer, said) => {
    const named = new Set<unknown>(Array.isArray(said) ? said : [said]);
    return named.size === new Set(known).size && known.every((each) => named.has(each)) ? [] : [mismatch(pointer)];
  };
}

/**
 * A class in an object, in a list of objects as in JSON-LD, or as an entry `{key: "class", val}` of the chain's form.
 */
function contextsWith(classes: Comparison): Comparison {
  const compare: Comparison = (pointer, said) => {
    if (Array.isArray(said)) return said.flatMap((each, at) => compare(`${pointer}/${at}`, each));
    if (!isJsonObject(said)) return [];
    const named = ["class", "protocol"].filter((name) => said[name] !== undefined && said[name] !== null);
    const isEntry = said["key"] === "class" && said["val"] !== undefined;
    return [...named, ...(isEntry ? ["val"] : [])].flatMap((name) => classes(`${pointer}/${name}`, said[name]));
  };
  return compare;
}

/** All or some members of the known object, compared member by member. `null` claims nothing. */
function sameMembers(known: object): Comparison {
  const members = new Map<string, unknown>(Object.entries(known));
  return (pointer, said) => {
    if (!isJsonObject(said)) return [mismatch(pointer)];
    return Object.entries(said).flatMap(([name, value]) => {
      const other = members.get(name);
      if (value === null || sameJson(value, other)) return [];
      const place = `${pointer}/${escapeToken(name)}`;
      return isJsonObject(value) && isJsonObject(other) ? sameMembers(other)(place, value) : [mismatch(place)];
    });
  };
}

/** Each item equals one of the domain's items, in whole or in part. A text refers to the item with that id. */
function oneOf(known: readonly unknown[], domain: string): Comparison {
  const absolute = (id: unknown): unknown =>
    typeof id === "string" ? absoluteId(domain, id.replaceAll("{id}", domain)) : id;
  const isSame = (said: unknown, other: unknown): boolean => {
    if (typeof said === "string") return absolute(said) === absolute(isJsonObject(other) ? other["id"] : other);
    if (!isJsonObject(said) || !isJsonObject(other)) return false;
    return Object.entries(said).every(([name, value]) => {
      if (!Object.hasOwn(other, name)) return value === null;
      return name === "id" ? absolute(value) === absolute(other[name]) : sameJson(value, other[name]);
    });
  };
  return (pointer, said) => {
    const items: readonly unknown[] = Array.isArray(said) ? said : [said];
    return items.flatMap((item, at) =>
      known.some((other) => isSame(item, other)) ? [] : [mismatch(Array.isArray(said) ? `${pointer}/${at}` : pointer)],
    );
  };
}

function mismatch(pointer: string): FailureDetail {
  return { reason: "package_mismatch", message: `${pointer.slice(1, 101)} does not match the domain`, pointer };
}
