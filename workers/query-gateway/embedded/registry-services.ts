/**
 * The embedded node's responses from the domain registry: `ixo.entity` and `ixo.iid`, with a domain as the chain's
 * Entity and IidDocument, in protobuf-es form.
 */
import type { JsonObject, JsonValue } from "../../../platform/json.ts";
import type { DomainEntity, EntityReads, EntitySource } from "../../../platform/ports.ts";
import { failure, success } from "../../../platform/result.ts";
import { GRPC } from "../upstream/upstream.ts";
import {
  atRevision,
  fromRegistry,
  heightOf,
  invalid,
  notFound,
  pageResponse,
  readPaging,
  textField,
  type Handler,
  type Handlers,
} from "./handler.ts";

interface RegistryOptions {
  readonly reads: EntityReads;
  /** The data that the profile's callers can read. */
  readonly isOpen: EntitySource["isPublic"];
  /** The default for domains without one. */
  readonly relayerNode: string;
  readonly entityParams: () => object;
}

export function registryHandlers({ reads, isOpen, relayerNode, entityParams }: RegistryOptions): Handlers {
  const entityOf = (domain: DomainEntity) => entityMessage(domain, relayerNode);

  function one(respond: (domain: DomainEntity) => object, what: string): Handler {
    return async (request) => {
      const id = textField(request, "id");
      if (id === "") return invalid(`${what} id is required`);
      const found = fromRegistry(await reads.entity(id));
      if (!found.ok) return found;
      const height = heightOf(found.value.revision);
      const { value } = found.value;
      if (value === undefined) return failure({ ...notFound(`${what} ${id} not found`).error, height });
      return success({ response: respond(value), height });
    };
  }

  function page(name: string, itemOf: (domain: DomainEntity) => object): Handler {
    return async (request) => {
      const paging = readPaging(request["pagination"]);
      if (!paging.ok) return paging;
      const read = fromRegistry(await reads.entities(paging.value));
      if (!read.ok) return read;
      const { entities, next, total } = read.value.value;
      const response = { [name]: entities.map(itemOf), pagination: pageResponse(next, total) };
      return success({ response, height: heightOf(read.value.revision) });
    };
  }

  const where = (isServed: boolean, handlers: Handlers[string]): Handlers[string] =>
    isServed ? handlers : Object.fromEntries(Object.keys(handlers).map((name) => [name, closed]));

  return {
    "ixo.entity.v1beta1.Query": where(isOpen.entities, {
      Params: atRevision(reads, () => success({ params: entityParams() })),
      Entity: one((domain) => ({ entity: entityOf(domain), iidDocument: iidDocumentMessage(domain) }), "entity"),
      EntityMetaData: one((domain) => ({ entity: entityOf(domain) }), "entity"),
      EntityIidDocument: one((domain) => ({ iidDocument: iidDocumentMessage(domain) }), "entity"),
      EntityVerified: one(({ isVerified }) => ({ entityVerified: isVerified }), "entity"),
      EntityList: page("entities", entityOf),
    }),
    "ixo.iid.v1beta1.Query": where(isOpen.documents, {
      IidDocument: one((domain) => ({ iidDocument: iidDocumentMessage(domain) }), "did document"),
      IidDocuments: page("iidDocuments", iidDocumentMessage),
    }),
  };
}

const closed: Handler = async () =>
  failure({
    kind: "status",
    code: GRPC.unauthenticated,
    message: "Reading this registry requires an API key: send it to /v1, /graphql or /1.0/identifiers",
  });

/** The registry's numbers; 2 is never sent, clients read it as "transferred". */
const statusCodes = { active: 0, suspended: 1, deactivated: 3 } as const;

/** `relayerNode` replaces a missing one. */
function entityMessage(domain: DomainEntity, relayerNode: string): object {
  const { id, type, validFrom, validUntil, status, credentials, isVerified, accounts } = domain;
  return {
    id,
    type,
    ...(validFrom !== null && { startDate: timestamp(validFrom) }),
    ...(validUntil !== null && { endDate: timestamp(validUntil) }),
    status: statusCodes[status],
    relayerNode: domain.relayerNode ?? relayerNode,
    credentials: [...credentials],
    entityVerified: isVerified,
    metadata: {
      versionId: domain.versionId,
      created: timestamp(domain.createdAt),
      updated: timestamp(domain.updatedAt),
    },
    accounts: accounts.map(({ name, address }) => ({ name, address })),
  };
}

function iidDocumentMessage(domain: DomainEntity): object {
  const items = new Map(Object.entries(domain.items));
  const texts = new Map(Object.entries(domain.texts));
  const list = (name: string) => (items.get(name) ?? []).map(textMembers);
  return {
    context: [{ key: "class", val: domain.class }],
    id: domain.id,
    controller: [...domain.controllers],
    verificationMethod: (items.get("verificationMethod") ?? []).map(verificationMethod),
    ...Object.fromEntries(relationships.map((name) => [name, [...(texts.get(name) ?? [])]])),
    ...Object.fromEntries(itemLists.map((name) => [name, list(name)])),
    alsoKnownAs: texts.get("alsoKnownAs")?.[0] ?? "",
    metadata: {
      versionId: domain.versionId,
      created: timestamp(domain.createdAt),
      updated: timestamp(domain.updatedAt),
      deactivated: domain.status === "deactivated",
    },
  };
}

const relationships = [
  "authentication",
  "assertionMethod",
  "keyAgreement",
  "capabilityInvocation",
  "capabilityDelegation",
] as const;
const itemLists = ["service", "linkedResource", "linkedClaim", "accordedRight", "linkedEntity"] as const;

/**
 * The registry's member and the chain's, which differ in the last letters. A key in a different form, such as a JWK, is omitted.
 */
const materials = [
  ["blockchainAccountId", "blockchainAccountID"],
  ["publicKeyHex", "publicKeyHex"],
  ["publicKeyMultibase", "publicKeyMultibase"],
  ["publicKeyBase58", "publicKeyBase58"],
] as const;

function verificationMethod(item: JsonObject): object {
  const material = materials.find(([name]) => typeof item[name] === "string");
  const { id, type, controller } = textMembers(item);
  return {
    id,
    type,
    controller,
    ...(material !== undefined && { verificationMaterial: { case: material[1], value: textOf(item[material[0]]) } }),
  };
}

/** The chain stores only texts. protobuf-es drops members without a field. */
function textMembers(item: JsonObject): Record<string, string> {
  return Object.fromEntries(Object.entries(item).map(([name, value]) => [name, textOf(value)]));
}

function textOf(value: JsonValue | undefined): string {
  if (value === undefined || value === null) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** The registry stores whole milliseconds. */
function timestamp(time: string): { seconds: bigint; nanos: number } {
  const milliseconds = Date.parse(time);
  const seconds = Math.floor(milliseconds / 1000);
  return { seconds: BigInt(seconds), nanos: (milliseconds - seconds * 1000) * 1_000_000 };
}
