/** A domain with what it inherits from its classes (contract/registry.md section 4.3). */
import { Hono } from "hono";
import * as z from "zod";
import type { Operation } from "../../platform/openapi.ts";
import { refuse, type RegistryHono } from "../context.ts";
import { keyedProblems, keyedSecurity, knownTag } from "../description.ts";
import { classChain, compositeDocument } from "../domain/composite.ts";
import { digestOf } from "../domain/content.ts";
import { compositeRecord } from "../domain/domain-schema.ts";
import { representationOf } from "../domain/representation.ts";
import { unknownDomain } from "../failures.ts";
import { keyed } from "../middleware/keyed.ts";
import { namedDomain } from "../middleware/named-domain.ts";
import { answerUnlessKnown } from "../middleware/preconditions.ts";
import { queryOf } from "../middleware/query.ts";
import { readClassChain } from "../store/class-chain-store.ts";
import { readEffective } from "../store/effective-domain.ts";

export const compositeRoutes = new Hono<RegistryHono>();

const read: Operation = {
  method: "get",
  path: "/v1/domains/:id/composite",
  id: "getCompositeDomain",
  summary: "Read a domain together with what it inherits from its classes",
  description: "Services and linked things are inherited, rights and keys never. The nearest item of a name wins.",
  tag: "Domains",
  security: keyedSecurity,
  params: z.object({ id: z.string() }),
  headers: knownTag,
  responses: {
    200: {
      description: "The domain, its merged document, and the chain of its classes",
      content: { schema: compositeRecord },
      headers: { ETag: "Of all versions in the chain" },
    },
    304: { description: "Nothing in the chain has changed" },
    ...keyedProblems("invalid_did", "not_found"),
  },
};

compositeRoutes.get(read.path, keyed("domains:read"), async (c) => {
  const query = queryOf(c);
  if (!query.ok) return refuse(c, query.error);
  const id = namedDomain(c);
  if (!id.ok) return refuse(c, id.error);
  const { database, clock } = c.var.runtime;
  const [settled, stored] = await Promise.all([
    readEffective(database, id.value, clock()),
    readClassChain(database, id.value),
  ]);
  if (settled === undefined) return refuse(c, unknownDomain().error);
  const { domain } = settled;
  const { domains, ...chain } = classChain(domain, stored);
  const versions = [domain, ...domains].map((each) => each.versionId);
  const etag = `"${await digestOf([versions, chain.inheritance.length])}"`;
  return answerUnlessKnown(
    c,
    { etag },
    { ...representationOf(domain), document: compositeDocument(domain, domains), ...chain },
  );
});

export const compositeOperations: readonly Operation[] = [read];
