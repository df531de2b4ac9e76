/** What the gateway keeps of what it has made, and for how long. */
import { expect, test } from "vitest";
import { entitiesInNode } from "../../test/support/entities-in-node.ts";
import { gatewayEdge } from "../../test/support/gateway-edge.ts";
import { fixtureImage, ixoImage } from "../../test/support/gateway-fixture.ts";
import { createManualClock } from "../../test/support/manual-clock.ts";
import { BUILD_PAUSE_MS } from "./gateway.ts";

const image = ixoImage();
const source = entitiesInNode();

test("an image that was out of reach for a moment is asked for again, though not by each request", async () => {
  const bytes = new Uint8Array(fixtureImage()).buffer;
  let reads = 0;
  const get = async () => {
    reads += 1;
    if (reads === 1) throw new Error("the store is away");
    return bytes;
  };
  const config = {
    deployments: [{ name: "own", sets: ["own"], disabled: ["gwtest.v1.T/*"] }],
    images: { own: { kind: "kv", binding: "IMAGES", key: "own" } },
  };
  const clock = createManualClock();
  const { ask, log } = gatewayEdge({
    image,
    source,
    deployment: JSON.stringify(config),
    env: { IMAGES: { get } },
    platform: { clock: clock.now },
  });
  const told = async () => [(await ask("/t/x")).status, reads];
  expect(await told()).toEqual([500, 1]);
  clock.advance(BUILD_PAUSE_MS - 1);
  expect(await told()).toEqual([500, 1]);
  clock.advance(1);
  expect(await told()).toEqual([501, 2]);
  clock.advance(BUILD_PAUSE_MS);
  expect(await told()).toEqual([501, 2]);
  expect(log.filter((line) => line.startsWith("error configuration-wrong"))).toHaveLength(1);
});

test("the document is made once, however often it is asked for", async () => {
  const { surface, env } = gatewayEdge({ image, source });
  const first = await surface.openapi?.(env);
  expect(first).toHaveProperty("paths");
  expect(await surface.openapi?.(env)).toBe(first);
});
