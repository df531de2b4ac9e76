/** The card of a domain: for everybody, unless the deployment closes it. */
import * as z from "zod";
import { reply } from "../../platform/http/route.ts";
import { did, time } from "../description.ts";
import { cardOf } from "../domain/card.ts";
import { jsonObject } from "../domain/members.ts";
import { variantTagOf } from "../domain/representation.ts";
import { openFor } from "../http/authentication.ts";
import { domainParams, readNamed } from "../http/named-domain.ts";
import { route } from "../http/route.ts";

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

const read = route(
  {
    method: "get",
    path: "/v1/domains/:id/card",
    id: "getDomainCard",
    summary: "Read the card of a domain",
    description:
      "What the domain says of itself, and whether it is verified. Public unless the deployment closes it; listed as a service in the DID document. With `Accept: application/vc` under that type.",
    tag: "Domains",
    auth: openFor("card"),
    params: domainParams,
    conditional: true,
    responses: {
      200: {
        description: "The card",
        content: [{ schema: card }, { schema: card, type: CREDENTIAL }],
        headers: { ETag: "Of the version in this media type" },
      },
    },
    failures: ["not_found"],
  },
  async ({ params: { id } }, c) => {
    const named = await readNamed(c, id);
    if (!named.ok) return named;
    const { domain } = named.value;
    const isCredential = (c.req.header("Accept") ?? "").toLowerCase().includes(CREDENTIAL);
    const type = isCredential ? CREDENTIAL : "application/json";
    const headers = { ETag: await variantTagOf(domain, type), Vary: "Accept", "Cache-Control": "no-cache" };
    return reply(cardOf(domain), { headers: { ...headers, "Content-Type": type } });
  },
);

export const cardRoutes = [read];
