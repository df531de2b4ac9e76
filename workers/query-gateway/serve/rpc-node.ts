/**
 * `status` and `abci_info` of CometBFT's RPC, from the documents of a node's REST service. CometBFT writes bytes in
 * hexadecimal. Clients refuse an empty hash or key, so missing values are zeros of the right length.
 */
import { base64Decode, base64Encode } from "@bufbuild/protobuf/wire";
import * as z from "zod";
import type { JsonValue } from "../../../platform/json.ts";
import { hexOf } from "../../../platform/digest.ts";

export const nodeDocumentsSchema = z.object({
  block: z.object({
    block_id: z.object({ hash: z.string().nullish() }).nullish(),
    block: z.object({
      header: z.object({ height: z.string(), time: z.string(), app_hash: z.string().nullish() }),
    }),
  }),
  info: z.object({
    default_node_info: z.object({
      protocol_version: z.object({ p2p: z.string(), block: z.string(), app: z.string() }),
      default_node_id: z.string(),
      listen_addr: z.string(),
      network: z.string(),
      version: z.string(),
      channels: z.string().nullish(),
      moniker: z.string(),
      other: z.object({ tx_index: z.string(), rpc_address: z.string() }),
    }),
    application_version: z.object({ name: z.string(), app_name: z.string(), version: z.string() }).nullish(),
  }),
  syncing: z.object({ syncing: z.boolean() }),
});

export type NodeDocuments = z.output<typeof nodeDocumentsSchema>;

/** Bytes of a hash, of an address and a node's id, of an ed25519 key. */
const HASH = 32;
const ADDRESS = 20;
const KEY = 32;

export function statusOf({ block, info: { default_node_info: node }, syncing }: NodeDocuments): JsonValue {
  const { height, time, app_hash: appHash } = block.block.header;
  return {
    node_info: {
      protocol_version: node.protocol_version,
      id: node.default_node_id === "" ? "0".repeat(ADDRESS * 2) : node.default_node_id,
      listen_addr: orNone(node.listen_addr),
      network: node.network,
      version: node.version,
      channels: hexOrZeros(node.channels, 1),
      moniker: orNone(node.moniker),
      other: node.other,
    },
    sync_info: {
      latest_block_hash: hexOrZeros(block.block_id?.hash, HASH),
      latest_app_hash: hexOrZeros(appHash, HASH),
      latest_block_height: height,
      latest_block_time: time,
      catching_up: syncing.syncing,
    },
    validator_info: {
      address: hexOrZeros("", ADDRESS),
      pub_key: { type: "tendermint/PubKeyEd25519", value: base64Encode(new Uint8Array(KEY)) },
      voting_power: "0",
    },
  };
}

export function infoOf({ block, info: { application_version: app } }: NodeDocuments): JsonValue {
  const { height, app_hash: appHash } = block.block.header;
  return {
    response: {
      data: app?.app_name ?? app?.name ?? "",
      version: app?.version ?? "",
      last_block_height: height,
      last_block_app_hash: appHash ?? "",
    },
  };
}

const orNone = (text: string): string => (text === "" ? "none" : text);

function hexOrZeros(base64: string | null | undefined, length: number): string {
  const bytes = base64Decode(base64 ?? "");
  return hexOf(bytes.byteLength === 0 ? new Uint8Array(length) : bytes).toUpperCase();
}
