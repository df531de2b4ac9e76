/** By what proposals and what became of them are filtered. */
import { votesTexts } from "../texts/votes.ts";
import { auditTexts } from "../texts/votes-audit.ts";
import { finishedStates, proposalKinds } from "./proposal.ts";

/** `open` and `done` are the cursors of the two lists. */
export const filterDefaults = { state: "", kind: "", domain: "", proposer: "", mine: "", open: "", done: "" };
export type FilterState = Readonly<typeof filterDefaults>;

export const auditDefaults = { domain: "", actor: "", state: "", kind: "", from: "", to: "" };

export const proposalChoices = [
  {
    name: "state",
    label: votesTexts.state,
    any: votesTexts.anyState,
    options: (["open", ...finishedStates] as const).map((state) => [state, votesTexts.states[state]] as const),
  },
  {
    name: "kind",
    label: votesTexts.kind,
    any: votesTexts.anyKind,
    options: proposalKinds.map((kind) => [kind, votesTexts.kinds[kind]] as const),
  },
] as const;

export const typedOfList = [
  { name: "domain", label: votesTexts.domain },
  { name: "proposer", label: votesTexts.proposer },
] as const;

export const typedOfAudit = [
  { name: "domain", label: votesTexts.domain },
  { name: "actor", label: votesTexts.actor },
  { name: "from", label: auditTexts.from, type: "date" },
  { name: "to", label: auditTexts.to, type: "date" },
] as const;
