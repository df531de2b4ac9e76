import { afterEach, expect, test } from "vitest";
import { indexUrl, networkName } from "./chain-network.ts";

const DEVNET = "https://devnet-blocksync-graphql.ixo.earth/graphql";

afterEach(() => {
  delete process.env["NEXT_PUBLIC_CHAIN_NETWORK"];
  delete process.env["NEXT_PUBLIC_GRAPHQL_URL"];
});

test("the index is the one of the build, or else of its network, or else of devnet [SD-19]", () => {
  expect([networkName(), indexUrl()]).toEqual(["devnet", DEVNET]);
  process.env["NEXT_PUBLIC_CHAIN_NETWORK"] = "testnet";
  expect(indexUrl()).toBe("https://testnet-blocksync-graphql.ixo.earth/graphql");
  expect(indexUrl("mainnet")).toBe("https://blocksync-graphql.ixo.earth/graphql");
  process.env["NEXT_PUBLIC_CHAIN_NETWORK"] = "mystery";
  expect([networkName(), indexUrl()]).toEqual(["devnet", DEVNET]);
  process.env["NEXT_PUBLIC_GRAPHQL_URL"] = "https://own.test/graphql";
  expect([indexUrl(), indexUrl("mainnet")]).toEqual(["https://own.test/graphql", "https://own.test/graphql"]);
  process.env["NEXT_PUBLIC_GRAPHQL_URL"] = "";
  expect(indexUrl()).toBe(DEVNET);
});
