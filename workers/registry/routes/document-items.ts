/** The DID document of a domain, and single items of its lists (contract/registry.md sections 1.2, 2 and 5). */
import { Hono } from "hono";
import * as z from "zod";
import type { Operation } from "../../platform/openapi.ts";
import { success, type Result } from "../../platform/result.ts";
import { refuse, type RegistryContext, type RegistryHono } from "../context.ts";
import { keyedProblems, keyedSecurity, knownTag } from "../description.ts";
import { didDocumentOf } from "../domain/did-document.ts";
import { domainRecord } from "../domain/domain-schema.ts";
import { itemLists, type DomainRecord, type DomainStep } from "../domain/domain.ts";
import { hasItem, isItemList, putItem, removeItem, type ItemPlace } from "../domain/item-update.ts";
import { jsonObject } from "../domain/members.ts";
import { variantTagOf } from "../domain/representation.ts";
import type { Update } from "../domain/update.ts";
import { jsonBody } from "../middleware/body.ts";
import { keyed } from "../middleware/keyed.ts";
import { readNamedDomain } from "../middleware/named-domain.ts";
import { cardAddress } from "../middleware/public-address.ts";
import { answerUnlessKnown } from "../middleware/preconditions.ts";
import { queryOf } from "../middleware/query.ts";
import { refused } from "../failures.ts";
import { answerDomain, changeNamedDomain } from "./change-named-domain.ts";

const tag = "Domains";
export const documentRoutes = new Hono<RegistryHono>();

const readDocument: Operation = {
  method: "get",
  path: "/v1/domains/:id/document",
  id: "getDomainDocument",
  summary: "Read the DID document of a domain",
  description: "Its own, never merged with that of its classes.",
  tag,
  security: keyedSecurity,
  params: z.object({ id: z.string() }),
  headers: knownTag,
  responses: {
    200: {
      description: "The DID document",
      content: { schema: jsonObject },
      headers: { ETag: "Of the document; a write of the domain takes it as If-Match" },
    },
    304: { description: "Not changed" },
    ...keyedProblems("invalid_did", "not_found"),
  },
};

documentRoutes.get(readDocument.path, keyed("domains:read"), async (c) => {
  const query = queryOf(c);
  if (!query.ok) return refuse(c, query.error);
  const settled = await readNamedDomain(c);
  if (!settled.ok) return refuse(c, settled.error);
  const { domain } = settled.value;
  const address = cardAddress(c, domain.id);
  const validators = { etag: await variantTagOf(domain, address), lastModified: domain.updatedAt };
  return answerUnlessKnown(c, validators, didDocumentOf(domain, address));
});

const itemParams = z.object({
  id: z.string(),
  list: z.enum(itemLists),
  itemId: z.string().meta({ description: "Percent-encoded, such as `%23key-1` for `#key-1`" }),
});
const headers = z.object({ "If-Match": z.string() });
const itemProblems = [
  "invalid_did",
  "validation_failed",
  "not_found",
  "not_controller",
  "domain_deactivated",
  "write_contention",
  "version_mismatch",
  "precondition_required",
] as const;

const putDocumentItem: Operation = {
  method: "put",
  path: "/v1/domains/:id/document/:list/:itemId",
  id: "putDocumentItem",
  summary: "Add or replace one item of the document",
  tag,
  security: keyedSecurity,
  params: itemParams,
  headers,
  body: { schema: jsonObject, example: { type: "LinkedDomains", serviceEndpoint: "https://example.org" } },
  responses: {
    200: { description: "The domain; the item was replaced", content: { schema: domainRecord } },
    201: { description: "The domain; the item was added", content: { schema: domainRecord } },
    ...keyedProblems(...itemProblems, "malformed_json", "unknown_field", "body_too_large", "unsupported_media_type"),
  },
};

documentRoutes.put(putDocumentItem.path, keyed("domains:write"), async (c) =>
  answerItemChange(c, async (domain, place, update) => {
    const body = await jsonBody(c);
    return body.ok ? putItem(domain, place, body.value, update) : body;
  }),
);

const deleteDocumentItem: Operation = {
  method: "delete",
  path: "/v1/domains/:id/document/:list/:itemId",
  id: "deleteDocumentItem",
  summary: "Remove one item of the document",
  tag,
  security: keyedSecurity,
  params: itemParams,
  headers,
  responses: {
    200: { description: "The domain", content: { schema: domainRecord } },
    ...keyedProblems(...itemProblems),
  },
};

documentRoutes.delete(deleteDocumentItem.path, keyed("domains:write"), async (c) => answerItemChange(c, removeItem));

async function answerItemChange(
  c: RegistryContext,
  change: (domain: DomainRecord, place: ItemPlace, update: Update) => Promise<Result<DomainStep | undefined>>,
): Promise<Response> {
  const place = namedItem(c);
  if (!place.ok) return refuse(c, place.error);
  const changed = await changeNamedDomain(c, (domain, update) => change(domain, place.value, update));
  if (!changed.ok) return refuse(c, changed.error);
  const { before, after } = changed.value;
  const added = !hasItem(before, place.value) && hasItem(after, place.value);
  return answerDomain(c, after, added ? 201 : 200);
}

function namedItem(c: RegistryContext): Result<ItemPlace> {
  const list = c.req.param("list") ?? "";
  const id = c.req.param("itemId") ?? "";
  return isItemList(list) ? success({ list, id }) : refused("not_found", `Lists are ${itemLists.join(", ")}`);
}

export const documentOperations: readonly Operation[] = [readDocument, putDocumentItem, deleteDocumentItem];
