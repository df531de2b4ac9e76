/**
 * The schemas of a domain and its history, for the API's description. `representation.ts` and similar modules produce
 * the values.
 */
import * as z from "zod";
import {
  credentialStatuses,
  domainActions,
  domainStatuses,
  itemLists,
  relationships,
  serviceNames,
  verificationStatuses,
  markedMembers,
} from "./domain.ts";
import { inheritedLists } from "./composite.ts";
import { itemSchemas } from "./document-items.ts";
import { jsonObject } from "./members.ts";

export const time = z.string().meta({ format: "date-time" });
export const did = z.string().meta({ description: "A DID." });

const count = z.int().min(1);

export const serviceStateRecord = z
  .object({
    enabled: z.boolean(),
    enabledAt: time.nullable(),
    disabledAt: time.nullable(),
    disabledReason: z.string().nullable(),
  })
  .meta({ id: "ServiceState" });

const texts = z.array(z.string());

const documentRecord = z
  .object({
    alsoKnownAs: texts,
    context: texts,
    ...Object.fromEntries(itemLists.map((list) => [list, z.array(itemSchemas[list])])),
    ...Object.fromEntries(relationships.map((list) => [list, texts])),
  })
  .meta({ id: "DomainDocument" });

export const domainRecord = z
  .object({
    id: did,
    type: z.string(),
    class: z.string().meta({ description: "DID or DID URL of the protocol domain" }),
    protocol: z.string().meta({ description: "The same as class" }),
    name: z.string().nullable().meta({ description: "metadata.name" }),
    metadata: jsonObject,
    validFrom: time.nullable(),
    validUntil: time.nullable(),
    controllers: z.array(did),
    controller: z.array(did).meta({ description: "The same as controllers" }),
    owner: did,
    relayerNode: did.nullable(),
    externalId: z.string().nullable(),
    credentials: z.array(
      z.object({
        id: z.string(),
        type: z.string(),
        status: z.enum(credentialStatuses),
      }),
    ),
    accounts: z.array(z.object({ name: z.string(), address: z.string() })),
    document: documentRecord,
    status: z.enum(domainStatuses),
    suspendedBy: z
      .enum(["controller", "admin"])
      .nullable()
      .meta({ description: "Who suspended it; only an admin can lift an admin's suspension" }),
    verificationStatus: z.enum(verificationStatuses),
    entityVerified: z.boolean(),
    verifiedAt: time.nullable(),
    verifiedVersion: count
      .nullable()
      .meta({ description: "The version that the voters saw, as in `history/{version}`. Null unless verified" }),
    changedSinceVerification: z.array(z.enum(markedMembers)).meta({
      description:
        "Members that have changed since the voters saw them. Empty if none has, or if the domain is not verified",
    }),
    openProposalId: z.string().nullable(),
    services: z.object(Object.fromEntries(serviceNames.map((name) => [name, serviceStateRecord]))),
    version: count,
    versionId: z
      .string()
      .meta({ description: "SHA-256 of this object's RFC 8785 form without versionId, hexadecimal" }),
    createdAt: time,
    updatedAt: time,
  })
  .meta({ id: "Domain" });

export const historyEntryRecord = z
  .object({
    version: count,
    versionId: z.string(),
    at: time,
    actor: z.string().meta({ description: "A DID, or system" }),
    action: z.enum(domainActions),
    changes: z.array(z.object({ path: z.string(), from: z.unknown(), to: z.unknown() })),
    reason: z.string().nullable(),
    proposalId: z.string().nullable(),
  })
  .meta({ id: "HistoryEntry" });

export const historicVersionRecord = historyEntryRecord
  .extend({ record: domainRecord.meta({ description: "The domain at this version" }) })
  .meta({ id: "HistoricVersion" });

/** An item of the merged document: the domain's own, or an item of the class in `inheritedFrom`. */
const inherited = Object.fromEntries(
  inheritedLists.map((list) => {
    const item = itemSchemas[list].extend({
      inheritedFrom: did
        .optional()
        .meta({ description: "The class that the item comes from. Omitted for the domain's own items" }),
    });
    return [list, z.array(item)];
  }),
);

export const compositeRecord = domainRecord
  .extend({
    document: documentRecord
      .extend({ ...inherited, settings: z.record(z.string(), jsonObject) })
      .meta({ id: "CompositeDocument" }),
    inheritance: z.array(z.object({ did: z.string(), found: z.boolean(), version: count.nullable() })),
    truncated: z.boolean(),
    cycle: z.boolean(),
  })
  .meta({ id: "CompositeDomain" });
