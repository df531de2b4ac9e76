/**
 * What the embedded node answers from the domain registry: `ixo.entity`, `ixo.iid`, and what a wallet asks first (which chain,
 * how high, whether it has caught up). The registry is the chain, and its newest change is the height.
 */
import type { DomainEntity, EntitySource } from "../../platform/ports.ts";
import { failure, success } from "../../platform/result.ts";
import { entityMessage, iidDocumentMessage } from "./entity-messages.ts";
import {
  fromRegistry,
  heightOf,
  invalid,
  notFound,
  textField,
  type Handler,
  type Handlers,
  type RegistryParts,
  pageResponse,
  readPaging,
} from "./handler.ts";

export function registryHandlers({ source, relayerNode }: RegistryParts, entityParams: () => object): Handlers {
  const entityOf = (domain: DomainEntity) => entityMessage(domain, relayerNode);

  function one(tell: (domain: DomainEntity) => object, what: string): Handler {
    return async (request) => {
      const id = textField(request, "id");
      if (id === "") return invalid(`${what} id is required`);
      const found = fromRegistry(await source.entity(id));
      if (!found.ok) return found;
      const height = heightOf(found.value.revision);
      const { value } = found.value;
      if (value === undefined) return failure({ ...notFound(`${what} ${id} not found`).error, height });
      return success({ response: tell(value), height });
    };
  }

  function page(name: string, tell: (domain: DomainEntity) => object): Handler {
    return async (request) => {
      const paging = readPaging(request["pagination"]);
      if (!paging.ok) return paging;
      const read = fromRegistry(await source.entities(paging.value));
      if (!read.ok) return read;
      const { entities, next, total } = read.value.value;
      const response = { [name]: entities.map(tell), pagination: pageResponse(next, total) };
      return success({ response, height: heightOf(read.value.revision) });
    };
  }

  return {
    "ixo.entity.v1beta1.Query": {
      Params: async () => {
        const revision = fromRegistry(await source.revision());
        if (!revision.ok) return revision;
        return success({ response: { params: entityParams() }, height: heightOf(revision.value) });
      },
      Entity: one((domain) => ({ entity: entityOf(domain), iidDocument: iidDocumentMessage(domain) }), "entity"),
      EntityMetaData: one((domain) => ({ entity: entityOf(domain) }), "entity"),
      EntityIidDocument: one((domain) => ({ iidDocument: iidDocumentMessage(domain) }), "entity"),
      EntityVerified: one(({ isVerified }) => ({ entityVerified: isVerified }), "entity"),
      EntityList: page("entities", entityOf),
    },
    "ixo.iid.v1beta1.Query": {
      IidDocument: one((domain) => ({ iidDocument: iidDocumentMessage(domain) }), "did document"),
      IidDocuments: page("iidDocuments", iidDocumentMessage),
    },
  };
}

interface ChainParts {
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
