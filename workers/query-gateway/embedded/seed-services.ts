/** `ixo.claims` and `ixo.token` of the embedded node, answered from a seed (contract D, section 8). */
import type { EntitySource } from "../../platform/ports.ts";
import { failure, success, type Result } from "../../platform/result.ts";
import type { GatewayFault } from "../gateway-fault.ts";
import {
  fromRegistry,
  heightOf,
  notFound,
  textField,
  type Fields,
  type Handler,
  type Handlers,
  readPaging,
  slice,
} from "./handler.ts";
import type { Held, SeedMessages } from "./seed.ts";

export function seedHandlers(seed: SeedMessages, source: Pick<EntitySource, "revision">): Handlers {
  const at = (tell: (request: Fields) => Result<object, GatewayFault>): Handler => {
    return async (request) => {
      const revision = fromRegistry(await source.revision());
      if (!revision.ok) return revision;
      const height = heightOf(revision.value);
      const told = tell(request);
      return told.ok ? success({ response: told.value, height }) : failure({ ...told.error, height });
    };
  };
  const page = (name: string, items: (request: Fields) => readonly Held[]) =>
    at((request) => {
      const paging = readPaging(request["pagination"]);
      const cut = paging.ok ? slice(items(request), paging.value) : paging;
      return cut.ok ? success({ [name]: cut.value.items, pagination: cut.value.pagination }) : cut;
    });
  const find = (name: string, items: () => readonly Held[], isIt: (item: Held, request: Fields) => boolean) =>
    at((request) => {
      const item = items().find((each) => isIt(each, request));
      return item === undefined ? notFound(`${name} not found`) : success({ [name]: item });
    });

  return {
    "ixo.claims.v1beta1.Query": {
      Params: at(() => success({ params: seed.claimsParams[0] })),
      Collection: find(
        "collection",
        () => seed.collections,
        (item, asked) => isSame(item, asked, { id: "id" }),
      ),
      CollectionList: page("collections", () => seed.collections),
      Claim: find(
        "claim",
        () => seed.claims,
        (item, asked) => isSame(item, asked, { claimId: "id" }),
      ),
      ClaimList: page("claims", () => seed.claims),
      Dispute: find(
        "dispute",
        () => seed.disputes,
        (item, asked) => proofOf(item) === textField(asked, "proof"),
      ),
      DisputeList: page("disputes", () => seed.disputes),
      IntentList: page("intents", () => seed.intents),
    },
    "ixo.token.v1beta1.Query": {
      Params: at(() => success({ params: seed.tokenParams[0] })),
      TokenList: page("tokenDocs", (asked) => seed.tokens.filter((item) => isSame(item, asked, { minter: "minter" }))),
      TokenDoc: find(
        "tokenDoc",
        () => seed.tokens,
        (item, asked) => isSame(item, asked, { minter: "minter", contractAddress: "contractAddress" }),
      ),
      TokenMetadata: at((request) => {
        const found = seed.tokenMetadata.get(textField(request, "id"));
        return found === undefined ? notFound("token not found") : success(found);
      }),
    },
  };
}

/** `pairs`: fields of the item to the fields of the request that they must equal. */
function isSame(item: Held, request: Fields, pairs: Readonly<Record<string, string>>): boolean {
  return Object.entries(pairs).every(([field, asked]) => item[field] === textField(request, asked));
}

function proofOf({ data }: Held): string | undefined {
  return (data as { readonly proof?: string } | undefined)?.proof;
}
