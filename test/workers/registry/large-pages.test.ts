/** Pages of large domains end early, so that an isolate can hold them. */
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { registryEdge } from "../../support/registry/registry-edge.ts";

const edge = registryEdge({ DATABASE: env.DATABASE });
const key = await edge.keyOf("did:web:large.test", ["domains:write"]);

test("a page of large domains ends early, and the walk misses none [RG-80]", async () => {
  const type = "large-list-test";
  const resource = (at: number) => ({
    id: `#r${at}`,
    type: "Text",
    description: "d".repeat(1_000),
    mediaType: "text/plain",
    serviceEndpoint: "https://resource.test",
    proof: "",
    encrypted: "false",
    right: "",
  });
  const body = {
    type,
    class: "did:ixo:protocol/large",
    metadata: { padding: "x".repeat(65_000) },
    document: { linkedResource: Array.from({ length: 100 }, (_, at) => resource(at)) },
  };
  const created = new Set<string>();
  for (let at = 0; at < 60; at += 1) created.add((await edge.ask("POST", "/v1/domains", { key, body })).body.id);
  const walked: string[] = [];
  const sizes: number[] = [];
  for (let cursor: string | null = ""; cursor !== null;) {
    const after: string = cursor === "" ? "" : `&cursor=${cursor}`;
    const page = await edge.ask("GET", `/v1/domains?type=${type}&limit=100${after}`, { key });
    walked.push(...page.body.data.map(({ id }: { id: string }) => id));
    sizes.push(page.body.data.length);
    cursor = page.body.page.nextCursor;
  }
  expect(sizes).toHaveLength(2);
  expect(walked).toHaveLength(60);
  expect(new Set(walked)).toEqual(created);
});
