/** `ixo.claims` and `ixo.token` of the embedded node, answered from sample data. */
import type { EntitySource } from "../../../platform/ports.ts";
import { success, type Result } from "../../../platform/result.ts";
import type { NodeStatus } from "../upstream/upstream.ts";
import {
  atRevision,
  notFound,
  readPaging,
  slice,
  textField,
  type Fields,
  type Handler,
  type Handlers,
} from "./handler.ts";
import type { Member, SeedMessage, SeedMessages } from "./seed.ts";

type Matches = (item: SeedMessage, request: Fields) => boolean;

export function seedHandlers(seed: SeedMessages, source: Pick<EntitySource, "revision">): Handlers {
  const at = (respond: (request: Fields) => Result<object, NodeStatus>): Handler => atRevision(source, respond);
  const params = (member: Member) => at(() => success({ params: seed.of(member)[0] }));
  const page = (name: string, member: Member, matches: Matches = () => true) =>
    at((request) => {
      const paging = readPaging(request["pagination"]);
      if (!paging.ok) return paging;
      const items = seed.of(member).filter((item) => matches(item, request));
      const cut = slice(items, paging.value);
      return cut.ok ? success({ [name]: cut.value.items, pagination: cut.value.pagination }) : cut;
    });
  const find = (name: string, member: Member, matches: Matches) =>
    at((request) => {
      const item = seed.of(member).find((each) => matches(each, request));
      return item === undefined ? notFound(`${name} not found`) : success({ [name]: item });
    });

  return {
    "ixo.claims.v1beta1.Query": {
      Params: params("claimsParams"),
      Collection: find("collection", "collections", equal({ id: "id" })),
      CollectionList: page("collections", "collections"),
      Claim: find("claim", "claims", equal({ claimId: "id" })),
      ClaimList: page("claims", "claims"),
      Dispute: find("dispute", "disputes", (item, request) => proofOf(item) === textField(request, "proof")),
      DisputeList: page("disputes", "disputes"),
      IntentList: page("intents", "intents"),
    },
    "ixo.token.v1beta1.Query": {
      Params: params("tokenParams"),
      TokenList: page("tokenDocs", "tokens", equal({ minter: "minter" })),
      TokenDoc: find("tokenDoc", "tokens", equal({ minter: "minter", contractAddress: "contractAddress" })),
      TokenMetadata: at((request) => {
        const found = seed.tokenMetadata().get(textField(request, "id"));
        return found === undefined ? notFound("token not found") : success(found);
      }),
    },
  };
}

/** `pairs` maps fields of the item to the fields of the request that they must equal. */
function equal(pairs: Readonly<Record<string, string>>): Matches {
  return (item, request) =>
    Object.entries(pairs).every(([field, requested]) => item[field] === textField(request, requested));
}

function proofOf({ data }: SeedMessage): string | undefined {
  return (data as { readonly proof?: string } | undefined)?.proof;
}
