/** The gateway's nodes in `/health` and `/healthz`. */
import { describe, expect, test } from "vitest";
import { entitiesInNode } from "../../test/support/query-gateway/entities-in-node.ts";
import { gatewayEdge } from "../../test/support/query-gateway/gateway-edge.ts";
import { ixoImage } from "../../test/support/query-gateway/gateway-fixture.ts";

const image = ixoImage();
const source = entitiesInNode();

describe("health [QG-130]", () => {
  const deployment = {
    nodes: [{ kind: "grpc-web", url: "https://node.invalid" }],
    upstream: { retries: 0, breaker: { failures: 1 } },
  };
  const platform = { fetch: async () => Promise.reject(new TypeError("refused")) };

  test("a dead node does not change /health; /healthz of the gateway's own host is 503", async () => {
    const env = {
      SURFACE_HOSTS: '{"gateway.test":["query-gateway"]}',
      DATABASE: { prepare: () => ({ run: async () => ({ meta: {} }) }) },
    };
    const { ask } = gatewayEdge({ image, source, deployment, platform, env });
    expect((await ask("/healthz")).body).toEqual({
      status: "ok",
      nodes: [{ name: "grpc-web-1", kind: "grpc-web", state: "ok", height: null }],
    });
    const outage = await ask("/ixo/token/params");
    expect([outage.status, outage.body.code, outage.headers.get("Retry-After")]).toEqual([503, 14, "1"]);
    const own = await ask("/healthz");
    expect([own.status, own.body.status, own.body.nodes[0].state]).toEqual([503, "error", "open"]);
    const shared = await ask("/health");
    expect([shared.status, shared.body.status, shared.body.gateway.nodes[0].state]).toEqual([200, "ok", "open"]);
  });

  test("one unavailable chain does not take the others on the gateway's own host out of service", async () => {
    const env = { SURFACE_HOSTS: '{"gateway.test":["query-gateway"]}' };
    const away = { ...deployment, name: "away", match: { mount: "/away" } };
    const config = JSON.stringify({ deployments: [away, { name: "good" }] });
    const { ask } = gatewayEdge({ image, source, deployment: config, platform, env });
    expect([(await ask("/away/ixo/token/params")).status, (await ask("/ixo/entity/params")).status]).toEqual([
      503, 200,
    ]);
    const { status, body } = await ask("/healthz");
    expect([status, body.status, body.nodes.map(({ state }: { state: string }) => state)]).toEqual([
      200,
      "error",
      ["open", "ok"],
    ]);
  });
});
