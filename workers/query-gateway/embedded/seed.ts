/**
 * What the embedded node tells of claims and tokens, of which the domain registry knows nothing (contract D, section 8): as
 * protobuf JSON, so that an operator's own reads the same. All of it is made up, so only development has it unasked. Decimals are scaled by 10^18, as a node sends them.
 */
import type { JsonObject } from "../../platform/json.ts";

export type Seed = Readonly<Record<string, JsonObject | readonly JsonObject[]>>;

const oracle = "did:ixo:entity:00000000000000000000000000000001";
const protocol = "did:ixo:entity:00000000000000000000000000000002";
const agent = "did:ixo:ixo1agent";
const agentAddress = "ixo1agent";

/** Member to the messages that it holds; `entityParams` and the like hold one. */
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
