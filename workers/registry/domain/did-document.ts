/** A domain as a DID document, and as the complete entity that other surfaces read. */
import type { JsonObject, JsonValue } from "../../../platform/json.ts";
import type { DomainEntity } from "../../../platform/ports.ts";
import { CARD_FRAGMENT } from "./card.ts";
import { idOf } from "./document-items.ts";
import { absoluteId } from "./domain-id.ts";
import { type DomainRecord, itemLists, relationships } from "./domain.ts";

const CONTEXT = ["https://www.w3.org/ns/did/v1", "https://w3id.org/ixo/ns/did/v1"];

/**
 * Makes relative ids absolute and omits empty lists. `cardAddress` is the address of the domain's card. It is listed as
 * a service unless an item of the domain has its id.
 */
export function didDocumentOf(
  { id, class: protocol, controllers, document }: DomainRecord,
  cardAddress?: string,
): JsonObject {
  const cardId = id + CARD_FRAGMENT;
  const isTaken = itemLists.some((name) => document[name].some((item) => absoluteId(id, idOf(item)) === cardId));
  const cards =
    cardAddress === undefined || isTaken ? [] : [{ id: cardId, type: "DomainCard", serviceEndpoint: cardAddress }];
  const ownItems = (name: (typeof itemLists)[number]): readonly JsonObject[] => document[name].map(absolute);
  const members: [string, JsonValue][] = [
    ["@context", [...CONTEXT, ...document.context]],
    ["id", id],
    ["controller", controllers],
    ["alsoKnownAs", document.alsoKnownAs],
    ["class", protocol],
    ["verificationMethod", ownItems("verificationMethod")],
    ...relationships.map((name): [string, JsonValue] => [name, document[name].map((method) => absoluteId(id, method))]),
    ...itemLists
      .filter((name) => name !== "verificationMethod")
      .map((name): [string, JsonValue] => [name, name === "service" ? [...ownItems(name), ...cards] : ownItems(name)]),
  ];
  return Object.fromEntries(members.filter(([, value]) => !Array.isArray(value) || value.length > 0));

  function absolute(item: JsonObject): JsonObject {
    return { ...item, id: absoluteId(id, idOf(item)) };
  }
}

export function entityOf(record: DomainRecord): DomainEntity {
  const { id, type, status, validFrom, validUntil, controllers, relayerNode, accounts, document } = record;
  return {
    id,
    type,
    class: record.class,
    status,
    isVerified: record.verificationStatus === "Verified",
    validFrom,
    validUntil,
    controllers,
    relayerNode,
    credentials: record.credentials.map((credential) => credential.id),
    accounts: accounts.map(({ name, address }) => ({ name, address })),
    items: Object.fromEntries(
      itemLists.map((name) => [name, document[name].map((item) => ({ ...item, id: absoluteId(id, idOf(item)) }))]),
    ),
    texts: {
      ...Object.fromEntries(relationships.map((name) => [name, document[name].map((each) => absoluteId(id, each))])),
      alsoKnownAs: document.alsoKnownAs,
    },
    versionId: record.versionId,
    createdAt: record.createdAt,
    updatedAt: record.updatedAt,
  };
}
