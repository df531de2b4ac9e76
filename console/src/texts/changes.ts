/** The changes of a domain, in words: in its history, on the home screen, in the audit trail, and in webhooks. */
import { grouped } from "./number.ts";

/** The actor of automatic changes, such as the decision of a vote. */
export const REGISTRY = "system";
export const registryName = "the registry";

export const changeNames = {
  created: "Created",
  updated: "Changed",
  suspended: "Suspended",
  reactivated: "Reactivated",
  deactivated: "Deactivated",
  "proposal-opened": "Proposal opened",
  "proposal-withdrawn": "Proposal withdrawn",
  "proposal-superseded": "Proposal superseded by a change",
  "proposal-expired": "Proposal expired without a quorum",
  verified: "Verified",
  rejected: "Rejected",
  revoked: "Verification revoked",
  "revocation-rejected": "Revocation rejected",
  "verification-lost": "Verification ended by a change",
  "service-enabled": "Service switched on",
  "service-disabled": "Service switched off",
  "validity-ended": "Validity ended",
};

/** A change that only a newer server knows is shown by its own name. */
export function changeName(action: string): string {
  return (changeNames as Readonly<Record<string, string>>)[action] ?? action;
}

/** The change in the form for use inside a sentence. */
export function changeInSentence(action: string): string {
  const name = changeName(action);
  return `${name.charAt(0).toLowerCase()}${name.slice(1)}`;
}

const historyNames: Readonly<Record<string, string>> = {
  "proposal-withdrawn": "Vote withdrawn",
  "proposal-superseded": "Vote ended by a change",
  "proposal-expired": "Vote ended without a quorum",
  verified: "Vote decided: verified",
  rejected: "Vote decided: rejected",
  revoked: "Vote decided: verification revoked",
  "revocation-rejected": "Vote decided: still verified",
};
const openingNames = { verify: "Verification vote opened", revoke: "Revocation vote opened" };
const serviceNames = new Map([
  ["reporting", "Reporting"],
  ["issuance", "Issuance"],
]);

interface Recorded {
  readonly action: string;
  readonly reason: string | null;
  readonly changes: readonly { readonly path: string }[];
}

/** An entry of a domain's history. */
export function historyTitle({ action, reason, changes }: Recorded): string {
  if (action === "proposal-opened") {
    const isVerify = changes.some(({ path }) => path === "/verificationStatus");
    return openingNames[isVerify ? "verify" : "revoke"];
  }
  const service = serviceNames.get(reason ?? "");
  if (service !== undefined && action === "service-enabled") return `${service} switched on`;
  if (service !== undefined && action === "service-disabled") return `${service} switched off`;
  return historyNames[action] ?? changeName(action);
}

/** Why a vote or a verification ended, by the registry's code. */
export const outcomeReasons: Readonly<Record<string, string>> = {
  approved: "The quorum was met, and enough of the votes that did not abstain were yes.",
  threshold_not_met: "The quorum was met, but too few of the votes that did not abstain were yes.",
  vetoed: "The votes for no with veto exceeded the veto limit.",
  all_abstained: "The quorum was met, but everybody abstained.",
  quorum_not_met: "Not enough power was cast to reach the quorum.",
  material_change: "Its class, controllers, relayer node or another field that the verification depends on changed.",
  content_changed: "Its content changed while the vote was open, so voters would have verified an outdated version.",
  deactivated: "The domain was deactivated.",
};

function outcomeReason(code: string): string | undefined {
  return Object.hasOwn(outcomeReasons, code) ? outcomeReasons[code] : undefined;
}

/** The registry appends the tally of an ended vote to the reason: `approved: yes 2, no 0, …`, or `moved away (yes 2, …)`. */
const REASON =
  /^(?:(?<why>.*?)(?:: | \())?yes (?<yes>\d+), no (?<no>\d+), abstain (?<abstain>\d+), no with veto (?<veto>\d+), of (?<total>\d+)\)?$/s;

/** The reason of an entry; undefined if it only repeats the title. */
export function reasonInWords(reason: string | null): string | undefined {
  if (reason === null || reason === "" || serviceNames.has(reason)) return undefined;
  const parts = REASON.exec(reason)?.groups;
  if (parts === undefined) return outcomeReason(reason) ?? reason;
  const { why } = parts;
  if (why === undefined) return undefined;
  const known = outcomeReason(why);
  return known === undefined ? why : `${known} ${countedWords(parts)}`;
}

function countedWords(parts: Readonly<Record<string, string | undefined>>): string {
  const power = (name: string): string => grouped(Number(parts[name]));
  const cast = [
    ["yes", "yes"],
    ["no", "no"],
    ["abstain", "abstain"],
    ["veto", "no with veto"],
  ] as const;
  const counted = cast.filter(([name]) => Number(parts[name]) > 0).map(([name, word]) => `${power(name)} ${word}`);
  if (counted.length === 0) return `None of the ${power("total")} power was cast.`;
  return `Power cast: ${counted.join(", ")}, out of ${power("total")}.`;
}
