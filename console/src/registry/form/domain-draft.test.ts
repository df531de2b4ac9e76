/** Bodies under edit: members, patches, newer versions and where problems are shown. */
import { describe, expect, test } from "vitest";
import createDomain from "../../api/forms/create-domain.json" with { type: "json" };
import { checkForm } from "../../api/form-check.ts";
import { placeProblems } from "../../kit/form-problems.ts";
import {
  applyPatch,
  memberAt,
  missingMembers,
  missingName,
  newNulls,
  overlaps,
  parsedBody,
  patchOf,
  placesOf,
  suggestedClass,
  withItems,
  withMember,
} from "./domain-draft.ts";

test("a member is set, read and removed at any depth", () => {
  const body = withMember({ type: "Project" }, ["metadata", "name"], "Stove");
  expect(body).toEqual({ type: "Project", metadata: { name: "Stove" } });
  expect(memberAt(body, ["metadata", "name"])).toBe("Stove");
  expect(withMember(body, ["metadata", "name"], undefined)).toEqual({ type: "Project", metadata: {} });
  expect(memberAt(body, ["metadata", "name", "x"])).toBeUndefined();
});

test("a text is a body if it is an object of at most 64 levels [CN-70, CN-208]", () => {
  const nested = (levels: number): string => '{"a":'.repeat(levels) + "1" + "}".repeat(levels);
  expect(parsedBody(nested(64))).toEqual(JSON.parse(nested(64)));
  for (const text of ["{", "[]", "1", nested(65), nested(10_000)]) expect(parsedBody(text)).toBeUndefined();
});

test("an item that is added and removed again leaves nothing behind [CN-199]", () => {
  const path = ["document", "service"];
  const added = withItems({ type: "Project" }, path, [{ id: "#a" }]);
  expect(added).toEqual({ type: "Project", document: { service: [{ id: "#a" }] } });
  expect(withItems(added, path, [])).toEqual({ type: "Project" });
  const both = withItems(added, ["document", "linkedResource"], [{ type: "x" }]);
  expect(withItems(both, path, [])).toEqual({ type: "Project", document: { linkedResource: [{ type: "x" }] } });
});

describe("the body of a save", () => {
  const before = {
    class: "did:ixo:a",
    metadata: { name: "A", tags: [1], gone: true },
    validFrom: "2026-01-01",
    accounts: [1],
  };

  test("contains only changes; a removed value is null, a removed list is empty", () => {
    const after = { class: "did:ixo:a", metadata: { name: "B", tags: [1] } };
    expect(patchOf(before, after)).toEqual({ metadata: { name: "B", gone: null }, validFrom: null, accounts: [] });
    expect(patchOf(before, { ...before })).toEqual({});
  });

  test("keeps other users' changes when it is applied to a newer version [CN-71]", () => {
    const mine = patchOf(before, withMember(before, ["metadata", "name"], "Mine"));
    const theirs = { ...before, metadata: { ...before.metadata, name: "Theirs", place: "Kigali" }, externalId: "7" };
    expect(applyPatch(theirs, mine)).toEqual({ ...theirs, metadata: { ...theirs.metadata, name: "Mine" } });
    expect(overlaps(mine, patchOf(before, theirs))).toEqual(["/metadata/name"]);
  });

  test("a null that a merge patch would treat as a deletion is a problem", () => {
    expect(newNulls({ metadata: { a: null } }, { metadata: { a: null, b: null } })).toMatchObject([
      { field: "/metadata/b" },
    ]);
  });
});

describe("problems", () => {
  const check = (body: object) => [
    ...checkForm(createDomain, body),
    ...missingMembers(body as Record<string, unknown>),
  ];

  test("a valid body has none, whichever name of the class it uses", () => {
    expect(check({ type: "Project", class: "did:ixo:protocol/x", metadata: { name: "A" }, validFrom: null })).toEqual(
      [],
    );
    expect(check({ type: "Project", protocol: "did:ixo:protocol/x" })).toEqual([]);
  });

  test("each fault is shown at its field, and one without a field is listed [CN-67]", () => {
    const body = {
      class: "no did",
      controllers: ["did:web:a", "x"],
      validFrom: "tomorrow",
      accounts: [{ name: "a" }],
      metadata: [],
    };
    const { byPlace, others } = placeProblems(check(body), placesOf(body));
    expect(Object.fromEntries(byPlace)).toEqual({
      "/type": "This is required.",
      "/class": "Enter a DID, such as did:web:example.org.",
      "/controllers": "Enter a DID, such as did:web:example.org.",
      "/validFrom": "Enter a date or time, such as 2027-01-31 or 2027-01-31T12:00:00Z.",
      "/accounts/0/address": "This is required.",
    });
    expect(others.map(({ field, message }) => [field, message])).toEqual([
      ["/metadata", "This must be a JSON object."],
    ]);
  });

  test("a new domain needs a name, unless a document or credentials may hold it [CN-67]", () => {
    const body = { type: "Project", class: "did:ixo:protocol/project" };
    const asked = [{ field: "/metadata/name", message: "This is required." }];
    expect(missingName(body)).toMatchObject(asked);
    expect(missingName({ ...body, metadata: {} })).toMatchObject(asked);
    expect(missingName({ ...body, metadata: { name: "  " } })).toMatchObject(asked);
    expect(missingName({ ...body, metadata: { name: "A" } })).toEqual([]);
    expect(missingName({ ...body, document: {}, credentials: [] })).toMatchObject(asked);
    expect(missingName({ ...body, document: { service: [] } })).toEqual([]);
    expect(missingName({ ...body, credentials: [{ id: "urn:x" }] })).toEqual([]);
  });
});

test.each([
  ["Project", "did:ixo:protocol/project"],
  ["asset/device", "did:ixo:protocol/asset/device"],
  [" Überbau 2 ", "did:ixo:protocol/berbau-2"],
  ["", "did:ixo:protocol/domain"],
])("the suggested class for %j is valid in the registry", (type, suggested) => {
  expect(suggestedClass(type)).toBe(suggested);
  expect(checkForm(createDomain, { type: "x", class: suggested })).toEqual([]);
});
