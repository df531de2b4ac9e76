import { beforeAll, expect, test } from "vitest";
import { disposeAfterTests } from "../../../test/support/server/dispose-after-tests.ts";
import { startFieldNetwork, type FieldNetwork, type FieldWallet } from "../../../test/support/peers/field-network.ts";
import { readAgentCard, readPriceList } from "./agent-card.ts";
import { readAuthzConfig } from "./authz-config.ts";
import { readEntity } from "./chain-records.ts";
import { grantClaims, joinOracleRooms, payClaim } from "./contract.ts";
import { inviteToRoom, raisePowerLevel, roomMembers, roomOfAlias } from "./matrix-rooms.ts";
import type { ChainMessage } from "./claim-messages.ts";

let network: FieldNetwork;
const started = disposeAfterTests();
const signed: { messages: readonly ChainMessage[]; memo: string | undefined }[] = [];

beforeAll(async () => {
  network = started(await startFieldNetwork());
});

async function sign(messages: readonly ChainMessage[], memo?: string) {
  signed.push({ messages, memo });
}

const chain = () => ({ graphqlUrl: network.chain.url });
const account = ({ matrix }: FieldWallet) => ({
  homeServerUrl: network.homeserver.url,
  accessToken: matrix.accessToken,
});
const bot = ({ matrix }: FieldWallet) => ({ url: network.roomsBot.url, accessToken: matrix.accessToken });

test("an oracle's published documents are read with the user's account from the user's own homeserver [SD-163] [SD-169]", async () => {
  const [ada, did] = [network.wallet(), network.oracle()];
  const entity = await readEntity(chain(), did);
  const reader = { matrix: account(ada) };
  expect(await readAuthzConfig(entity, ada.address, reader)).toEqual({
    requiredPermissions: ["/ixo.claims.v1beta1.SubmitClaimAuthorization"],
    granterAddress: ada.address,
    granteeAddress: "ixo1oracle",
    oracleName: "Weather",
  });
  expect(await readPriceList(entity, reader)).toEqual([
    { title: "A turn", description: "One answer", amount: "25", denom: "upay" },
  ]);
  const services = [
    { id: "forecast", name: "Forecast", price: { amount: 1.5, currency: "PAY" }, deliverables: "A day" },
  ];
  expect(await readAgentCard(entity, reader)).toEqual({
    oracleDid: did,
    card: { credentialSubject: { id: did, name: "Weather", services } },
    cardProof: "proof of #acard",
  });
});

test("the access token goes only to the user's homeserver, never to an address that an oracle names [SD-163]", async () => {
  const asked: { url: string; authorization: string | null }[] = [];
  const fetch: typeof globalThis.fetch = (input, init) => {
    const { url, headers } = new Request(input, init);
    asked.push({ url, authorization: headers.get("Authorization") });
    return Promise.resolve(Response.json({}));
  };
  const reader = { matrix: { homeServerUrl: "https://mx.example", accessToken: "syt_ada" }, fetch };
  const addresses = [
    "https://evil.example/_matrix/media/v3/download/other.example/abc",
    "https://evil.example/_matrix/client/v1/media/download/other.example/abc",
    "mxc://other.example/abc",
    "mxc://../abc",
    "https://evil.example/fee.json",
    "https://evil.example/?x=https://mx.example/_matrix/media/v3/download/other.example/abc",
  ];
  for (const serviceEndpoint of addresses)
    await readPriceList(
      { did: "d", services: [], resources: [{ id: "{id}#fee", type: "Fee", serviceEndpoint, proof: "" }] },
      reader,
    ).catch(() => undefined);
  const media = "https://mx.example/_matrix/client/v1/media/download/other.example/abc";
  expect(asked).toEqual([
    ...[1, 2, 3].map(() => ({ url: media, authorization: "Bearer syt_ada" })),
    ...addresses.slice(4).map((url) => ({ url, authorization: null })),
  ]);
});

test("an oracle without documents has no card, and errors name the missing part [SD-169]", async () => {
  const [ada, reader] = [network.wallet(), { matrix: account(network.wallet()) }];
  network.chain.entities.set("did:ixo:entity:bare", {});
  const bare = await readEntity(chain(), "did:ixo:entity:bare");
  expect(await readAgentCard(bare, reader)).toBeNull();
  await expect(readPriceList(bare, reader)).rejects.toThrow("has published no price list (#fee)");
  await expect(readAuthzConfig(bare, ada.address, reader)).rejects.toThrow("no authorization settings (#orz)");
  await expect(readEntity(chain(), "did:ixo:entity:none")).rejects.toThrow("The chain has no entity");

  const did = network.oracle("ixo1cards");
  const entity = await readEntity(chain(), did);
  const card = (subject: unknown) => {
    network.homeserver.files.set("home.example/did-ixo-entity-ixo1cards-acard", { credentialSubject: subject });
    return readAgentCard(entity, reader);
  };
  const service = { id: "a", name: "A", price: { amount: 1 }, deliverables: "a" };
  expect(await card({ id: did, name: "A", services: [service] })).not.toBeNull();
  for (const wrong of [
    undefined,
    { id: did, name: "A", services: [] },
    { id: "did:ixo:entity:other", name: "A", services: [service] },
    { id: did, services: [service] },
    { id: did, name: "A", services: [{ ...service, price: { amount: "1" } }] },
    { id: did, name: "A", services: [{ ...service, tags: [1] }] },
  ])
    expect(await card(wrong)).toBeNull();
  network.homeserver.files.set("home.example/did-ixo-entity-ixo1cards-orz", { oracleName: "A", granteeAddress: "b" });
  await expect(readAuthzConfig(entity, ada.address, reader)).rejects.toThrow(
    "requiredPermissions is not a list of strings",
  );
});

test("contracting joins the spaces and the oracle's room before anything is signed [SD-166]", async () => {
  const [cara, did] = [network.wallet("cara"), network.oracle()];
  await joinOracleRooms(account(cara), bot(cara), cara.did, did);
  const user = `@did-ixo-${cara.address}:home.example`;
  const joined = [...network.homeserver.rooms].filter(([, { members }]) => members.get(user) === "join");
  const kinds = joined.map(([id]) => id.replace(/-.*/, "")).toSorted();
  expect(kinds).toEqual(["!main", "!oracle", "!oracles", "!projects"]);

  await grantClaims(
    {
      userAddress: cara.address,
      adminAddress: "ixo1admin",
      oracleAddress: "ixo1oracle",
      oracleName: "Weather",
      claimCollectionId: "138",
      agentQuota: 1,
      maxAmount: { amount: 25, denom: "upay" },
    },
    sign,
  );
  expect(signed.at(-1)).toMatchObject({
    memo: "Let Weather submit claims",
    messages: [{ typeUrl: "/cosmos.authz.v1beta1.MsgExec", value: { grantee: cara.address } }],
  });
});

test("an amount is signed as a whole number, or not at all [SD-166]", async () => {
  const grant = (amount: number | string) =>
    grantClaims(
      {
        userAddress: "a",
        adminAddress: "b",
        oracleAddress: "c",
        oracleName: "Weather",
        claimCollectionId: "1",
        agentQuota: 1,
        maxAmount: { amount, denom: "upay" },
      },
      sign,
    );
  await grant(1e21);
  expect(new TextDecoder().decode(signed.at(-1)?.messages[0]?.value.msgs[0]?.value)).toContain(
    "1000000000000000000000",
  );
  const before = signed.length;
  for (const amount of [0.5, -1, Number.NaN, "1.5", "much"]) await expect(grant(amount)).rejects.toThrow(RangeError);
  expect(signed).toHaveLength(before);
});

test("a claim is paid once, and only in its own collection [SD-168]", async () => {
  const claims = network.chain.claims;
  claims.set("open", { collectionId: "138", evaluationByClaimId: null });
  claims.set("paid", { collectionId: "138", evaluationByClaimId: { status: 1 } });
  const pay = (claimId: string, claimCollectionId = "138") =>
    payClaim({ userAddress: "ixo1a", adminAddress: "ixo1admin", claimCollectionId, claimId }, chain(), sign);
  const before = signed.length;
  await expect(pay("none")).rejects.toThrow("The chain has no claim none");
  await expect(pay("open", "139")).rejects.toThrow("The claim open is not in the collection 139");
  await expect(pay("paid")).rejects.toThrow("The claim paid has been evaluated (APPROVED)");
  expect(signed).toHaveLength(before);
  await pay("open");
  expect(signed.slice(before)).toMatchObject([{ memo: "Pay claim open" }]);
  const refused = { code: 5, rawLog: "insufficient funds" };
  const payment = { userAddress: "ixo1a", adminAddress: "ixo1admin", claimCollectionId: "138", claimId: "open" };
  await expect(payClaim(payment, chain(), async () => refused)).rejects.toThrow("code 5: insufficient funds");
});

test("a member's level is raised and all others stay; users who have left are not members [SD-165]", async () => {
  const [dan, did] = [network.wallet("dan"), network.oracle()];
  await joinOracleRooms(account(dan), bot(dan), dan.did, did);
  const alias = "#did-ixo-ixo1dan_did-ixo-entity-ixo1oracle:home.example";
  const roomId = (await roomOfAlias(account(dan), alias)) ?? "";
  expect(await roomOfAlias(account(dan), "#nobody:home.example")).toBeNull();
  const room = network.homeserver.rooms.get(roomId);
  room?.members.set("@gone:home.example", "leave");
  if (room !== undefined) room.powerLevels = { ...room.powerLevels, ban: 77 };
  await inviteToRoom(account(dan), roomId, "@memory:home.example");
  await raisePowerLevel(account(dan), roomId, "@memory:home.example", 50);
  const self = "@did-ixo-ixo1dan:home.example";
  expect(await roomMembers(account(dan), roomId)).toEqual([self, "@memory:home.example"]);
  expect(room?.powerLevels).toEqual({ ban: 77, users: { [self]: 100, "@memory:home.example": 50 } });
  await raisePowerLevel(account(dan), roomId, self, 50);
  expect(room?.powerLevels.users?.[self]).toBe(100);
});
