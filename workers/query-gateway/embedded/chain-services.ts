/**
 * What a wallet asks a node first: which chain it is on, how far it is, whether it has caught up. The registry is the chain; its
 * height is that of its newest change, and its latest block is of the moment in which it is asked.
 */
import type { EntitySource } from "../../platform/ports.ts";
import { success } from "../../platform/result.ts";
import { fromRegistry, heightOf, invalid, type Handler, type Handlers } from "./handler.ts";

export interface ChainParts {
  readonly source: Pick<EntitySource, "revision">;
  readonly chainId: string;
  /** Unix milliseconds. */
  readonly clock: () => number;
}

/** Of a deployment that names no chain: wallets and clients take none without an id. */
export const DEFAULT_CHAIN_ID = "twinedge-1";

const MONIKER = "twinedge";

export function chainHandlers({ source, chainId, clock }: ChainParts): Handlers {
  const at = (tell: (height: bigint) => object): Handler => {
    return async () => {
      const revision = fromRegistry(await source.revision());
      if (!revision.ok) return revision;
      const height = heightOf(revision.value);
      return success({ response: tell(height), height });
    };
  };

  function blockAt(height: bigint): object {
    const now = clock();
    const time = { seconds: BigInt(Math.floor(now / 1000)), nanos: (now % 1000) * 1_000_000 };
    // There are no transactions and no validators, so nothing is hashed or signed.
    const block = { header: { chainId, height, time }, data: {}, evidence: {} };
    return { blockId: {}, block, sdkBlock: block };
  }

  return {
    "cosmos.base.tendermint.v1beta1.Service": {
      GetNodeInfo: at(() => ({
        defaultNodeInfo: { network: chainId, moniker: MONIKER },
        applicationVersion: { name: MONIKER, appName: MONIKER },
      })),
      GetSyncing: at(() => ({ syncing: false })),
      GetLatestBlock: at(blockAt),
      GetBlockByHeight: async (request) => {
        const answer = await at(blockAt)(request);
        if (!answer.ok || request["height"] === answer.value.height) return answer;
        return invalid(`this node knows its latest height ${answer.value.height} alone`);
      },
    },
  };
}
