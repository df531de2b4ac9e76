/** An oracle found through the real registry: by DID resolution, and by GraphQL as an index of entities. */
import { expect, test } from "vitest";
import { registryEdge } from "../../../test/support/registry/registry-edge.ts";
import { registryInNode } from "../../../test/support/registry/registry-in-node.ts";
import { discoverEndpoints } from "./discovery.ts";
import { RequestError } from "./errors.ts";

test("an oracle is found by the services of its domain [SD-19]", async () => {
  const registry = registryEdge({ DATABASE: registryInNode().d1 });
  const key = await registry.keyOf("did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK", ["domains:write"]);
  const service = [
    { id: "#api", type: "Other", serviceEndpoint: "https://oracle.test/v1" },
    { id: "#sockets", type: "wsService", serviceEndpoint: "https://sockets.test" },
  ];
  const body = {
    type: "Oracle",
    class: "did:ixo:protocol/oracle",
    metadata: { name: "Oracle" },
    document: { service },
  };
  const created = await registry.ask("POST", "/v1/domains", { key, body });
  const oracleDid = String(created.body.id);
  const ask = async (input: URL | RequestInfo, init?: RequestInit) => registry.send(new Request(String(input), init));
  const found = { apiUrl: "https://oracle.test", socketUrl: "https://sockets.test" };

  const byRegistry = { oracleDid, registryUrl: "https://registry.test", fetch: ask };
  expect(await discoverEndpoints(byRegistry)).toEqual(found);
  expect(await discoverEndpoints({ oracleDid, graphqlUrl: "https://registry.test/graphql", fetch: ask })).toEqual(
    found,
  );
  const unknown = `did:ixo:entity:${"0".repeat(32)}`;
  await expect(discoverEndpoints({ ...byRegistry, oracleDid: unknown })).rejects.toBeInstanceOf(RequestError);
});
