/**
 * The built-in descriptor set compared with a chain of Cosmos SDK 0.50, ibc-go v8 and wasmd: every call of a REST
 * client for that chain has a route, and calls newer than SDK 0.46 reach the node and return JSON.
 */
import { create, fromJson, toBinary, toJson, type JsonObject } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import type { NodeHandler } from "../../test/support/query-gateway/grpc-web-node.ts";
import { chainNode } from "../../test/support/query-gateway/chain-node.ts";

const chain = chainNode();
const { schema, registry, edge } = chain;

/** The node's last request, in the names of the proto. */
function asked(): { readonly method: string; readonly message: unknown } {
  const call = chain.node.seen.at(-1);
  if (call === undefined) throw new Error("the node was not asked");
  const type = registry.getMessage(call.message.$typeName);
  if (type === undefined) throw new Error(`no type ${call.message.$typeName}`);
  const message = toJson(type, call.message, { registry, useProtoFieldName: true });
  return { method: `${type.file.proto.package}/${call.method}`, message };
}

/**
 * The number of routes of each service on a node of the chain: SDK 0.50 with liquid staking, ibc-go v8, packet
 * forwarding.
 */
const services = {
  "cosmos.auth.v1beta1.Query": 10,
  "cosmos.authz.v1beta1.Query": 3,
  "cosmos.bank.v1beta1.Query": 13,
  "cosmos.base.node.v1beta1.Service": 2,
  "cosmos.base.reflection.v1beta1.ReflectionService": 2,
  "cosmos.base.reflection.v2alpha1.ReflectionService": 6,
  "cosmos.base.tendermint.v1beta1.Service": 7,
  "cosmos.circuit.v1.Query": 3,
  "cosmos.consensus.v1.Query": 1,
  "cosmos.distribution.v1beta1.Query": 11,
  "cosmos.evidence.v1beta1.Query": 2,
  "cosmos.feegrant.v1beta1.Query": 3,
  "cosmos.gov.v1.Query": 9,
  "cosmos.gov.v1beta1.Query": 8,
  "cosmos.group.v1.Query": 14,
  "cosmos.mint.v1beta1.Query": 3,
  "cosmos.nft.v1beta1.Query": 7,
  "cosmos.params.v1beta1.Query": 2,
  "cosmos.slashing.v1beta1.Query": 3,
  "cosmos.staking.v1beta1.Query": 22,
  "cosmos.tx.v1beta1.Service": 9,
  "cosmos.upgrade.v1beta1.Query": 5,
  "cosmwasm.wasm.v1.Query": 11,
  "ibc.applications.fee.v1.Query": 10,
  "ibc.applications.interchain_accounts.controller.v1.Query": 2,
  "ibc.applications.interchain_accounts.host.v1.Query": 1,
  "ibc.applications.transfer.v1.Query": 6,
  "ibc.core.channel.v1.Query": 17,
  "ibc.core.client.v1.Query": 10,
  "ibc.core.connection.v1.Query": 6,
  "ibc.lightclients.wasm.v1.Query": 2,
  "icq.v1.Query": 1,
  "packetforward.v1.Query": 1,
};

test("each service of the Cosmos modules has its routes, 212 in all [QG-1]", () => {
  const counts: Record<string, number> = {};
  for (const { path } of schema.methods) {
    const service = path.slice(0, path.indexOf("/"));
    if (!service.startsWith("ixo.")) counts[service] = (counts[service] ?? 0) + 1;
  }
  expect(counts).toEqual(services);
  expect(Object.values(counts).reduce((sum, count) => sum + count, 0)).toBe(212);
});

/** Calls that clients of SDK 0.50 make and that 0.46 does not know, with their methods. */
test.each([
  ["/cosmos/auth/v1beta1/account_info/ixo1a", "cosmos.auth.v1beta1/AccountInfo", { address: "ixo1a" }],
  ["/cosmos/auth/v1beta1/bech32/AQI=", "cosmos.auth.v1beta1/AddressBytesToString", { address_bytes: "AQI=" }],
  ["/cosmos/auth/v1beta1/module_accounts/gov", "cosmos.auth.v1beta1/ModuleAccountByName", { name: "gov" }],
  [
    "/cosmos/bank/v1beta1/spendable_balances/ixo1a/by_denom?denom=uixo",
    "cosmos.bank.v1beta1/SpendableBalanceByDenom",
    { address: "ixo1a", denom: "uixo" },
  ],
  ["/cosmos/bank/v1beta1/send_enabled?denoms=uixo", "cosmos.bank.v1beta1/SendEnabled", { denoms: ["uixo"] }],
  [
    "/cosmos/bank/v1beta1/denom_owners_by_query?denom=ibc/27",
    "cosmos.bank.v1beta1/DenomOwnersByQuery",
    { denom: "ibc/27" },
  ],
  [
    "/cosmos/bank/v1beta1/denoms_metadata_by_query_string?denom=ibc/27",
    "cosmos.bank.v1beta1/DenomMetadataByQueryString",
    { denom: "ibc/27" },
  ],
  ["/cosmos/base/node/v1beta1/config", "cosmos.base.node.v1beta1/Config", {}],
  ["/cosmos/base/node/v1beta1/status", "cosmos.base.node.v1beta1/Status", {}],
  [
    "/cosmos/base/tendermint/v1beta1/abci_query?path=/store&height=5",
    "cosmos.base.tendermint.v1beta1/ABCIQuery",
    { path: "/store", height: "5" },
  ],
  ["/cosmos/circuit/v1/disable_list", "cosmos.circuit.v1/DisabledList", {}],
  ["/cosmos/consensus/v1/params", "cosmos.consensus.v1/Params", {}],
  [
    "/cosmos/distribution/v1beta1/validators/ixovaloper1a",
    "cosmos.distribution.v1beta1/ValidatorDistributionInfo",
    { validator_address: "ixovaloper1a" },
  ],
  ["/cosmos/evidence/v1beta1/evidence/AB", "cosmos.evidence.v1beta1/Evidence", { hash: "AB" }],
  ["/cosmos/feegrant/v1beta1/issued/ixo1a", "cosmos.feegrant.v1beta1/AllowancesByGranter", { granter: "ixo1a" }],
  ["/cosmos/gov/v1/constitution", "cosmos.gov.v1/Constitution", {}],
  ["/cosmos/group/v1/groups", "cosmos.group.v1/Groups", {}],
  ["/cosmos/nft/v1beta1/nfts?owner=ixo1a", "cosmos.nft.v1beta1/NFTs", { owner: "ixo1a" }],
  ["/cosmos/upgrade/v1beta1/authority", "cosmos.upgrade.v1beta1/Authority", {}],
  ["/cosmwasm/wasm/v1/codes/params", "cosmwasm.wasm.v1/Params", {}],
  ["/cosmwasm/wasm/v1/contracts/creator/ixo1a", "cosmwasm.wasm.v1/ContractsByCreator", { creator_address: "ixo1a" }],
  [
    "/ibc/apps/fee/v1/channels/channel-0/ports/transfer/sequences/7/incentivized_packet",
    "ibc.applications.fee.v1/IncentivizedPacket",
    { packet_id: { channel_id: "channel-0", port_id: "transfer", sequence: "7" } },
  ],
  [
    "/ibc/apps/fee/v1/channels/channel-0/relayers/ixo1a/payee",
    "ibc.applications.fee.v1/Payee",
    { channel_id: "channel-0", relayer: "ixo1a" },
  ],
  ["/ibc/apps/interchain_accounts/host/v1/params", "ibc.applications.interchain_accounts.host.v1/Params", {}],
  [
    "/ibc/apps/interchain_accounts/controller/v1/owners/ixo1a/connections/connection-0",
    "ibc.applications.interchain_accounts.controller.v1/InterchainAccount",
    { owner: "ixo1a", connection_id: "connection-0" },
  ],
  [
    "/ibc/apps/transfer/v1/channels/channel-0/ports/transfer/escrow_address",
    "ibc.applications.transfer.v1/EscrowAddress",
    { channel_id: "channel-0", port_id: "transfer" },
  ],
  [
    "/ibc/apps/transfer/v1/denom_hashes/transfer/channel-0/uosmo",
    "ibc.applications.transfer.v1/DenomHash",
    { trace: "transfer/channel-0/uosmo" },
  ],
  [
    "/ibc/apps/transfer/v1/denoms/ibc/27/total_escrow",
    "ibc.applications.transfer.v1/TotalEscrowForDenom",
    { denom: "ibc/27" },
  ],
  ["/ibc/core/channel/v1/params", "ibc.core.channel.v1/ChannelParams", {}],
  [
    "/ibc/core/channel/v1/channels/channel-0/ports/transfer/upgrade",
    "ibc.core.channel.v1/Upgrade",
    { channel_id: "channel-0", port_id: "transfer" },
  ],
  ["/ibc/core/client/v1/params", "ibc.core.client.v1/ClientParams", {}],
  [
    "/ibc/core/client/v1/consensus_states/07-tendermint-0/heights",
    "ibc.core.client.v1/ConsensusStateHeights",
    { client_id: "07-tendermint-0" },
  ],
  ["/ibc/core/connection/v1/params", "ibc.core.connection.v1/ConnectionParams", {}],
  ["/ibc/lightclients/wasm/v1/checksums", "ibc.lightclients.wasm.v1/Checksums", {}],
])("%s is %s", async (path, method, message) => {
  const { status } = await edge().ask(path);
  expect([status, asked()]).toEqual([200, { method, message }]);
});

test("transactions are searched by `query`, as in SDK 0.50, and by `events`, as in earlier releases [QG-124]", async () => {
  const search = encodeURIComponent("message.sender='ixo1a' AND tx.height>5");
  await edge().ask(`/cosmos/tx/v1beta1/txs?query=${search}&page=2&limit=5&order_by=ORDER_BY_DESC`);
  const query = "message.sender='ixo1a' AND tx.height>5";
  expect(asked().message).toEqual({ query, page: "2", limit: "5", order_by: "ORDER_BY_DESC" });
  await edge().ask("/cosmos/tx/v1beta1/txs?events=a%3D1&events=b%3D2");
  expect(asked().message).toEqual({ events: ["a=1", "b=2"] });
});

test("the disabled methods of 0.50 are in the descriptor set, and stay off", async () => {
  const { ask } = edge();
  for (const path of ["encode", "decode", "encode/amino", "decode/amino", "simulate", "txs"])
    expect([path, (await ask(`POST /cosmos/tx/v1beta1/${path}`)).status]).toEqual([path, 501]);
  expect((await ask("POST /ibc/core/client/v1/verify_membership")).status).toBe(501);
});

/** The node's response, in the names of the proto. */
function answering(json: JsonObject): NodeHandler {
  return (_, __, output) => fromJson(output, json, { registry });
}

test("a block has its sdk_block; a proposal of gov v1 its title, summary and proposer", async () => {
  chain.handle = answering({ sdk_block: { header: { height: "9", proposer_address: "ixovalcons1a" } } });
  const block = (await edge().ask("/cosmos/base/tendermint/v1beta1/blocks/latest")).body;
  expect(block.sdk_block.header).toMatchObject({ height: "9", proposer_address: "ixovalcons1a" });
  chain.handle = answering({ proposal: { id: "3", title: "T", summary: "S", proposer: "ixo1a", expedited: true } });
  expect((await edge().ask("/cosmos/gov/v1/proposals/3")).body.proposal).toMatchObject({
    id: "3",
    title: "T",
    summary: "S",
    proposer: "ixo1a",
    expedited: true,
    failed_reason: "",
  });
});

test("messages of the ixo modules in a transaction are JSON [QG-124]", async () => {
  const any = (name: string, json: JsonObject) => {
    const type = registry.getMessage(name);
    if (type === undefined) throw new Error(`no type ${name}`);
    return { typeUrl: `/${name}`, value: toBinary(type, fromJson(type, json, { registry })) };
  };
  chain.handle = (_, __, output) =>
    create(output, {
      tx: {
        body: {
          messages: [
            any("ixo.entity.v1beta1.MsgCreateEntity", {
              entity_type: "asset",
              owner_did: "did:ixo:a",
              data: "eyJhIjoxfQ==",
            }),
            any("ixo.claims.v1beta1.MsgEvaluateClaim", { claim_id: "c", status: "APPROVED" }),
            any("ixo.token.v1beta1.MsgMintToken", { mint_batch: [{ name: "CARBON", amount: "5" }] }),
          ],
        },
      },
    });
  const { body } = await edge().ask("/cosmos/tx/v1beta1/txs/AB");
  expect(body.tx.body.messages).toMatchObject([
    // `data` is a json.RawMessage in the chain, which prints itself.
    { "@type": "/ixo.entity.v1beta1.MsgCreateEntity", entity_type: "asset", owner_did: "did:ixo:a", data: { a: 1 } },
    { "@type": "/ixo.claims.v1beta1.MsgEvaluateClaim", claim_id: "c", status: "APPROVED", amount: [] },
    { "@type": "/ixo.token.v1beta1.MsgMintToken", mint_batch: [{ name: "CARBON", index: "", amount: "5" }] },
  ]);
});
