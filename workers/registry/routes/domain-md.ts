/** A domain as a Markdown file, to be read and to be written back (contract/registry.md section 13). */
import { Hono } from "hono";
import * as z from "zod";
import type { Operation } from "../../platform/openapi.ts";
import { refuse, type RegistryContext, type RegistryHono } from "../context.ts";
import { keyedProblems, keyedSecurity, knownTag } from "../description.ts";
import { DOMAIN_MD_BYTES, readDomainMd, writeDomainMd } from "../domain/domain-md.ts";
import { domainRecord } from "../domain/domain-schema.ts";
import { etagOf } from "../domain/representation.ts";
import { replaceMetadata } from "../domain/update.ts";
import { boundedText, type BodyTypes } from "../middleware/body.ts";
import { keyed } from "../middleware/keyed.ts";
import { readNamedDomain } from "../middleware/named-domain.ts";
import { isUnchanged } from "../middleware/preconditions.ts";
import { queryOf } from "../middleware/query.ts";
import { answerDomain, changeNamedDomain } from "./change-named-domain.ts";

const tag = "Domains";
const MARKDOWN = "text/markdown";
export const domainMdRoutes = new Hono<RegistryHono>();

const params = z.object({ id: z.string() });
const file = z.string().meta({ description: "YAML front matter between two lines of ---, then Markdown" });

const read: Operation = {
  method: "get",
  path: "/v1/domains/:id/domain.md",
  id: "getDomainMarkdown",
  summary: "Read a domain as a Markdown file",
  description:
    "The metadata as front matter, `metadata.body` as the text. The member `_domain` of the front matter tells of the record.",
  tag,
  security: keyedSecurity,
  params,
  headers: knownTag,
  responses: {
    200: {
      description: "The file",
      content: { schema: file, type: MARKDOWN },
      headers: { ETag: "Of the domain; send it as If-Match to write the file back" },
    },
    304: { description: "Not changed" },
    ...keyedProblems("invalid_did", "not_found"),
  },
};

domainMdRoutes.get(read.path, keyed("domains:read"), async (c) => {
  const query = queryOf(c);
  if (!query.ok) return refuse(c, query.error);
  const settled = await readNamedDomain(c);
  if (!settled.ok) return refuse(c, settled.error);
  const etag = etagOf(settled.value.domain);
  const headers = { ETag: etag, "Cache-Control": "private, no-cache" };
  if (isUnchanged(c, etag)) return c.body(null, 304, headers);
  return c.body(writeDomainMd(settled.value.domain), 200, {
    ...headers,
    "Content-Type": `${MARKDOWN}; charset=utf-8`,
    // The body is whatever its author wrote: no browser shall take it for a page.
    "X-Content-Type-Options": "nosniff",
    "Content-Disposition": 'inline; filename="domain.md"',
  });
});

const write = {
  path: "/v1/domains/:id/domain.md",
  summary: "Set the metadata of a domain by a Markdown file",
  description: `At most ${DOMAIN_MD_BYTES / 1024 / 1024} MiB. The metadata is what the file says, whole; what it leaves out is gone. \`_domain\` is not read. For controllers and admins.`,
  tag,
  security: keyedSecurity,
  params,
  headers: z.object({ "If-Match": z.string().meta({ description: "The ETag that was read, or `*`" }) }),
  body: { schema: file, type: MARKDOWN, example: '---\nname: "Clean Cooking"\n---\n\nStoves for everybody.\n' },
  responses: {
    200: {
      description: "The domain as it is now",
      content: { schema: domainRecord },
      headers: { ETag: "Of this version" },
    },
    ...keyedProblems(
      "invalid_did",
      "not_found",
      "not_controller",
      "malformed_json",
      "validation_failed",
      "domain_deactivated",
      "write_contention",
      "version_mismatch",
      "precondition_required",
      "body_too_large",
      "unsupported_media_type",
    ),
  },
};
const put: Operation = { method: "put", id: "putDomainMarkdown", ...write };
const post: Operation = { method: "post", id: "postDomainMarkdown", ...write };

const bodyTypes: BodyTypes = {
  header: "Accept-Post",
  preferred: MARKDOWN,
  // As everywhere, what curl says when it is told nothing passes too.
  accepts: (type) =>
    [MARKDOWN, "text/plain", "text/x-markdown", "application/x-www-form-urlencoded", ""].includes(type),
};

domainMdRoutes.put(put.path, keyed("domains:write"), (c) => writeBack(c));
domainMdRoutes.post(post.path, keyed("domains:write"), (c) => writeBack(c));

async function writeBack(c: RegistryContext): Promise<Response> {
  let text: ReturnType<typeof boundedText> | undefined;
  const changed = await changeNamedDomain(c, async (domain, update) => {
    // Once, however often the change is tried.
    text ??= boundedText(c, DOMAIN_MD_BYTES, bodyTypes);
    const sent = await text;
    if (!sent.ok) return sent;
    const metadata = readDomainMd(sent.value, domain.id);
    return metadata.ok ? replaceMetadata(domain, metadata.value, update) : metadata;
  });
  return changed.ok ? answerDomain(c, changed.value.after) : refuse(c, changed.error);
}

export const domainMdOperations: readonly Operation[] = [read, put, post];
