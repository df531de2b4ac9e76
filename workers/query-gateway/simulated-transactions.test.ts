/** Transactions as JSON: simulated, and sent back as bytes. */
import { create } from "@bufbuild/protobuf";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { chainNode } from "../../test/support/query-gateway/chain-node.ts";

const chain = chainNode();
const { empty, edge } = chain;

/** A transaction as JSON, with values that a chain prints differently from protobuf: an Any, a decimal, a contract's own message. */
const tx = {
  body: {
    messages: [
      { "@type": "/cosmos.bank.v1beta1.MsgSend", from_address: "a", amount: [{ denom: "uixo", amount: "5" }] },
      {
        "@type": "/cosmos.authz.v1beta1.MsgExec",
        msgs: [{ "@type": "/cosmwasm.wasm.v1.MsgExecuteContract", sender: "a", msg: { vote: { id: "ID" } } }],
      },
      { "@type": "/ixo.bonds.v1beta1.MsgSetNextAlpha", bond_did: "d", alpha: "-0.5", delta: "1" },
    ],
    memo: "m",
  },
  auth_info: {
    signer_infos: [{ public_key: { "@type": "/cosmos.crypto.secp256k1.PubKey", key: "AQI=" }, sequence: "7" }],
    fee: { gas_limit: "1" },
  },
  signatures: [""],
};

// More digits than a JavaScript number can represent.
const simulation = JSON.stringify({ tx }).replace('"ID"', "12345678901234567890");

const simulating = { enabled: ["cosmos.tx.v1beta1.Service/Simulate"] };

test("a JSON tx is simulated: the node gets the literal type URLs and the chain's own values [QG-35]", async () => {
  const { status } = await edge(simulating).ask("POST /cosmos/tx/v1beta1/simulate", { body: simulation });
  const message = chain.node.seen.at(-1)?.message as unknown as {
    tx: {
      body: { messages: { typeUrl: string; value: Uint8Array }[] };
      authInfo: { signerInfos: { publicKey: { typeUrl: string } }[] };
    };
  };
  expect(status).toBe(200);
  const { messages } = message.tx.body;
  expect(messages.map(({ typeUrl }) => typeUrl)).toEqual([
    "/cosmos.bank.v1beta1.MsgSend",
    "/cosmos.authz.v1beta1.MsgExec",
    "/ixo.bonds.v1beta1.MsgSetNextAlpha",
  ]);
  expect(message.tx.authInfo.signerInfos[0]?.publicKey.typeUrl).toBe("/cosmos.crypto.secp256k1.PubKey");
  const [, exec, alpha] = messages.map(({ value }) => new TextDecoder().decode(value));
  expect(exec).toContain("/cosmwasm.wasm.v1.MsgExecuteContract");
  expect(exec).toContain('{"vote":{"id":12345678901234567890}}');
  expect(alpha).toContain("-500000000000000000");
  expect(alpha).toContain("1000000000000000000");
});

test("over a node's REST endpoint the same tx passes unchanged", async () => {
  const bodies: string[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      bodies.push(Buffer.concat(chunks).toString());
      response.setHeader("Content-Type", "application/json").end('{"gas_info":null,"result":null}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const nodes = [{ kind: "lcd", url: `http://127.0.0.1:${port}` }];
  const answer = await edge({ nodes, ...simulating }).ask("POST /cosmos/tx/v1beta1/simulate", { body: simulation });
  server.close();
  expect(answer.status).toBe(200);
  expect(bodies[0]).toContain('"msg":{"vote":{"id":12345678901234567890}}');
  const { messages } = JSON.parse(bodies[0] ?? "").tx.body;
  expect(messages).toMatchObject([
    tx.body.messages[0],
    { msgs: [{ "@type": "/cosmwasm.wasm.v1.MsgExecuteContract", sender: "a" }] },
    { "@type": "/ixo.bonds.v1beta1.MsgSetNextAlpha", alpha: "-0.500000000000000000", delta: "1.000000000000000000" },
  ]);
});

test.each([
  ["of no known type", "no.Such", Uint8Array.of(1)],
  ["of no known type, without bytes", "no.Such", Uint8Array.of()],
  ["whose bytes cannot be read", "cosmos.bank.v1beta1.MsgSend", Uint8Array.of(0x0a, 9)],
])("a message %s is printed as bytes and may be sent back [QG-35]", async (_, name, value) => {
  const sent = { typeUrl: `/${name}`, value };
  chain.handle = (__, ___, output) => create(output, { tx: { body: { messages: [sent] } } });
  const { body } = await edge().ask("/cosmos/tx/v1beta1/txs/AB");
  chain.handle = empty;
  const answered = await edge(simulating).ask("POST /cosmos/tx/v1beta1/simulate", { body: JSON.stringify(body) });
  const message = chain.node.seen.at(-1)?.message as unknown as { tx: { body: { messages: unknown[] } } };
  expect([answered.status, message.tx.body.messages]).toMatchObject([200, [sent]]);
});

test.each([
  ["bytes that are not base64", { "@type": "/no.Such", value: "$" }],
  ["bytes beside other members", { "@type": "/no.Such", value: "AQ==", a: 1 }],
  ["a decimal with a letter", { "@type": "/ixo.bonds.v1beta1.MsgSetNextAlpha", alpha: "0.5x" }],
  ["19 decimals", { "@type": "/ixo.bonds.v1beta1.MsgSetNextAlpha", alpha: "0.1234567890123456789" }],
  ["an amount with a point", { "@type": "/cosmos.bank.v1beta1.MsgSend", amount: [{ denom: "u", amount: "1.5" }] }],
  ["a message of no known type", { "@type": "/no.Such" }],
])("%s is a 400, and no node is asked", async (_, message) => {
  const before = chain.node.seen.length;
  const body = JSON.stringify({ tx: { body: { messages: [message] } } });
  const { status } = await edge(simulating).ask("POST /cosmos/tx/v1beta1/simulate", { body });
  expect([status, chain.node.seen.length]).toEqual([400, before]);
});
