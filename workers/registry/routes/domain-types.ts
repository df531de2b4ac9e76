/** The types that the platform knows, with their meaning. */
import * as z from "zod";
import { sha256Hex } from "../../../platform/digest.ts";
import { reply } from "../../../platform/http/route.ts";
import { knownTypes, typeKeyOf } from "../domain/known-types.ts";
import { keyed } from "../http/authentication.ts";
import { route } from "../http/route.ts";

const domainType = z
  .object({
    type: z.string(),
    key: z
      .string()
      .meta({ description: "The form in which types are compared: lower case, one spelling for all aliases." }),
    aliases: z.array(z.string()),
    description: z.string(),
  })
  .meta({ id: "DomainType" });

const list = { data: knownTypes.map((known) => ({ ...known, key: typeKeyOf(known.type) })), open: true };
/** Digits of the digest in the tag: enough for a list that changes only with a release. */
const TAG_LENGTH = 16;

export const domainTypeRoutes = [
  route(
    {
      method: "get",
      path: "/v1/domain-types",
      id: "listDomainTypes",
      summary: "List the known types of domains",
      tag: "Domains",
      auth: keyed(),
      conditional: true,
      responses: {
        200: {
          description: "`open` means that other types are accepted too",
          content: { schema: z.object({ data: z.array(domainType), open: z.literal(true) }) },
          headers: { ETag: "Changes with the list" },
        },
      },
    },
    async () => {
      const digest = await sha256Hex(JSON.stringify(list));
      return reply(list, { headers: { ETag: `"${digest.slice(0, TAG_LENGTH)}"` } });
    },
  ),
];
