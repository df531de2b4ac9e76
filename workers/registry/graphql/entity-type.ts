/**
 * The types Entity and Iid: a domain with its document, and the document alone. Where the platform's public
 * documentation and existing clients use different names, both exist.
 */
import {
  GraphQLBoolean,
  type GraphQLFieldConfig,
  GraphQLID,
  GraphQLInt,
  GraphQLInterfaceType,
  GraphQLList,
  GraphQLNonNull,
  type GraphQLNullableOutputType,
  GraphQLObjectType,
  GraphQLString,
} from "graphql";
import {
  type Account,
  type Credential,
  type DomainRecord,
  type DomainStatus,
  relationships,
} from "../domain/domain.ts";
import type { CompositeDocument } from "./domain-loads.ts";
import { counted, type CountedField, type GraphqlContext } from "./request-context.ts";
import { datetimeType, jsonType, nodeIdOf } from "./scalars.ts";

type DomainField = CountedField<DomainRecord>;
type DomainFields = Record<string, GraphQLFieldConfig<DomainRecord, GraphqlContext>>;

export const nodeType = new GraphQLInterfaceType({
  name: "Node",
  description: "An object with an id that is unique in the whole graph.",
  fields: { nodeId: { type: new GraphQLNonNull(GraphQLID) } },
});

const required = (type: GraphQLNullableOutputType) => new GraphQLNonNull(type);
const listOf = (type: GraphQLNullableOutputType) => required(new GraphQLList(required(type)));

const text = (resolve: (domain: DomainRecord) => string): DomainField => ({ type: required(GraphQLString), resolve });
const optionalText = (resolve: (domain: DomainRecord) => string | null): DomainField => ({
  type: GraphQLString,
  resolve,
});
const time = (resolve: (domain: DomainRecord) => string): DomainField => ({ type: required(datetimeType), resolve });
const optionalTime = (resolve: (domain: DomainRecord) => string | null): DomainField => ({
  type: datetimeType,
  resolve,
});
const json = (resolve: (domain: DomainRecord) => unknown): DomainField => ({ type: required(jsonType), resolve });
const texts = (resolve: (domain: DomainRecord) => readonly string[]): DomainField => ({
  type: listOf(GraphQLString),
  resolve,
});
/** A member of the domain merged with its classes. */
const composite = (member: (document: CompositeDocument) => unknown): DomainField => ({
  type: required(jsonType),
  resolve: async (domain, _arguments, { loads }) => member(await loads.composite(domain)),
});

/** Clients of the chain know these numbers. They read 2 as "transferred", which is never sent. */
const statusCodes: Readonly<Record<DomainStatus, number>> = { active: 0, suspended: 1, deactivated: 3 };

function recordMetadataOf({ versionId, createdAt, updatedAt, status }: DomainRecord) {
  return { versionId, created: createdAt, updated: updatedAt, deactivated: status === "deactivated" };
}

const accountType = new GraphQLObjectType<Account, GraphqlContext>({
  name: "EntityAccount",
  fields: counted<Account>({
    name: { type: required(GraphQLString), resolve: ({ name }) => name },
    address: { type: required(GraphQLString), resolve: ({ address }) => address },
  }),
});

const credentialType = new GraphQLObjectType<Credential, GraphqlContext>({
  name: "EntityCredential",
  fields: counted<Credential>({
    id: { type: required(GraphQLString), resolve: ({ id }) => id },
    type: { type: required(GraphQLString), resolve: ({ type }) => type },
    status: { type: required(GraphQLString), resolve: ({ status }) => status },
  }),
});

/** Fields that both types share: the domain's own document. */
const documentFields: Readonly<Record<string, DomainField>> = {
  context: json((domain) => [
    { key: "class", val: domain.class },
    ...domain.document.context.map((val) => ({ key: "context", val })),
  ]),
  controller: texts(({ controllers }) => controllers),
  verificationMethod: json(({ document }) => document.verificationMethod),
  linkedClaim: json(({ document }) => document.linkedClaim),
  linkedEntity: json(({ document }) => document.linkedEntity),
  accordedRight: json(({ document }) => document.accordedRight),
  ...Object.fromEntries(relationships.map((name) => [name, texts(({ document }) => document[name])])),
  alsoKnownAs: text(({ document: { alsoKnownAs } }) => alsoKnownAs[0] ?? ""),
  alsoKnownAsList: texts(({ document }) => document.alsoKnownAs),
};

export const entityType: GraphQLObjectType<DomainRecord, GraphqlContext> = new GraphQLObjectType({
  name: "Entity",
  description: "A domain: the digital twin of a real-world entity.",
  interfaces: [nodeType],
  fields: (): DomainFields => ({
    ...counted<DomainRecord>({
      nodeId: { type: required(GraphQLID), resolve: ({ id }) => nodeIdOf("entities", id) },
      id: text(({ id }) => id),
      type: text(({ type }) => type),
      name: optionalText(({ name }) => name),
      status: text(({ status }) => status),
      statusCode: { type: required(GraphQLInt), resolve: ({ status }) => statusCodes[status] },
      verificationStatus: text(({ verificationStatus }) => verificationStatus),
      entityVerified: {
        type: required(GraphQLBoolean),
        resolve: ({ verificationStatus }) => verificationStatus === "Verified",
      },
      relayerNode: text(({ relayerNode }) => relayerNode ?? ""),
      owner: text(({ owner }) => owner),
      externalId: optionalText(({ externalId }) => externalId),
      startDate: optionalTime(({ validFrom }) => validFrom),
      endDate: optionalTime(({ validUntil }) => validUntil),
      validFrom: optionalTime(({ validFrom }) => validFrom),
      validUntil: optionalTime(({ validUntil }) => validUntil),
      metadata: json(({ metadata }) => metadata),
      recordMetadata: json(recordMetadataOf),
      class: text((domain) => domain.class),
      version: { type: required(GraphQLInt), resolve: ({ version }) => version },
      createdAt: time(({ createdAt }) => createdAt),
      updatedAt: time(({ updatedAt }) => updatedAt),
      verifiedAt: optionalTime(({ verifiedAt }) => verifiedAt),
      verifiedVersion: { type: GraphQLInt, resolve: ({ verifiedVersion }) => verifiedVersion },
      changedSinceVerification: texts(({ changedSinceVerification }) => changedSinceVerification),
      openProposalId: optionalText(({ openProposalId }) => openProposalId),
      accountsJson: json(({ accounts }) => accounts),
      credentialIds: texts(({ credentials }) => credentials.map(({ id }) => id)),
      ...documentFields,
      service: composite(({ service }) => service),
      linkedResource: composite(({ linkedResource }) => linkedResource),
      settings: composite(({ settings }) => settings),
    }),
    // Charged where their own members are resolved.
    accounts: { type: listOf(accountType), resolve: ({ accounts }) => accounts },
    credentials: { type: listOf(credentialType), resolve: ({ credentials }) => credentials },
    iidById: { type: iidType, resolve: (domain) => domain },
  }),
});

export const iidType: GraphQLObjectType<DomainRecord, GraphqlContext> = new GraphQLObjectType({
  name: "Iid",
  description: "The domain's own document, never merged with the documents of its classes.",
  interfaces: [nodeType],
  fields: (): DomainFields => ({
    ...counted<DomainRecord>({
      nodeId: { type: required(GraphQLID), resolve: ({ id }) => nodeIdOf("iids", id) },
      id: text(({ id }) => id),
      ...documentFields,
      service: json(({ document }) => document.service),
      linkedResource: json(({ document }) => document.linkedResource),
      metadata: json(recordMetadataOf),
    }),
    entityById: { type: entityType, resolve: (domain) => domain },
  }),
});
