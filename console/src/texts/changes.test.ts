/** History entries and their reasons in words. */
import { expect, test } from "vitest";
import { historyTitle, outcomeReasons, reasonInWords } from "./changes.ts";

const opening = (path: string): string =>
  historyTitle({ action: "proposal-opened", reason: null, changes: [{ path: "/openProposalId" }, { path }] });

test("an entry names the change, and its vote or service [CN-260]", () => {
  expect(opening("/verificationStatus")).toBe("Verification vote opened");
  expect(opening("/updatedAt")).toBe("Revocation vote opened");
  const titled = (action: string, reason: string | null = null) => historyTitle({ action, reason, changes: [] });
  expect(titled("verified", "approved: yes 2, no 0, abstain 0, no with veto 0, of 4")).toBe("Vote decided: verified");
  expect(titled("revocation-rejected")).toBe("Vote decided: still verified");
  expect(titled("service-enabled", "issuance")).toBe("Issuance switched on");
  expect(titled("service-disabled", "reporting")).toBe("Reporting switched off");
  expect(titled("service-disabled", "constructor")).toBe("Service switched off");
  expect(titled("updated")).toBe("Changed");
  expect(titled("of-a-newer-server")).toBe("of-a-newer-server");
});

test("a reason is a sentence, without the registry's codes [CN-260]", () => {
  expect(reasonInWords("approved: yes 2, no 0, abstain 1, no with veto 0, of 4000")).toBe(
    `${outcomeReasons["approved"]} Power cast: 2 yes, 1 abstain, out of 4,000.`,
  );
  expect(reasonInWords("quorum_not_met: yes 0, no 0, abstain 0, no with veto 0, of 4")).toBe(
    `${outcomeReasons["quorum_not_met"]} None of the 4 power was cast.`,
  );
  expect(reasonInWords("deactivated")).toBe("The domain was deactivated.");
  // A person's own words stay unchanged, even if they equal an inherited member's name.
  expect(reasonInWords("They moved: yes, all (of them)")).toBe("They moved: yes, all (of them)");
  expect(reasonInWords("constructor")).toBe("constructor");
});

test("a withdrawn vote shows its reason, and no tally [CN-260]", () => {
  expect(reasonInWords("yes 2, no 0, abstain 0, no with veto 0, of 4")).toBeUndefined();
  expect(reasonInWords("wrong class (yes 2, no 0, abstain 0, no with veto 0, of 4)")).toBe("wrong class");
  expect(reasonInWords("issuance")).toBeUndefined();
  expect(reasonInWords(null)).toBeUndefined();
});
