/** docs/operations.md lists what the embedded node answers; the list is true. */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, test } from "vitest";
import { gatewayEdge } from "../../../test/support/gateway-edge.ts";
import { ixoImage } from "../../../test/support/gateway-fixture.ts";
import { entitiesInNode } from "../../../test/support/entities-in-node.ts";

const UNIMPLEMENTED = 12;

/** Every path of the gateway's document that is answered, be it with "not found". */
async function answeredPaths(embedded: object): Promise<readonly string[]> {
  const deployment = JSON.stringify({ deployments: [{ name: "embedded", embedded }] });
  const { ask, surface, env: complete } = gatewayEdge({ image: ixoImage(), source: entitiesInNode(), deployment });
  const document = await surface.openapi?.(complete);
  const answered: string[] = [];
  for (const [path, item] of Object.entries(document?.paths as Record<string, Record<string, unknown>>)) {
    const concrete = path.replaceAll(/\{([\w.]+)\}/g, (_, name) => (name === "targetRole" ? "1" : "1111"));
    if (item.get !== undefined && (await ask(concrete)).body.code !== UNIMPLEMENTED) answered.push(path);
  }
  return answered.toSorted();
}

test("each path in the list is answered, those with a star where there is a seed, and no other [QG-96]", async () => {
  const text = readFileSync(resolve(import.meta.dirname, "../../../docs/operations.md"), "utf8");
  const block = /^The embedded node answers these paths.*?```text\n(.*?)\n```/ms.exec(text)?.[1];
  const always = await answeredPaths({});
  const seeded = await answeredPaths({ seed: "sample" });
  const list = seeded.map((path) => (always.includes(path) ? path : `${path} *`));
  expect(block?.split("\n")).toEqual(list);
});
