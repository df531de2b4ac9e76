import { describe, expect, test } from "vitest";
import { createTranscoder } from "../../../test/support/query-gateway/transcoded-calls.ts";
import { fixtureImage, ixoImage } from "../../../test/support/query-gateway/gateway-fixture.ts";
import { loadSchema, type Schema } from "./schema.ts";

function rulesOf({ methods }: Schema, name: string): unknown {
  return methods.find(({ method }) => `${method.parent.typeName}/${method.name}` === name)?.rules;
}

test("the descriptor set contains the 59 ixo routes and 212 of the Cosmos modules", () => {
  const { methods, excluded } = loadSchema(ixoImage());
  const routes = methods.flatMap(({ method, rules }) => rules.map(() => method.parent.typeName));
  const ofIxo = routes.filter((service) => service.startsWith("ixo."));
  expect([ofIxo.length, routes.length - ofIxo.length]).toEqual([59, 212]);
  expect(new Set(ofIxo).size).toBe(10);
  expect(excluded).toEqual([]);
});

/** The number of routes of each ixo module. */
const modules = {
  bonds: 14,
  claims: 15,
  entity: 6,
  epochs: 2,
  iid: 2,
  liquidstake: 5,
  mint: 2,
  names: 6,
  smartaccount: 3,
  token: 4,
};

test("each module has its routes [QG-1, QG-2]", () => {
  const { methods } = loadSchema(ixoImage());
  const counts = Object.keys(modules).map((name) => [
    name,
    methods.filter(({ method }) => method.parent.typeName === `ixo.${name}.v1beta1.Query`).length,
  ]);
  expect(Object.fromEntries(counts)).toEqual(modules);
});

test("types used in an Any are in the set, types of a node's own files are not", () => {
  const { registry } = loadSchema(ixoImage());
  for (const name of [
    "cosmos.vesting.v1beta1.ContinuousVestingAccount",
    "cosmos.crypto.secp256k1.PubKey",
    "cosmos.crypto.multisig.LegacyAminoPubKey",
    "cosmos.bank.v1beta1.MsgSend",
    "cosmos.bank.v1beta1.MsgSendResponse",
    "cosmos.bank.v1beta1.SendAuthorization",
    "cosmos.feegrant.v1beta1.BasicAllowance",
    "cosmos.gov.v1beta1.TextProposal",
    "cosmos.evidence.v1beta1.Equivocation",
    "cosmwasm.wasm.v1.MsgExecuteContract",
    "ibc.lightclients.tendermint.v1.ClientState",
    "ixo.claims.v1beta1.MsgSubmitClaim",
    "ixo.claims.v1beta1.SubmitClaimAuthorization",
    "ixo.entity.v1beta1.MsgGrantEntityAccountAuthz",
    "ixo.iid.v1beta1.MsgCreateIidDocument",
    "ixo.smartaccount.v1beta1.TxExtension",
    "ixo.smartaccount.crypto.AuthnPubKey",
    "ixo.token.v1beta1.MintAuthorization",
  ])
    expect(registry.getMessage(name)?.typeName).toBe(name);
  expect(registry.getMessage("cosmos.bank.v1beta1.GenesisState")).toBeUndefined();
});

test("every form of a rule", () => {
  const schema = loadSchema(fixtureImage());
  expect(rulesOf(schema, "gwtest.v1.T/Get")).toEqual([
    { verb: "GET", template: "/t/{id}" },
    { verb: "GET", template: "/alt/{id}" },
  ]);
  expect(rulesOf(schema, "gwtest.v1.T/Post")).toEqual([{ verb: "POST", template: "/post", body: "*" }]);
  expect(rulesOf(schema, "gwtest.v1.T/Response")).toEqual([
    { verb: "GET", template: "/resp/{id}", responseBody: "sub" },
  ]);
  expect(rulesOf(schema, "gwtest.v1.More/Purge")).toEqual([{ verb: "PURGE", template: "/more/purge/{id}" }]);
  expect(rulesOf(schema, "gwtest.v1.More/Whatever")).toEqual([{ verb: "*", template: "/more/any/{id}" }]);
  expect(rulesOf(schema, "gwtest.v1.More/Shelf")).toEqual([
    { verb: "DELETE", template: "/more/{parent=shelves/*/books/*}" },
  ]);
});

test("server streaming is supported, client streaming is excluded by name [QG-70]", () => {
  const schema = loadSchema(fixtureImage());
  expect(rulesOf(schema, "gwtest.v1.More/Watch")).toHaveLength(1);
  expect(rulesOf(schema, "gwtest.v1.More/Collect")).toBeUndefined();
  expect(schema.excluded).toEqual(["gwtest.v1.More/Collect"]);
});

test("a set without routes has no methods; other bytes are refused", () => {
  expect(loadSchema(new Uint8Array()).methods).toEqual([]);
  expect(() => loadSchema(ixoImage().subarray(0, 1000))).toThrow(Error);
  expect(() => loadSchema(new TextEncoder().encode("<html>"))).toThrow(Error);
});

describe("the fixture's set", () => {
  test("has no refused or shadowed route", () => {
    const { plan } = createTranscoder(fixtureImage());
    expect(plan.refused).toEqual([]);
    expect(plan.table.shadowed).toEqual([]);
  });
});
