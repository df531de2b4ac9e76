/** Members of a line that the registry would silently ignore. */
import { expect, test } from "vitest";
import { LONGEST_NAME, unknownMembers } from "./unknown-members.ts";

const known = {
  type: "Project",
  class: "did:ixo:protocol/project",
  owner: "did:key:a",
  metadata: { anything: { at: 1 } },
};
const of = (more: object): readonly string[] => unknownMembers(JSON.stringify({ ...known, ...more }));

test("a line of known members has none, whatever its metadata and a public key contain [CN-229]", () => {
  expect(of({ protocol: "did:ixo:protocol/project", controller: "did:key:a", credentials: ["did:key:b"] })).toEqual([]);
  const publicKeyJwk = { kty: "OKP", crv: "Ed25519", x: "…" };
  const methods = [
    { id: "{id}#1", type: "JsonWebKey2020", publicKeyJwk },
    { id: "{id}#2", type: "EcdsaSecp256k1RecoveryMethod2020", blockchainAccountID: "eip155:1:0x0" },
  ];
  expect(of({ document: { verificationMethod: methods, service: null } })).toEqual([]);
});

test("an unknown member is named once per line, with its path [CN-229]", () => {
  const service = [{ id: "{id}#a", type: "Hub", serviceEndpoint: "https://example.org/", colour: 1 }, { colour: 2 }];
  expect(of({ metdata: {}, version: 3, document: { service, services: [] }, accounts: [{ memo: "" }] })).toEqual([
    "metdata",
    "version",
    "document/service/colour",
    "document/services",
    "accounts/memo",
  ]);
});

test("a name that every object inherits is an ordinary name [CN-181] [CN-229]", () => {
  expect(unknownMembers('{"__proto__":1,"constructor":{},"document":{"toString":1}}')).toEqual([
    "__proto__",
    "constructor",
    "document/toString",
  ]);
});

test("a long name is cut, and a non-object has no members", () => {
  expect(of({ ["x".repeat(5_000)]: 1 }).map(({ length }) => length)).toEqual([LONGEST_NAME]);
  expect(
    ["no JSON", "null", "7", '"text"', "[1]", "", '{"document":[1],"accounts":{}}'].flatMap(unknownMembers),
  ).toEqual([]);
});
