import { afterEach, expect, test } from "vitest";
import { homeServerUrl, oracleRoomAlias, roomsBotUrl, serverName, serverOfUser, userOfAddress } from "./home-server.ts";
import { networkOf } from "./network.ts";

const names = ["NEXT_PUBLIC_CHAIN_NETWORK", "NEXT_PUBLIC_GRAPHQL_URL", "NEXT_PUBLIC_JWT_SERVER"] as const;
afterEach(() => {
  for (const name of names) delete process.env[name];
});

test("the application's settings come before the build's variables, and those before the network's services [SD-164]", () => {
  expect(networkOf()).toMatchObject({
    graphqlUrl: "https://devnet-blocksync-graphql.ixo.earth/graphql",
    defaultHomeServerUrl: "https://devmx.ixo.earth",
    defaultJwtServiceUrl: undefined,
    jwtServiceUrl: undefined,
  });
  expect(networkOf({ name: "devnet" }).defaultJwtServiceUrl).toBe("https://livekit-jwt.devmx.ixo.earth/sfu/get");
  process.env["NEXT_PUBLIC_CHAIN_NETWORK"] = "mainnet";
  expect(networkOf()).toMatchObject({
    graphqlUrl: "https://blocksync-graphql.ixo.earth/graphql",
    defaultHomeServerUrl: "https://mx.ixo.earth",
    defaultJwtServiceUrl: "https://livekit-jwt.mx.ixo.earth/sfu/get",
  });
  process.env["NEXT_PUBLIC_GRAPHQL_URL"] = "https://chain.example/graphql";
  process.env["NEXT_PUBLIC_JWT_SERVER"] = "https://jwt.example/sfu/get";
  expect(networkOf({ name: "testnet" })).toMatchObject({
    graphqlUrl: "https://chain.example/graphql",
    defaultHomeServerUrl: "https://testmx.ixo.earth",
    jwtServiceUrl: "https://jwt.example/sfu/get",
  });
  expect(networkOf({ graphqlUrl: "http://localhost:1", jwtServiceUrl: "http://localhost:2" })).toMatchObject({
    graphqlUrl: "http://localhost:1",
    jwtServiceUrl: "http://localhost:2",
  });
});

test("an unknown network is the default one, and a page without `process` throws nothing [SD-164]", () => {
  process.env["NEXT_PUBLIC_CHAIN_NETWORK"] = "moonnet";
  expect(networkOf()).toMatchObject({
    defaultHomeServerUrl: "https://devmx.ixo.earth",
    defaultJwtServiceUrl: undefined,
  });
  const there = globalThis.process;
  try {
    Reflect.deleteProperty(globalThis, "process");
    expect(networkOf().graphqlUrl).toBe("https://devnet-blocksync-graphql.ixo.earth/graphql");
  } finally {
    globalThis.process = there;
  }
});

test("homeservers have one name in every notation", () => {
  for (const written of ["mx.example", "https://mx.example", " https://mx.example/\r\n", "mx.example//"])
    expect([homeServerUrl(written), serverName(written)]).toEqual(["https://mx.example", "mx.example"]);
  expect(homeServerUrl("http://localhost:8008")).toBe("http://localhost:8008");
  expect(serverName("http://localhost:8008")).toBe("localhost:8008");
  expect(roomsBotUrl("mx.example:8448")).toBe("https://rooms.bot.mx.example");
  expect(serverOfUser("@did-ixo-ixo1a:mx.example:8448")).toBe("mx.example:8448");
  for (const wrong of ["mx.example", "@ada", "@:mx.example", "@ada:", ""])
    expect(() => serverOfUser(wrong)).toThrow("is not the id of a Matrix user");
  expect(userOfAddress("ixo1a", "https://mx.example/")).toBe("@did-ixo-ixo1a:mx.example");
  expect(oracleRoomAlias("did:ixo:ixo1a", "did:ixo:entity:1", "mx.example")).toBe(
    "#did-ixo-ixo1a_did-ixo-entity-1:mx.example",
  );
});
