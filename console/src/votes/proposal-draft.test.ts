/** The problems of a new proposal, from the registry's own schema, and durations as a vote counts down. */
import { expect, test } from "vitest";
import { placeProblems } from "../kit/form-problems.ts";
import { timeLeftIn } from "./durations.ts";
import {
  bodyOf,
  emptyDraft,
  emptyEvidence,
  limits,
  placesOf,
  problemsOf,
  type ProposalDraft,
} from "./proposal-draft.ts";
import type { Domain } from "./proposal.ts";

const domain = { class: "did:a:b", controllers: ["did:web:a.test"], relayerNode: null } as Domain;
const draft: ProposalDraft = { ...emptyDraft, kind: "verify" };
const faults = (more: Partial<ProposalDraft>, title = "Verify it") =>
  problemsOf(bodyOf({ ...draft, ...more }, title, domain)).map(({ field, message }) => `${field}: ${message}`);

test("the limits are the registry's, and problems are shown at their fields [CN-95]", () => {
  expect(limits).toEqual({ title: 200, summary: 10_000, reason: 2_000, notes: 10_000, evidence: 50 });
  expect(faults({})).toEqual([]);
  expect(faults({}, " ")).toEqual(["/title: This must not be empty."]);
  expect(faults({}, "x".repeat(200))).toEqual([]);
  expect(faults({}, "x".repeat(201))).toEqual(["/title: This may have at most 200 characters."]);
  expect(faults({ kind: "revoke" })).toEqual(["/reason: This must not be empty."]);
  expect(faults({ kind: "revoke", reason: "x".repeat(2_001) })).toEqual([
    "/reason: This may have at most 2000 characters.",
  ]);
  expect(faults({ evidence: [{ ...emptyEvidence, uri: "no address" }] })).toEqual([
    "/package/evidence/0/type: This must not be empty.",
    "/package/evidence/0/uri: Enter an address, such as https://example.org/report.",
  ]);
  expect(faults({ programme: "x".repeat(513) })).toEqual(["/package/programme: This may have at most 512 characters."]);
  expect(faults({ credentials: ' [{"id":"urn:uuid:1"}] ' })).toEqual([]);
  for (const credentials of ["{}", "[", '"text"', "[".repeat(10_000) + "]".repeat(10_000)])
    expect(faults({ credentials })).toEqual(["/package/credentials: This must be a list."]);
});

test("empty values are not sent, and every problem has a field [CN-95]", () => {
  const body = bodyOf({ ...draft, evidence: [emptyEvidence], programme: " ", notes: " " }, "Verify it", domain);
  expect(body.package).toMatchObject({ programme: null, notes: null, credentials: [] });
  expect(body.package.evidence).toEqual([{ type: "", uri: "", description: null, digest: null }]);
  const wrong = bodyOf({ ...draft, kind: "revoke", credentials: "{", evidence: [emptyEvidence] }, "", domain);
  expect(placeProblems(problemsOf(wrong), placesOf({ evidence: [emptyEvidence] })).others).toEqual([]);
});

test.each([
  [0, "0 s"],
  [999, "1 s"],
  [59_000, "59 s"],
  [60_000, "1 min"],
  [3_599_000, "59 min 59 s"],
  [3_600_000, "1 h"],
  [86_400_000, "1 d"],
  [90_061_000, "1 d 1 h"],
])("%i ms are %s", (milliseconds, words) => {
  expect(timeLeftIn(milliseconds)).toBe(words);
});
