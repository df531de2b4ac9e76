/** Words of the page of one proposal: what it asks, how it ended, and what is voted on. */
import { outcomeReasons } from "./changes.ts";
import { grouped, plural } from "./number.ts";

export const proposalTexts = {
  back: "All votes",
  asks: {
    verify: (name: string) => `Shall ${name} be verified?`,
    revoke: (name: string) => `Shall ${name} lose its verification?`,
  },
  asksMore: {
    verify:
      "If it passes, the domain counts as verified in the version below and may take part in the programme. Any change of its content ends this vote.",
    revoke:
      "If it passes, the domain loses its verification and its services are switched off. Until then it stays as it is, and changes of the domain do not end this vote.",
  },
  proposedBy: "Proposed by",
  roles: { compliance: "compliance", program: "programme" },
  reason: "Reason",

  withdraw: "Withdraw the proposal",
  withdrawTitle: "Withdraw this proposal?",
  withdrawEffect: (status: string) =>
    `The vote ends without a result and its votes count for nothing. The domain is ${status} again. A new proposal may follow at once.`,
  withdrawEffectRevoke:
    "The vote ends without a result, and its votes count for nothing. The domain keeps the verification it has.",
  withdrawn: "The proposal is withdrawn.",

  outcome: "Outcome",
  outcomes: {
    passedVerify: "Passed: the domain was verified.",
    passedRevoke: "Passed: the verification was revoked.",
    rejected: "Rejected.",
    expired: "Expired without a decision.",
    withdrawn: "Withdrawn.",
    superseded: "Ended because the domain changed.",
  },
  outcomeWhy: outcomeReasons,
  reasonGiven: (reason: string) => `Reason: ${reason}`,
  decidedEarly: "It was decided before its end, as no vote that was left could have changed the result.",
  decidedAtEnd: "It was decided at its end.",
  powerWas: (cast: number, total: number) => `${grouped(cast)} of ${grouped(total)} power was cast.`,

  package: "What is voted on",
  packageLead: "The domain as its proposer saw it, beside the domain today.",
  unchanged: "Unchanged since the proposal: the domain is today what its voters see here.",
  changed: (members: number) => `Changed since the proposal: ${plural(members, "member", "members")} of the domain.`,
  changeOpenVerify: "The registry ends a vote to verify at such a change.",
  comparing: "Comparing with the domain as it is today",
  gone: "The domain is not in the registry any more.",
  noDigests:
    "This page has no secure connection, so it cannot compute digests; the record of that version is compared instead.",
  sides: { before: "In the proposal", after: "Today" },
  differs: "Differs",
  statusToday: "Status today",
  details: "Details",
  versions: (then: number, today: number) =>
    then === today
      ? `The domain is at version ${grouped(today)}, as in the proposal.`
      : `The proposal is about version ${grouped(then)}; the domain is at version ${grouped(today)} today. A vote, a service and a status make new versions too: the digests below compare the content alone.`,
  contentHash: "Content hash",
  differences: "What is different",
  nothing: "nothing",
  evidence: "Evidence",
  notes: "Notes",
  programme: "Programme",
  entityDocument: "Entity document",
  credentialsOfPackage: "Credentials of the package",
  content: "Content",
  contentJson: "The content as JSON",
  viewDomain: "Open the domain",
  digest: (hex: string) => `SHA-256 ${hex}`,
};
