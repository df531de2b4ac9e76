/** The platform's cache under an isolate's memory: isolates share responses through it. */
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import ixoImage from "../../../proto/descriptors/ixo.binpb";
import { createLogger } from "../../../platform/log.ts";
import { createDomainDirectory } from "../../../workers/registry/port.ts";
import { gatewayEdge } from "../../support/query-gateway/gateway-edge.ts";

const image = new Uint8Array(ixoImage);
const TOKEN_PARAMS = '{"params":{"ixo1155_contract_code":"25"}}';

/** A gateway with its own memory over a node that counts its calls, at height 100 unless another is requested. */
function isolate(chainId: string) {
  const asked: string[] = [];
  const edge = gatewayEdge({
    image,
    source: createDomainDirectory({ database: env.DATABASE, clock: Date.now, log: createLogger({}) }),
    deployment: { chainId, nodes: [{ kind: "lcd", url: "https://node.test" }], upstream: { retries: 0 } },
    platform: {
      sharedCache: () => caches.default,
      fetch: async (url, init) => {
        const height = new Headers(init.headers).get("x-cosmos-block-height") ?? "100";
        // Requests for the chain's identity are not counted.
        if (url.endsWith("/blocks/latest")) return Response.json({ block: { header: { chain_id: chainId } } });
        asked.push(`${new URL(url).pathname} ${height}`);
        return new Response(TOKEN_PARAMS, {
          headers: { "Content-Type": "application/json", "Grpc-Metadata-X-Cosmos-Block-Height": height },
        });
      },
    },
  });
  return { ...edge, asked };
}

const at = (height: string) => ({ headers: { "x-cosmos-block-height": height } });

test("a final height is cached for all isolates, with its headers; chains are cached separately [QG-105]", async () => {
  const chain = `chain-${crypto.randomUUID()}`;
  const first = isolate(chain);
  await first.ask("/ixo/token/params");
  const answer = await first.ask("/ixo/token/params", at("10"));
  await first.settled();
  const second = isolate(chain);
  const again = await second.ask("/ixo/token/params", at("10"));
  expect([again.status, again.text, second.asked]).toEqual([200, TOKEN_PARAMS, []]);
  for (const name of ["ETag", "Cache-Control", "Content-Type", "X-Cosmos-Block-Height"])
    expect(again.headers.get(name)).toBe(answer.headers.get(name));
  await second.ask("/ixo/token/params", at("11"));
  const other = isolate(`${chain}-other`);
  await other.ask("/ixo/token/params", at("10"));
  expect([second.asked, other.asked]).toEqual([["/ixo/token/params 11"], ["/ixo/token/params 10"]]);
});

test("the latest height is not cached", async () => {
  const chain = `chain-${crypto.randomUUID()}`;
  for (const each of [isolate(chain), isolate(chain)]) {
    await each.ask("/ixo/token/params");
    await each.settled();
    expect(each.asked).toEqual(["/ixo/token/params 100"]);
  }
});
