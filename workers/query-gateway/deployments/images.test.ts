/**
 * Descriptor sets in addition to the built-in one: where they are stored, their maximum size, and the errors for a
 * wrong one.
 */
import { describe, expect, test } from "vitest";
import { entitiesInNode } from "../../../test/support/query-gateway/entities-in-node.ts";
import { gatewayEdge } from "../../../test/support/query-gateway/gateway-edge.ts";
import { fixtureImage, ixoImage } from "../../../test/support/query-gateway/gateway-fixture.ts";
import { IMAGE_BYTES_MAX } from "../descriptors/schema.ts";

const image = ixoImage();
const source = entitiesInNode();

describe("an operator's own image [QG-120]", () => {
  const bytes = new Uint8Array(fixtureImage()).buffer;
  const images = { mine: { kind: "data", binding: "MINE" } };
  const config = (source: object) =>
    JSON.stringify({ deployments: [{ name: "a", sets: ["mine", "ixo"] }], images: { mine: source } });

  test.each<[string, object, unknown]>([
    ["a binding of bytes", { kind: "data", binding: "MINE" }, bytes],
    ["KV", { kind: "kv", binding: "MINE", key: "k" }, { get: async (key: string) => (key === "k" ? bytes : null) }],
    ["R2", { kind: "r2", binding: "MINE", key: "k" }, { get: async () => ({ arrayBuffer: async () => bytes }) }],
  ])("%s", async (_, from, MINE) => {
    const { ask } = gatewayEdge({ image, source, deployment: config(from), env: { MINE } });
    expect((await ask("/t/x")).body.code).toBe(12);
    expect((await ask("/ixo/entity/params")).status).toBe(200);
  });

  test("the file deployed with the gateway is the set `file`, read from its assets [QG-121]", async () => {
    const asked: string[] = [];
    const assets = (status: number) => ({
      fetch: async (url: string) => {
        asked.push(new URL(url).pathname);
        return new Response(status === 200 ? bytes : null, { status });
      },
    });
    const deployment = { sets: ["file", "ixo"] };
    const { ask } = gatewayEdge({ image, source, deployment, env: { ASSETS: assets(200) } });
    expect((await ask("/t/x")).body.code).toBe(12);
    expect((await ask("/ixo/token/params")).status).toBe(200);
    expect(asked).toEqual(["/gateway-image.binpb"]);
    for (const env of [{ ASSETS: assets(404) }, {}]) {
      const without = gatewayEdge({ image, source, deployment, env });
      expect((await without.ask("/ixo/token/params")).status).toBe(500);
      expect(without.surface.configProblems(without.env)[0]?.message).toContain("--gateway-image FILE");
    }
  });

  test.each([
    [IMAGE_BYTES_MAX, false],
    [IMAGE_BYTES_MAX + 1, true],
  ])("of %i bytes: refused for its size %s", async (size, isTooLarge) => {
    const text = JSON.stringify({ deployments: [{ name: "a", sets: ["mine"] }], images });
    // Not a descriptor set at all, for which the smaller one is refused.
    const MINE = new ArrayBuffer(size);
    const { ask, surface, env } = gatewayEdge({ image, source, deployment: text, env: { MINE } });
    expect((await ask("/t/x")).status).toBe(500);
    const [problem] = surface.configProblems(env);
    expect(problem?.message).toContain("/images/mine: ");
    expect(problem?.message.includes("is larger than 5000000 bytes")).toBe(isTooLarge);
  });

  test.each<[string, unknown]>([
    ["no descriptor set", new Uint8Array([1, 2, 3]).buffer],
    ["no bytes", {}],
  ])("%s is a configuration error", async (_, MINE) => {
    const text = JSON.stringify({ deployments: [{ name: "a", sets: ["mine"] }], images });
    const { ask, surface, env } = gatewayEdge({ image, source, deployment: text, env: { MINE } });
    expect((await ask("/t/x")).status).toBe(500);
    expect(surface.configProblems(env)[0]?.message).toContain("/images/mine");
  });
});
