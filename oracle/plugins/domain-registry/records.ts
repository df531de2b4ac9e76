/**
 * The members of the registry's records that the tools read. A registry may add members; these have not changed since its version
 * 1.
 */
import * as z from "zod";

const verificationStatus = z.enum(["AwaitingVerification", "UnderVote", "Verified", "Rejected", "Revoked"]);

export const domain = z.object({
  id: z.string(),
  type: z.string(),
  name: z.string().nullable(),
  status: z.enum(["active", "suspended", "deactivated"]),
  controllers: z.array(z.string()),
  validUntil: z.string().nullable(),
  verificationStatus,
  verifiedAt: z.string().nullable(),
  changedSinceVerification: z.array(z.string()),
  openProposalId: z.string().nullable(),
});
export type Domain = z.output<typeof domain>;

export const domainPage = z.object({ data: z.array(domain) });

export const card = z.object({
  credentialSubject: z.looseObject({
    id: z.string(),
    name: z.string().optional(),
    description: z.string().optional(),
    image: z.string().optional(),
    logo: z.string().optional(),
    url: z.string().optional(),
    website: z.string().optional(),
    location: z.string().optional(),
    domainType: z.string(),
    controllers: z.array(z.string()),
    status: z.string(),
    verificationStatus,
    verifiedAt: z.string().optional(),
    changedSinceVerification: z.array(z.string()).optional(),
    updatedAt: z.string(),
  }),
});
export type Card = z.output<typeof card>["credentialSubject"];

const rules = z.object({
  quorumBp: z.int(),
  thresholdBp: z.int(),
  vetoBp: z.int().min(1),
  votingPeriodSeconds: z.int(),
});

export const proposal = z.object({
  id: z.string(),
  kind: z.enum(["verify", "revoke"]),
  title: z.string(),
  state: z.enum(["open", "passed", "rejected", "expired", "withdrawn", "superseded"]),
  outcomeReason: z.string().nullable(),
  rules,
  totalPower: z.int(),
  tally: z.object({ yes: z.int(), no: z.int(), abstain: z.int(), noWithVeto: z.int(), cast: z.int() }),
  votingEndsAt: z.string(),
  decidedAt: z.string().nullable(),
});
export type Proposal = z.output<typeof proposal>;

export const proposalPage = z.object({ data: z.array(proposal) });

export const votingRules = z.object({ rules, totalPower: z.int(), voterCount: z.int() });
export type VotingRules = z.output<typeof votingRules>;
