/**
 * Sample data: claims, tokens and parameters for the embedded node, which the domain registry does not contain. It is
 * protobuf JSON, read with the descriptors of its messages. The built-in sample is invented, so only development uses
 * it by default.
 */
import { fromJson, type DescMessage, type Registry, type JsonValue, type Message } from "@bufbuild/protobuf";
import type { JsonObject } from "../../../platform/json.ts";
import type { Fields } from "./handler.ts";

/** Maps a member to the message in it, or to a list of messages. */
const members = {
  entityParams: "ixo.entity.v1beta1.Params",
  tokenParams: "ixo.token.v1beta1.Params",
  claimsParams: "ixo.claims.v1beta1.Params",
  collections: "ixo.claims.v1beta1.Collection",
  claims: "ixo.claims.v1beta1.Claim",
  disputes: "ixo.claims.v1beta1.Dispute",
  intents: "ixo.claims.v1beta1.Intent",
  tokens: "ixo.token.v1beta1.Token",
} as const;
export type Member = keyof typeof members;

export type SeedMessage = Message & Fields;

export interface SeedMessages {
  /** Read at first use. Empty if the set lacks the type of the member. */
  readonly of: (member: Member) => readonly SeedMessage[];
  /** The metadata by id, which is not part of the message. */
  readonly tokenMetadata: () => ReadonlyMap<string, SeedMessage>;
}

export function seedMessages(seed: Seed, registry: Registry): SeedMessages {
  const known = new Map<Member, readonly SeedMessage[]>();
  let tokenMetadata: ReadonlyMap<string, SeedMessage> | undefined;
  return {
    of: (member) => {
      const messages = known.get(member) ?? readMember(seed[member], registry.getMessage(members[member]));
      known.set(member, messages);
      return messages;
    },
    tokenMetadata: () => (tokenMetadata ??= readTokenMetadata(seed["tokenMetadata"], registry)),
  };
}

/** The fault in the sample data, if any: reads all of it. */
export function seedProblem(seed: Seed, registry: Registry): string | undefined {
  const unknown = Object.keys(seed).find((name) => name !== "tokenMetadata" && !isMember(name));
  if (unknown !== undefined) return `the seed has the unknown member ${unknown}`;
  try {
    const messages = seedMessages(seed, registry);
    Object.keys(members).filter(isMember).forEach(messages.of);
    messages.tokenMetadata();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : "the seed is not valid";
  }
}

function isMember(name: string): name is Member {
  return Object.hasOwn(members, name);
}

function readMember(value: Seed[string] = [], type: DescMessage | undefined): readonly SeedMessage[] {
  return type === undefined ? [] : [value].flat().map((json) => messageOf(type, json as JsonValue));
}

function readTokenMetadata(value: Seed[string] = [], registry: Registry): ReadonlyMap<string, SeedMessage> {
  const type = registry.getMessage("ixo.token.v1beta1.QueryTokenMetadataResponse");
  if (type === undefined) return new Map();
  return new Map([value].flat().map(({ id, ...rest }) => [idOf(id), messageOf(type, rest as JsonValue)]));
}

function idOf(id: unknown): string {
  if (typeof id !== "string") throw new Error("each of tokenMetadata needs an id");
  return id;
}

function messageOf(type: DescMessage, json: JsonValue): SeedMessage {
  return fromJson(type, json) as SeedMessage;
}

export type Seed = Readonly<Record<string, JsonObject | readonly JsonObject[]>>;

const oracle = "did:ixo:entity:00000000000000000000000000000001";
const protocol = "did:ixo:entity:00000000000000000000000000000002";
const agent = "did:ixo:ixo1agent";
const agentAddress = "ixo1agent";

/** Maps a member to its messages; `entityParams` and similar members contain one. */
export const sampleSeed: Seed = {
  entityParams: { createSequence: "1" },
  tokenParams: { ixo1155ContractCode: "25" },
  claimsParams: {
    collectionSequence: "2",
    networkFeePercentage: "100000000000000000",
    nodeFeePercentage: "100000000000000000",
    intentSequence: "1",
  },
  collections: [
    {
      id: "1",
      entity: oracle,
      admin: "ixo1admin",
      protocol,
      startDate: "2026-01-01T00:00:00Z",
      quota: "100",
      count: "3",
      evaluated: "1",
      approved: "1",
      signer: "did:ixo:signer",
      payments: { evaluation: { account: "ixo1pay", amount: [{ denom: "uixo", amount: "5" }] } },
    },
  ],
  claims: [
    {
      collectionId: "1",
      agentDid: agent,
      agentAddress,
      submissionDate: "2026-01-02T03:04:05Z",
      claimId: "claim-1",
      evaluation: {
        claimId: "claim-1",
        collectionId: "1",
        oracle,
        agentDid: agent,
        agentAddress,
        status: "APPROVED",
        reason: 1,
        evaluationDate: "2026-01-03T03:04:05.500Z",
      },
      paymentsStatus: { evaluation: "PAID" },
    },
    {
      collectionId: "1",
      agentDid: agent,
      agentAddress,
      submissionDate: "2026-01-04T03:04:05Z",
      claimId: "claim-2",
      amount: [{ denom: "uixo", amount: "5" }],
    },
    {
      collectionId: "1",
      agentDid: agent,
      agentAddress,
      submissionDate: "2026-01-05T03:04:05Z",
      claimId: "claim-3",
    },
  ],
  disputes: [],
  intents: [],
  tokens: [
    {
      minter: "ixo1minter",
      contractAddress: "ixo1contract",
      class: protocol,
      name: "CARBON",
      description: "A tonne of carbon dioxide that was not emitted",
      image: "https://example.org/carbon.png",
      type: "ixo1155",
      cap: "1000000",
      supply: "10",
    },
  ],
  tokenMetadata: [{ id: "1", name: "CARBON", description: "One credit", decimals: "0", index: "1" }],
};
