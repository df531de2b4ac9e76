/** A domain as other surfaces get the whole of it (workers/platform/ports.ts): what is its own, ids absolute. */
import type { DomainEntity } from "../../platform/ports.ts";
import { absoluteId } from "./domain-id.ts";
import { idOf } from "./document-items.ts";
import { itemLists, relationships, type DomainRecord } from "./domain.ts";

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
