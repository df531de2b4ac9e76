/** The DID document of a domain: read as a whole and written item by item. */
import * as z from "zod";
import { failsWith } from "../../../platform/http/parameters.ts";
import { reply } from "../../../platform/http/route.ts";
import { didDocumentOf } from "../domain/did-document.ts";
import { domainRecord } from "../domain/domain-schema.ts";
import { itemLists } from "../domain/domain.ts";
import { hasItem, putItem, removeItem } from "../domain/item-update.ts";
import { jsonObject } from "../domain/members.ts";
import { variantTagOf } from "../domain/representation.ts";
import { registryFailure } from "../failures.ts";
import { keyed } from "../http/authentication.ts";
import { cardAddress, changeNamed, domainParams, readNamed, replyDomain } from "../http/named-domain.ts";
import { jsonObjectBody, route } from "../http/route.ts";

const tag = "Domains";

const readDocument = route(
  {
    method: "get",
    path: "/v1/domains/:id/document",
    id: "getDomainDocument",
    summary: "Get the DID document of a domain",
    description: "The domain's own document, never merged with the documents of its classes.",
    tag,
    auth: keyed("domains:read"),
    params: domainParams,
    conditional: true,
    responses: {
      200: {
        description: "The DID document",
        content: { schema: jsonObject },
        headers: { ETag: "Tag of the document. Send it as If-Match to write the domain" },
      },
    },
    failures: ["not_found"],
  },
  async ({ params: { id } }, c) => {
    const named = await readNamed(c, id);
    if (!named.ok) return named;
    const { domain } = named.value;
    const address = cardAddress(c, domain.id);
    const headers = {
      ETag: await variantTagOf(domain, address),
      "Last-Modified": new Date(domain.updatedAt).toUTCString(),
    };
    return reply(didDocumentOf(domain, address), { headers });
  },
);

const itemPath = "/v1/domains/:id/document/:list/:itemId";
const itemParams = z.object({
  list: failsWith(z.enum(itemLists), registryFailure("not_found", `Lists are ${itemLists.join(", ")}`)),
  itemId: z.string().meta({ description: "Percent-encoded, such as `%23key-1` for `#key-1`" }),
  ...domainParams.shape,
});
const itemFailures = [
  "validation_failed",
  "not_found",
  "not_controller",
  "domain_deactivated",
  "write_contention",
  "quota_exceeded",
] as const;

const put = route(
  {
    method: "put",
    path: itemPath,
    id: "putDocumentItem",
    summary: "Add or replace one item of the document",
    tag,
    auth: keyed("domains:write"),
    params: itemParams,
    ifMatch: true,
    body: {
      ...jsonObjectBody(jsonObject),
      example: { type: "LinkedDomains", serviceEndpoint: "https://example.org" },
    },
    responses: {
      200: { description: "The domain; the item was replaced", content: { schema: domainRecord } },
      201: { description: "The domain; the item was added", content: { schema: domainRecord } },
    },
    failures: [...itemFailures, "unknown_field"],
  },
  async (input, c) => {
    const { body, params } = input;
    const place = { list: params.list, id: params.itemId };
    const changed = await changeNamed(c, input, async (domain, update) => {
      const item = await body();
      return item.ok ? putItem(domain, place, item.value, update) : item;
    });
    if (!changed.ok) return changed;
    const { before, after } = changed.value;
    const isAdded = !hasItem(before, place) && hasItem(after, place);
    return replyDomain(after, isAdded ? 201 : 200);
  },
);

const remove = route(
  {
    method: "delete",
    path: itemPath,
    id: "deleteDocumentItem",
    summary: "Remove one item of the document",
    tag,
    auth: keyed("domains:write"),
    params: itemParams,
    ifMatch: true,
    responses: { 200: { description: "The domain", content: { schema: domainRecord } } },
    failures: itemFailures,
  },
  async (input, c) => {
    const { list, itemId } = input.params;
    const changed = await changeNamed(c, input, (domain, update) => removeItem(domain, { list, id: itemId }, update));
    return changed.ok ? replyDomain(changed.value.after) : changed;
  },
);

export const documentRoutes = [readDocument, put, remove];
