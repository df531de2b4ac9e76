import { expect, test } from "vitest";
import { checkForm } from "../../api/form-check.ts";
import createApiKey from "../../api/forms/create-api-key.json" with { type: "json" };
import { bodyOf, emptyDraft, ownProblems, type KeyDraft } from "./key-draft.ts";

const NOW = Date.parse("2027-01-10T12:00:00Z");
const given = { own: "did:web:a.example", now: NOW };
const draft: KeyDraft = { ...emptyDraft, label: " Field app " };
const problems = (changed: Partial<KeyDraft>): readonly string[] => {
  const body = bodyOf({ ...draft, ...changed }, given);
  return [...checkForm(createApiKey, body), ...ownProblems(body)].map(({ field }) => field);
};

test("a draft is sent in the registry's format", () => {
  expect(bodyOf(draft, given)).toEqual({
    label: "Field app",
    did: "did:web:a.example",
    scopes: ["domains:read"],
    role: null,
    expiresAt: "2027-04-10T12:00:00.000Z",
  });
  expect(problems({})).toEqual([]);
});

test("the DID is the selected one, or the DID of this tab's key without a selection", () => {
  const entered: KeyDraft = { ...draft, otherDid: " did:web:b.example ", freshDid: "did:key:z6Mk" };
  const did = (didChoice: KeyDraft["didChoice"], own?: string): string =>
    bodyOf({ ...entered, didChoice }, { own, now: NOW }).did;
  expect(did(undefined, "did:web:a.example")).toBe("did:web:a.example");
  expect(did(undefined)).toBe("did:web:b.example");
  expect(did("other", "did:web:a.example")).toBe("did:web:b.example");
  expect(did("fresh", "did:web:a.example")).toBe("did:key:z6Mk");
});

test.each([
  ["30", "", "2027-02-09T12:00:00.000Z"],
  ["365", "", "2028-01-10T12:00:00.000Z"],
  ["date", "2027-03-01", "2027-03-01T23:59:59Z"],
  ["never", "2027-03-01", null],
] as const)("valid for %s %s", (expiry, date, end) => {
  expect(bodyOf({ ...draft, expiry, date }, given).expiresAt).toBe(end);
  expect(problems({ expiry, date })).toEqual([]);
});

test("a role is sent only with the scope that requires it", () => {
  const proposing = { ...draft, scopes: ["verification:propose"], role: "program" } as const;
  expect(bodyOf(proposing, given).role).toBe("program");
  expect(bodyOf({ ...proposing, scopes: ["domains:read"] }, given).role).toBeNull();
});

test.each([
  ["/label", { label: "  " }],
  ["/label", { label: "a".repeat(201) }],
  ["/did", { didChoice: "other" }],
  ["/did", { didChoice: "other", otherDid: "alice" }],
  ["/did", { didChoice: "fresh" }],
  ["/scopes", { scopes: [] }],
  ["/role", { scopes: ["verification:propose"] }],
  ["/expiresAt", { expiry: "date" }],
] as const)("%s is refused before anything is sent", (field, changed) => {
  expect(problems(changed)).toEqual([field]);
});
