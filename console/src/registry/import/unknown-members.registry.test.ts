/** The console's unknown members equal those that the registry ignores. */
import { expect, test } from "vitest";
import { unknownNames } from "../../../../workers/registry/domain/document-items.ts";
import { itemLists } from "../../../../workers/registry/domain/domain.ts";
import { creationMembers } from "../../../../workers/registry/domain/draft.ts";
import { ignoredMembers } from "../../../../workers/registry/domain/ignored-members.ts";
import { unknownMembers } from "./unknown-members.ts";

const names = [
  ...Object.keys(creationMembers.shape),
  "protocol",
  "controller",
  "id",
  "version",
  "verificationStatus",
  "metdata",
];

test.each(names)("%s is known to both or to neither [CN-229]", (name) => {
  expect(unknownMembers(JSON.stringify({ [name]: 1 }))).toEqual(ignoredMembers({ [name]: 1 }).ignored ?? []);
});

const itemNames = [
  "id",
  "type",
  "controller",
  "publicKeyJwk",
  "blockchainAccountID",
  "serviceEndpoint",
  "mediaType",
  "proof",
  "right",
];
const moreItemNames = ["description", "relationship", "service", "mechanism", "message", "encrypted", "publicKeyPem"];

test.each(itemLists)("for an item of %s, both know equal members [CN-229]", (list) => {
  const item = Object.fromEntries([...itemNames, ...moreItemNames].map((name) => [name, 1]));
  const expected = unknownNames(list, item).map((name) => `document/${list}/${name}`);
  expect(expected.length).toBeGreaterThan(0);
  expect(unknownMembers(JSON.stringify({ document: { [list]: [item] } }))).toEqual(expected);
});
