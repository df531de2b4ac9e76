/** The card of a domain (contract/registry.md section 13): for everybody, unless the deployment closes it. */
import { Hono } from "hono";
import * as z from "zod";
import type { Operation } from "../../platform/openapi.ts";
import { refuse, type RegistryHono } from "../context.ts";
import { did, knownTag, problems, time } from "../description.ts";
import { cardOf } from "../domain/card.ts";
import { jsonObject } from "../domain/members.ts";
import { variantTagOf } from "../domain/representation.ts";
import { openFor } from "../middleware/keyed.ts";
import { readNamedDomain } from "../middleware/named-domain.ts";
import { isUnchanged } from "../middleware/preconditions.ts";
import { queryOf } from "../middleware/query.ts";

export const cardRoutes = new Hono<RegistryHono>();

const CREDENTIAL = "application/vc";

const card = z
  .object({
    "@context": z.array(z.unknown()),
    id: z.string().meta({ description: "The domain's DID and `#dmn`" }),
    type: z.array(z.string()),
    issuer: did,
    validFrom: time,
    validUntil: time.optional(),
    credentialSubject: jsonObject,
  })
  .meta({ id: "DomainCard", description: "A credential by the W3C data model 2.0, without a proof" });

const read: Operation = {
  method: "get",
  path: "/v1/domains/:id/card",
  id: "getDomainCard",
  summary: "Read the card of a domain",
  description:
    "What the domain says of itself, and whether it is verified. Public unless the deployment closes it; listed as a service in the DID document. With `Accept: application/vc` under that type.",
  tag: "Domains",
  security: [[], ["apiKey"], ["apiKeyHeader"]],
  params: z.object({ id: z.string() }),
  headers: knownTag,
  responses: {
    200: {
      description: "The card",
      content: [{ schema: card }, { schema: card, type: CREDENTIAL }],
      headers: { ETag: "Of the version in this media type" },
    },
    304: { description: "Not changed" },
    ...problems(
      "invalid_did",
      "unknown_parameter",
      "conflicting_credentials",
      "unauthenticated",
      "invalid_token",
      "insufficient_scope",
      "not_found",
      "rate_limited",
      "internal",
      "unavailable",
    ),
  },
};

cardRoutes.get(read.path, openFor("card"), async (c) => {
  const query = queryOf(c);
  if (!query.ok) return refuse(c, query.error);
  const settled = await readNamedDomain(c);
  if (!settled.ok) return refuse(c, settled.error);
  const { domain } = settled.value;
  const isWanted = (c.req.header("Accept") ?? "").toLowerCase().includes(CREDENTIAL);
  const type = isWanted ? CREDENTIAL : "application/json";
  const etag = await variantTagOf(domain, type);
  const headers = { ETag: etag, Vary: "Accept", "Cache-Control": "no-cache" };
  if (isUnchanged(c, etag)) return c.body(null, 304, headers);
  return c.body(JSON.stringify(cardOf(domain)), 200, { ...headers, "Content-Type": type });
});

export const cardOperations: readonly Operation[] = [read];
