import { expect, test } from "vitest";
import { entitiesInNode } from "../../../test/support/query-gateway/entities-in-node.ts";
import { gatewayEdge } from "../../../test/support/query-gateway/gateway-edge.ts";
import { ixoImage } from "../../../test/support/query-gateway/gateway-fixture.ts";

const parts = { image: ixoImage(), source: entitiesInNode() };
const PLAIN = '{"code":5,"message":"Not Found","details":[]}';

test.each([
  ["/ixo/entitty/did:ixo:entity:a", "GET /ixo/entity/{id}"],
  ["/ixo/entity/did:ixo:entity:a/verfied", "GET /ixo/entity/{id}/verified"],
  ["/cosmos/bank/v1beta1/balance/ixo1a", "GET /cosmos/bank/v1beta1/balances/{address}"],
  ["/ixo/iid/dids/did:x:1", "GET /ixo/did/dids/{id}"],
  ["/ixo/claims/claim", "GET /ixo/claims/claims"],
  ["/cosmos/base/tendermint/v1beta1/nodeinfo", "GET /cosmos/base/tendermint/v1beta1/node_info"],
])("%s in development: the nearest is %s", async (path, nearest) => {
  const { status, body } = await gatewayEdge({ ...parts, env: { ENVIRONMENT: "development" } }).ask(path);
  expect([status, body.code, body.message]).toEqual([404, 5, "Not Found"]);
  expect(body.details).toEqual([
    {
      "@type": "type.googleapis.com/google.rpc.ErrorInfo",
      reason: "PATH_NOT_FOUND",
      domain: "query-gateway",
      metadata: { surface: "query-gateway", deployment: "test", nearest },
    },
  ]);
});

test("a path without a similar one has no suggestion", async () => {
  const { ask } = gatewayEdge({ ...parts, env: { ENVIRONMENT: "development" } });
  for (const path of ["/wp-login.php", "/a/b/c/d/e/f/g", `/${"x/".repeat(60)}`])
    expect((await ask(path)).body.details[0].metadata).toEqual({ surface: "query-gateway", deployment: "test" });
});

test("elsewhere the body is the default one [QG-11]", async () => {
  for (const ENVIRONMENT of ["production", "test"])
    expect((await gatewayEdge({ ...parts, env: { ENVIRONMENT } }).ask("/ixo/entitty/x")).text).toBe(PLAIN);
});

test("a host without a profile [QG-11, QG-114]", async () => {
  const deployment = { match: { host: "elsewhere.test" } };
  const development = gatewayEdge({ ...parts, deployment, env: { ENVIRONMENT: "development" } });
  expect((await development.ask("/ixo/entity/x")).body.details[0].metadata).toEqual({
    surface: "query-gateway",
    deployment: "none",
    reason: "no host and mount match",
  });
  expect((await gatewayEdge({ ...parts, deployment }).ask("/ixo/entity/x")).text).toBe(PLAIN);
});
