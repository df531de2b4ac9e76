/** The types that the platform knows, published with their meaning (contract/registry.md section 3.3). */
import { Hono } from "hono";
import * as z from "zod";
import type { Operation } from "../../platform/openapi.ts";
import { refuse, type RegistryHono } from "../context.ts";
import { keyedProblems, keyedSecurity, knownTag } from "../description.ts";
import { knownTypes, typeKeyOf } from "../domain/known-types.ts";
import { sha256Hex } from "../../platform/digest.ts";
import { keyed } from "../middleware/keyed.ts";
import { answerUnlessKnown } from "../middleware/preconditions.ts";
import { queryOf } from "../middleware/query.ts";

export const domainTypeRoutes = new Hono<RegistryHono>();

const domainType = z
  .object({
    type: z.string(),
    key: z.string().meta({ description: "What types are compared by: lower case, one spelling for all aliases." }),
    aliases: z.array(z.string()),
    description: z.string(),
  })
  .meta({ id: "DomainType" });

const listDomainTypes: Operation = {
  method: "get",
  path: "/v1/domain-types",
  id: "listDomainTypes",
  summary: "The types of domains that the platform knows",
  tag: "Domains",
  security: keyedSecurity,
  headers: knownTag,
  responses: {
    200: {
      description: "`open` means that other types are accepted too",
      content: { schema: z.object({ data: z.array(domainType), open: z.literal(true) }) },
      headers: { ETag: "Changes with the list" },
    },
    304: { description: "The list is the one that If-None-Match names" },
    ...keyedProblems(),
  },
};

const answer = { data: knownTypes.map((known) => ({ ...known, key: typeKeyOf(known.type) })), open: true };
/** Digits of the digest that make the tag: more than enough for a list that changes with a release. */
const TAG_LENGTH = 16;

domainTypeRoutes.get(listDomainTypes.path, keyed(), async (c) => {
  const query = queryOf(c);
  if (!query.ok) return refuse(c, query.error);
  const digest = await sha256Hex(JSON.stringify(answer));
  return answerUnlessKnown(c, { etag: `"${digest.slice(0, TAG_LENGTH)}"` }, answer);
});

export const domainTypeOperations: readonly Operation[] = [listDomainTypes];
