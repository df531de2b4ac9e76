/** A domain as a Markdown file that can be read and written back. */
import * as z from "zod";
import { reply } from "../../../platform/http/route.ts";
import { DOMAIN_MD_BYTES, readDomainMd, writeDomainMd } from "../domain/domain-md.ts";
import { domainRecord } from "../domain/domain-schema.ts";
import { etagOf } from "../domain/representation.ts";
import { replaceMetadata } from "../domain/update.ts";
import { keyed } from "../http/authentication.ts";
import { changeNamed, domainParams, readNamed, replyDomain } from "../http/named-domain.ts";
import { route } from "../http/route.ts";

const tag = "Domains";
const path = "/v1/domains/:id/domain.md";
const MARKDOWN = "text/markdown";
const file = z.string().meta({ description: "YAML front matter between two lines of ---, then Markdown" });

const read = route(
  {
    method: "get",
    path,
    id: "getDomainMarkdown",
    summary: "Get a domain as a Markdown file",
    description:
      "The metadata as front matter, `metadata.body` as the text. The member `_domain` of the front matter describes the record.",
    tag,
    auth: keyed("domains:read"),
    params: domainParams,
    conditional: true,
    responses: {
      200: {
        description: "The file",
        content: { schema: file, type: MARKDOWN },
        headers: { ETag: "Tag of the domain. Send it as If-Match to write the file back" },
      },
    },
    failures: ["not_found"],
  },
  async ({ params: { id } }, c) => {
    const named = await readNamed(c, id);
    if (!named.ok) return named;
    const { domain } = named.value;
    return reply(writeDomainMd(domain), {
      headers: {
        ETag: etagOf(domain),
        "Content-Type": `${MARKDOWN}; charset=utf-8`,
        "Content-Disposition": 'inline; filename="domain.md"',
      },
    });
  },
);

/** PUT, and POST for tools that support only POST. */
function write(method: "put" | "post", id: string) {
  return route(
    {
      method,
      path,
      id,
      summary: "Replace the metadata of a domain with a Markdown file",
      description: `At most ${DOMAIN_MD_BYTES / 1024 / 1024} MiB. The file replaces all metadata: members that it omits are deleted. \`_domain\` is ignored. For controllers and admins.`,
      tag,
      auth: keyed("domains:write"),
      params: domainParams,
      ifMatch: true,
      body: {
        schema: file,
        type: MARKDOWN,
        // curl's default type is accepted, as everywhere.
        accepts: [MARKDOWN, "text/plain", "text/x-markdown", "application/x-www-form-urlencoded", ""],
        limit: DOMAIN_MD_BYTES,
        example: '---\nname: "Clean Cooking"\n---\n\nStoves for everybody.\n',
      },
      responses: {
        200: {
          description: "The current domain",
          content: { schema: domainRecord },
          headers: { ETag: "Tag of this version" },
        },
      },
      failures: ["not_found", "not_controller", "domain_deactivated", "write_contention", "quota_exceeded"],
    },
    async (input, c) => {
      const { body } = input;
      const outcome = await changeNamed(c, input, async (domain, change) => {
        const text = await body();
        if (!text.ok) return text;
        const metadata = readDomainMd(text.value, domain.id);
        return metadata.ok ? replaceMetadata(domain, metadata.value, change) : metadata;
      });
      return outcome.ok ? replyDomain(outcome.value.after) : outcome;
    },
  );
}

export const domainMdRoutes = [read, write("put", "putDomainMarkdown"), write("post", "postDomainMarkdown")];
