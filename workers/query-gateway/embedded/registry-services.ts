/** `ixo.entity` and `ixo.iid` of the embedded node, answered from the domain registry (contract D, section 8). */
import type { DomainEntity } from "../../platform/ports.ts";
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
} from "./handler.ts";
import { pageResponse, readPaging } from "./paging.ts";

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
