/** The filters of proposals and their outcomes. */
import { votesTexts } from "../texts/votes.ts";
import { finishedStates, proposalKinds } from "./proposal.ts";

/** `open` and `done` are the cursors of the two lists. */
export const filterDefaults = { state: "", kind: "", domain: "", proposer: "", mine: "", open: "", done: "" };
export type FilterState = Readonly<typeof filterDefaults>;

export const auditDefaults = { domain: "", actor: "", state: "", kind: "", from: "", to: "" };

export const proposalChoices = [
  {
    name: "state",
    label: "State",
    any: "Any state",
    options: (["open", ...finishedStates] as const).map((state) => [state, votesTexts.states[state]] as const),
  },
  {
    name: "kind",
    label: votesTexts.kind,
    any: "Any kind",
    options: proposalKinds.map((kind) => [kind, votesTexts.kinds[kind]] as const),
  },
] as const;

export const typedOfList = [
  { name: "domain", label: votesTexts.domain },
  { name: "proposer", label: "Proposer (DID)" },
] as const;

export const typedOfAudit = [
  { name: "domain", label: votesTexts.domain },
  { name: "actor", label: "Person (DID)" },
  { name: "from", label: "From (day in UTC)", type: "date" },
  { name: "to", label: "Until (day in UTC)", type: "date" },
] as const;
