/**
 * CometBFT's RPC on a separate port: the answers of a chain with one block, in the formats of the real server. The test answers
 * queries. Node only.
 */
import { createHash } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export interface CometNode {
  readonly url: string;
  /** Method and parameters of each request. */
  readonly seen: readonly { readonly method: string; readonly params: Readonly<Record<string, unknown>> }[];
  /** Sent transactions, base64. */
  readonly sent: readonly string[];
  close(): Promise<void>;
}

const HEIGHT = "12";
const hash = "AB".repeat(32);
const blockId = { hash, parts: { total: 1, hash } };
const time = "2026-11-23T10:00:00.123456789Z";

const header = (chainId: string) => ({
  version: { block: "11", app: "0" },
  chain_id: chainId,
  height: HEIGHT,
  time,
  last_block_id: blockId,
  last_commit_hash: hash,
  data_hash: hash,
  validators_hash: hash,
  next_validators_hash: hash,
  consensus_hash: hash,
  app_hash: hash,
  last_results_hash: hash,
  evidence_hash: hash,
  proposer_address: "CD".repeat(20),
});

export async function startCometNode(
  chainId: string,
  query: (path: string, data: Uint8Array) => Uint8Array | undefined,
): Promise<CometNode> {
  const seen: { method: string; params: Record<string, unknown> }[] = [];
  const sent: string[] = [];
  const txHash = (tx: string) => createHash("sha256").update(Buffer.from(tx, "base64")).digest("hex").toUpperCase();
  const txResult = (tx: string) => ({
    hash: txHash(tx),
    height: HEIGHT,
    index: 0,
    tx_result: { code: 0, data: null, log: "", info: "", gas_wanted: "1", gas_used: "1", events: [], codespace: "" },
    tx,
  });

  function answer(method: string, params: Record<string, unknown>): object | undefined {
    switch (method) {
      case "status":
        return {
          node_info: {
            protocol_version: { p2p: "8", block: "11", app: "0" },
            id: "EF".repeat(20).toLowerCase(),
            listen_addr: "tcp://0.0.0.0:26656",
            network: chainId,
            version: "0.38.17",
            channels: "40202122233038606100",
            moniker: "comet",
            other: { tx_index: "on", rpc_address: "tcp://0.0.0.0:26657" },
          },
          sync_info: {
            latest_block_hash: hash,
            latest_app_hash: hash,
            latest_block_height: HEIGHT,
            latest_block_time: time,
            earliest_block_hash: hash,
            earliest_app_hash: hash,
            earliest_block_height: "1",
            earliest_block_time: time,
            catching_up: false,
          },
          validator_info: {
            address: "CD".repeat(20),
            pub_key: { type: "tendermint/PubKeyEd25519", value: Buffer.alloc(32, 7).toString("base64") },
            voting_power: "0",
          },
        };
      case "abci_info":
        return { response: { data: "ixo", version: "8", last_block_height: HEIGHT, last_block_app_hash: "qqo=" } };
      case "abci_query": {
        const { path, data } = params as { path: string; data: string };
        const value = query(path, Buffer.from(data, "hex"));
        const base = { log: "", info: "", index: "0", key: null, proofOps: null, height: HEIGHT, codespace: "" };
        if (value === undefined)
          return { response: { ...base, code: 6, log: "unknown query path", codespace: "sdk", value: null } };
        return { response: { ...base, code: 0, value: Buffer.from(value).toString("base64") } };
      }
      case "block":
        if (params["height"] !== undefined && params["height"] !== HEIGHT) return undefined;
        return {
          block_id: blockId,
          block: {
            header: header(chainId),
            data: { txs: sent },
            evidence: { evidence: [] },
            last_commit: { height: "11", round: 0, block_id: blockId, signatures: [] },
          },
        };
      case "tx_search": {
        const found = sent.filter((tx) => String(params["query"]).includes(txHash(tx)));
        return { txs: found.map(txResult), total_count: String(found.length) };
      }
      case "broadcast_tx_sync": {
        const tx = String(params["tx"]);
        sent.push(tx);
        return { code: 0, data: "", log: "", codespace: "", hash: txHash(tx) };
      }
      default:
        return undefined;
    }
  }

  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { id, method, params } = JSON.parse(Buffer.concat(chunks).toString()) as {
        id: number;
        method: string;
        params: Record<string, unknown>;
      };
      seen.push({ method, params });
      const result = answer(method, params);
      const error = { code: -32_603, message: "Internal error", data: "height 99 must be less than or equal to 12" };
      response.setHeader("Content-Type", "application/json");
      // The real server sends internal errors with status 500.
      response.statusCode = result === undefined ? 500 : 200;
      response.end(JSON.stringify({ jsonrpc: "2.0", id, ...(result === undefined ? { error } : { result }) }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    seen,
    sent,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
