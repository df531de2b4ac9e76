import { describe, expect, test } from "vitest";
import { createTranscoder } from "../../../test/support/query-gateway/transcoded-calls.ts";
import { defaultRouteOptions, fixtureImage, ixoImage } from "../../../test/support/query-gateway/gateway-fixture.ts";
import { loadSchema } from "../descriptors/schema.ts";
import { methodPath, type HttpRule } from "./http-rule.ts";
import { defaultLimits } from "./limits.ts";
import { legacyAliases, planRoutes } from "./routes.ts";

const fixture = loadSchema(fixtureImage());
const missing = { failure: "not_found" };

/** A plan of one method of the fixture with the test's own rules. */
function planned(name: string, rules: readonly HttpRule[]) {
  const bound = fixture.methods.find(({ method }) => method.name === name);
  if (bound === undefined) throw new Error(`no ${name} in the fixture`);
  return planRoutes([{ ...bound, rules }], defaultRouteOptions, defaultLimits);
}

describe("rules that cannot be served are named, and the others are served [QG-5]", () => {
  test.each([
    ["/a/{nope}", "nope is not a field of gwtest.v1.All"],
    ["/a/{sub.nope}", "sub.nope is not a field of gwtest.v1.All"],
    ["/a/{id.x}", "id.x is not a field of gwtest.v1.All"],
    ["/a/{subs.a}", "subs.a is not a field of gwtest.v1.All"],
    ["/a/{m.k}", "m.k is not a field of gwtest.v1.All"],
    ["/a/{bv.value}", "bv.value is not a field of gwtest.v1.All"],
    ["/a/{sub}", "sub cannot be written as a part of a path"],
    ["/a/{subs}", "subs cannot be written as a part of a path"],
    ["/a/{m}", "m cannot be written as a part of a path"],
    ["/a/{any}", "any cannot be written as a part of a path"],
    ["/a/{id}/{id}", "a variable is bound twice"],
    ["a", "a template starts with /"],
  ])("%s", (template, reason) => {
    const plan = planned("Get", [
      { verb: "GET", template },
      { verb: "GET", template: "/b/{ts}/{du}/{fm}/{bv}/{e}/{ri}" },
    ]);
    expect(plan.refused).toEqual([{ source: "rule", where: `gwtest.v1.T/Get ${template}`, reason }]);
    expect(plan.routes.map(({ template: { text } }) => text)).toEqual(["/b/{ts}/{du}/{fm}/{bv}/{e}/{ri}"]);
  });

  test.each([
    [{ body: "nope" }, "the body nope is not a field of gwtest.v1.All"],
    [{ responseBody: "nope" }, "the response body nope is not a field of gwtest.v1.All"],
    [{ verb: "" }, "a rule names no HTTP method"],
  ])("%j", (more, reason) => {
    expect(planned("Get", [{ verb: "POST", template: "/a", ...more }]).refused).toMatchObject([{ reason }]);
  });
});

describe("prefixes", () => {
  const { call, plan } = createTranscoder(ixoImage(), {
    protocolPrefix: "chain/one",
    legacyPrefixes: ["rest/ixo", "chain/one", "ixo"],
  });

  test("can have several segments, and replace only ixo [QG-3, QG-4]", () => {
    expect(call("/chain/one/entity")).toEqual({ rpc: "EntityList", request: {} });
    expect(call("/rest/ixo/entity/x")).toEqual({
      rpc: "Entity",
      request: { id: "x" },
      successor: "/chain/one/entity/{id}",
    });
    expect(call("/chain/entity")).toEqual(missing);
    expect(call("/did/did:ixo:a")).toMatchObject({ rpc: "IidDocument", request: { id: "did:ixo:a" } });
  });

  test("apply to aliases", () => {
    expect(call("/chain/one/claim/5")).toMatchObject({ rpc: "Claim", successor: "/chain/one/claims/claim/{id}" });
    expect(call("/ixo/claim/5")).toMatchObject({ rpc: "Claim", successor: "/chain/one/claims/claim/{id}" });
  });

  test("refuse nothing, and hide only what the chain itself hides", () => {
    expect(plan.refused).toEqual([]);
    const pairs = plan.table.shadowed.map(({ route, by }) => [route.template.text, by.template.text]);
    expect(pairs).toEqual([
      ["/cosmos/auth/v1beta1/bech32/{address_string}", "/cosmos/auth/v1beta1/bech32/{address_bytes}"],
    ]);
  });

  test.each(["a{b}", "*", "a/**", "a:b", "", "/a", "a/", "a b"])("that are not segments are reported: %j", (prefix) => {
    const reported = { source: "prefix", where: prefix, reason: "a prefix consists of literal segments" };
    const asMain = createTranscoder(ixoImage(), { protocolPrefix: prefix });
    expect(asMain.plan.refused).toEqual([reported]);
    expect(asMain.plan.routes.filter(({ method }) => methodPath(method).startsWith("ixo."))).toEqual([]);
    const asLegacy = createTranscoder(ixoImage(), { legacyPrefixes: [prefix] });
    expect(asLegacy.plan.refused).toEqual([reported]);
    expect(asLegacy.call("/ixo/token/params")).toEqual({ rpc: "Params", request: {} });
  });
});

describe("aliases", () => {
  test("of older releases all have a target, and each of its variables is filled [QG-17]", () => {
    const { plan } = createTranscoder(ixoImage());
    const aliases = plan.routes.filter(({ isAlias }) => isAlias);
    expect(aliases.map(({ template: { text } }) => text)).toEqual(legacyAliases.map(({ path }) => path));
    for (const { successor, variables } of aliases) expect(variables).toEqual(successor?.variables);
  });

  test("can be disabled [QG-17]", () => {
    const { call } = createTranscoder(ixoImage(), { legacyIxo: false });
    expect(call("/ixo/claim/5")).toEqual(missing);
    expect(call("/ixo/entity/config")).toEqual({ rpc: "Entity", request: { id: "config" } });
  });

  test("of the operator are served at the path that they name [QG-17]", () => {
    const alias = { path: "/who/{did}", method: "ixo.iid.v1beta1.Query/IidDocument", params: { did: "id" } };
    const { call } = createTranscoder(ixoImage(), { protocolPrefix: "acme", aliases: [alias] });
    expect(call("/who/a")).toEqual({ rpc: "IidDocument", request: { id: "a" }, successor: "/acme/did/dids/{id}" });
  });

  test("lose to a real route of equal form, and are reported if they have no target", () => {
    const aliases = [
      { path: "/t/{id}", method: "gwtest.v1.T/Do" },
      { path: "/who/{x}", method: "gwtest.v1.T/Do" },
      { path: "/who", method: "gwtest.v1.T/Nope" },
    ];
    const { call, plan } = createTranscoder(fixtureImage(), { aliases });
    expect(call("/t/x")).toEqual({ rpc: "Get", request: { id: "x" } });
    expect(plan.table.shadowed).toMatchObject([{ route: { isAlias: true }, by: { isAlias: false } }]);
    expect(plan.refused).toEqual([
      { source: "alias", where: "gwtest.v1.T/Do /who/{x}", reason: "x is not a field of gwtest.v1.All" },
      {
        source: "alias",
        where: "gwtest.v1.T/Nope /who",
        reason: "the method has no route in the sets of this deployment",
      },
    ]);
  });
});

describe("methods", () => {
  test("of two sets, the earlier one wins [QG-120]", () => {
    const [again] = loadSchema(fixtureImage()).methods;
    const plan = planRoutes([...fixture.methods, ...(again ? [again] : [])], defaultRouteOptions, defaultLimits);
    expect(plan.routes).toHaveLength(planRoutes(fixture.methods, defaultRouteOptions, defaultLimits).routes.length);
    expect(plan.routes[0]?.method).toBe(fixture.methods[0]?.method);
  });
});
