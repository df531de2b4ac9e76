/** Further views of a domain: its history, the content inherited from its classes, and its card. */
import * as z from "zod";
import { failsWith } from "../../../platform/http/parameters.ts";
import { reply } from "../../../platform/http/route.ts";
import { cardOf, shownAddressNames, shownTextNames } from "../domain/card.ts";
import { classChain, compositeDocument } from "../domain/composite.ts";
import { did, time, compositeRecord, historicVersionRecord, historyEntryRecord } from "../domain/domain-schema.ts";
import { jsonObject } from "../domain/members.ts";
import { representationOf, variantTagOf } from "../domain/representation.ts";
import { digestOf } from "../domain/content.ts";
import { domainStatuses, verificationStatuses, markedMembers } from "../domain/domain.ts";
import { refused, registryFailure, unknownDomain } from "../failures.ts";
import { keyed, openFor } from "../http/authentication.ts";
import { domainParams, readNamed } from "../http/named-domain.ts";
import { pageParameters, pageResponse, replyPage } from "../http/pages.ts";
import { route } from "../http/route.ts";
import { meteredPage } from "../http/row-meter.ts";
import { cursorOf } from "../lists/cursor.ts";
import { readClassChain } from "../store/class-chain-store.ts";
import { readEffective } from "../store/effective-domain.ts";
import { listHistory, readVersion } from "../store/history-store.ts";

const tag = "Domains";
const unknownVersion = "The domain has no such version";

const listChanges = route(
  {
    method: "get",
    path: "/v1/domains/:id/history",
    id: "listHistory",
    summary: "List the history of a domain, newest first",
    tag,
    auth: keyed("domains:read"),
    params: domainParams,
    query: z.object(pageParameters),
    responses: pageResponse(historyEntryRecord),
    failures: ["not_found", "invalid_cursor"],
  },
  async ({ params: { id }, query: { limit, cursor } }, c) => {
    const cursors = cursorOf(["history", id]);
    const position = cursors.read(cursor, z.tuple([z.int().min(1)]));
    if (!position.ok) return position;
    const named = await readNamed(c, id);
    if (!named.ok) return named;
    const before = position.value?.[0];
    const { database } = c.var.runtime;
    const page = await meteredPage(c, limit + 1, () => listHistory(database, id, { before, limit }));
    if (!page.ok) return page;
    const { entries: items, more } = page.value;
    const last = more ? items.at(-1) : undefined;
    return replyPage(c, { items, limit, nextCursor: last === undefined ? null : cursors.print([last.version]) });
  },
);

const readChange = route(
  {
    method: "get",
    path: "/v1/domains/:id/history/:version",
    id: "getHistoricVersion",
    summary: "Get one version of a domain: its changes and its whole record",
    tag,
    auth: keyed("domains:read"),
    params: domainParams.extend({
      version: failsWith(
        z
          .string()
          .regex(/^[1-9]\d{0,9}$/)
          .transform(Number)
          .meta({ description: "A whole number of at least 1" }),
        registryFailure("not_found", unknownVersion),
      ),
    }),
    responses: { 200: { description: "The version", content: { schema: historicVersionRecord } } },
    failures: ["not_found"],
  },
  async ({ params: { id, version } }, c) => {
    const named = await readNamed(c, id);
    if (!named.ok) return named;
    const found = await readVersion(c.var.runtime.database, id, { version });
    if (found === undefined) return refused("not_found", unknownVersion);
    return reply({ ...found.entry, record: representationOf(found.record) });
  },
);

const readComposite = route(
  {
    method: "get",
    path: "/v1/domains/:id/composite",
    id: "getCompositeDomain",
    summary: "Get a domain with everything that it inherits from its classes",
    description:
      "Services and linked items are inherited; rights and keys are not. If several items have one name, the nearest one takes precedence.",
    tag,
    auth: keyed("domains:read"),
    params: domainParams,
    conditional: true,
    responses: {
      200: {
        description: "The domain, its merged document, and the chain of its classes",
        content: { schema: compositeRecord },
        headers: { ETag: "Tag of all versions in the chain" },
      },
    },
    failures: ["not_found"],
  },
  async ({ params: { id } }, c) => {
    const { database, clock } = c.var.runtime;
    const [effective, stored] = await Promise.all([readEffective(database, id, clock()), readClassChain(database, id)]);
    if (effective === undefined) return unknownDomain();
    const { domain } = effective;
    const { domains, ...chain } = classChain(domain, stored);
    const versions = [domain, ...domains].map((each) => each.versionId);
    const composite = { ...representationOf(domain), document: compositeDocument(domain, domains), ...chain };
    return reply(composite, { headers: { ETag: `"${await digestOf([versions, chain.inheritance.length])}"` } });
  },
);

const CREDENTIAL = "application/vc";

const shownText = z.string().optional().meta({ description: "From the metadata" });
const card = z
  .object({
    "@context": z.array(z.unknown()),
    id: z.string().meta({ description: "The domain's DID and `#dmn`" }),
    type: z.array(z.string()),
    issuer: did,
    validFrom: time,
    validUntil: time.optional(),
    credentialSubject: z.object({
      id: did,
      ...Object.fromEntries([...shownTextNames, ...shownAddressNames, "name"].map((name) => [name, shownText])),
      domainType: z.string(),
      class: z.string(),
      controllers: z.array(did),
      status: z.enum(domainStatuses),
      verificationStatus: z.enum(verificationStatuses),
      entityVerified: z.boolean(),
      verifiedAt: time.optional(),
      verifiedVersion: z.int().optional(),
      changedSinceVerification: z
        .array(z.enum(markedMembers))
        .optional()
        .meta({ description: "Only while the domain is verified" }),
      version: z.int(),
      versionId: z.string(),
      updatedAt: time,
      metadata: jsonObject,
    }),
  })
  .meta({ id: "DomainCard", description: "A credential by the W3C data model 2.0, without a proof" });

const readCard = route(
  {
    method: "get",
    path: "/v1/domains/:id/card",
    id: "getDomainCard",
    summary: "Get the card of a domain",
    description:
      "The domain's statements about itself, and whether it is verified. Public unless the deployment restricts it, and listed as a service in the DID document. With `Accept: application/vc`, the response has that type.",
    tag,
    auth: openFor("card"),
    params: domainParams,
    conditional: true,
    responses: {
      200: {
        description: "The card",
        content: [{ schema: card }, { schema: card, type: CREDENTIAL }],
        headers: { ETag: "Tag of the version in this media type" },
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

export const domainViewRoutes = [listChanges, readChange, readComposite, readCard];
