/** Claims and tokens of the embedded node: from the sample, a seed of the operator, or none. */
import { describe, expect, test } from "vitest";
import { entitiesInNode } from "../../../test/support/query-gateway/entities-in-node.ts";
import { gatewayEdge } from "../../../test/support/query-gateway/gateway-edge.ts";
import { image, domains, edge } from "../../../test/support/query-gateway/embedded-edge.ts";

describe("without a seed [QG-95]", () => {
  const paths = ["/ixo/claims/claims", "/ixo/claims/params", "/ixo/token/params", "/ixo/token/metadata/1"];
  const statuses = async (deployment: string | undefined, env: object) => {
    const { ask } = gatewayEdge({
      image,
      source: entitiesInNode(domains),
      deployment: deployment ?? "",
      env,
    });
    const answers = await Promise.all([...paths, "/ixo/entity", "/ixo/entity/params"].map((path) => ask(path)));
    return answers.map(({ status }) => status);
  };
  const one = (embedded: object) => JSON.stringify({ deployments: [{ name: "a", embedded }] });

  test.each(["production", "staging", "test"])(
    "nothing is invented in %s: claims and tokens are 501",
    async (ENVIRONMENT) => {
      expect(await statuses(undefined, { ENVIRONMENT })).toEqual([501, 501, 501, 501, 200, 200]);
      expect(await statuses(one({}), { ENVIRONMENT })).toEqual([501, 501, 501, 501, 200, 200]);
    },
  );

  test("the sample is served in development, and where configured", async () => {
    expect(await statuses(undefined, { ENVIRONMENT: "development" })).toEqual([200, 200, 200, 200, 200, 200]);
    expect(await statuses(one({ seed: "sample" }), { ENVIRONMENT: "production" })).toEqual([
      200, 200, 200, 200, 200, 200,
    ]);
  });
});

describe("claims and tokens from the seed [QG-95]", () => {
  test.each([
    ["/ixo/token/params", { params: { ixo1155_contract_code: "25" } }],
    [
      "/ixo/claims/params",
      {
        params: {
          collection_sequence: "2",
          ixo_account: "",
          network_fee_percentage: "0.100000000000000000",
          node_fee_percentage: "0.100000000000000000",
          intent_sequence: "1",
        },
      },
    ],
    ["/ixo/claims/claims", { claims: [{ claim_id: "claim-1" }, { claim_id: "claim-2" }, { claim_id: "claim-3" }] }],
    ["/ixo/claims/claim/claim-2", { claim: { amount: [{ denom: "uixo", amount: "5" }], evaluation: null } }],
    ["/ixo/claims/claim/claim-1", { claim: { evaluation: { status: "APPROVED" } } }],
    ["/ixo/claims/collection/1", { collection: { id: "1" } }],
    ["/ixo/claims/collections?pagination.limit=1", { collections: [{ id: "1" }], pagination: { next_key: null } }],
    ["/ixo/claims/disputes", { disputes: [] }],
    ["/ixo/claims/intents", { intents: [] }],
    ["/ixo/token/minter/ixo1minter", { tokenDocs: [{ name: "CARBON" }] }],
    ["/ixo/token/minter/nobody", { tokenDocs: [] }],
    ["/ixo/token/minter/ixo1minter/ixo1contract", { tokenDoc: { cap: "1000000" } }],
    ["/ixo/token/metadata/1", { name: "CARBON", properties: null }],
  ])("%s", async (path, expected) => {
    const { status, body } = await edge().ask(path);
    expect(body).toMatchObject(expected);
    expect(status).toBe(200);
  });

  test.each(["claims/claim/x", "claims/dispute/x", "token/metadata/9", "token/minter/x/y"])(
    "%s is not there",
    async (path) => {
      const { status, body } = await edge().ask(`/ixo/${path}`);
      expect([status, body.code]).toEqual([404, 5]);
    },
  );

  test.each(["/ixo/mint/v1beta1/params", "/cosmos/bank/v1beta1/params", "/ixo/claims/intent/a/b/c"])(
    "%s is not compiled in",
    async (path) => {
      const { status, body } = await edge().ask(path);
      expect([status, body.code, body.details]).toEqual([501, 12, []]);
    },
  );

  test("an operator's own seed", async () => {
    const SEED = JSON.stringify({ tokenParams: { ixo1155ContractCode: "9" } });
    const { ask } = edge({ embedded: { seed: "SEED" } }, [], { SEED });
    expect((await ask("/ixo/token/params")).body).toEqual({ params: { ixo1155_contract_code: "9" } });
    expect((await ask("/ixo/claims/claims")).body.claims).toEqual([]);
  });

  test.each(['{"tokens":[{"nope":1}]}', '{"nope":{}}', "[]", "{"])(
    "the seed %s is a configuration error",
    async (SEED) => {
      const { ask, surface, env } = edge({ embedded: { seed: "SEED" } }, [], { SEED });
      const { status, body } = await ask("/ixo/token/params");
      expect([status, body]).toEqual([500, { code: 13, message: "Internal server error", details: [] }]);
      expect(surface.configProblems(env)[0]?.message).toContain("/deployments/0: embedded.seed");
    },
  );
});
