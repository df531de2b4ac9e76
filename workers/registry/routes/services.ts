/** The downstream services of a domain, and its current eligibility. */
import * as z from "zod";
import { failsWith } from "../../../platform/http/parameters.ts";
import { reply } from "../../../platform/http/route.ts";
import { switchService } from "../commands/change-domain.ts";
import { did, time, serviceStateRecord } from "../domain/domain-schema.ts";
import { domainStatuses, serviceNames, verificationStatuses } from "../domain/domain.ts";
import { mayUpdate } from "../domain/update.ts";
import { printTime } from "../domain/time.ts";
import { notController, registryFailure } from "../failures.ts";
import { reasonCodes, reasonsAgainst } from "../governance/eligibility.ts";
import { noteChange } from "../http/audited.ts";
import { keyed } from "../http/authentication.ts";
import { domainParams, readNamed } from "../http/named-domain.ts";
import { firstOf } from "../http/pages.ts";
import { route } from "../http/route.ts";
import { SMALL_BODY_BYTES } from "../limits.ts";

const tag = "Verification";
const path = "/v1/domains/:id/services/:name";
const params = z.object({
  name: failsWith(
    z.enum(serviceNames).meta({ description: "`reporting` or `issuance`" }),
    registryFailure("not_found", `Services are ${serviceNames.join(" and ")}`),
  ),
  ...domainParams.shape,
});
const content = { schema: serviceStateRecord };

const read = route(
  {
    method: "get",
    path,
    id: "getService",
    summary: "Get the state of a downstream service",
    tag,
    auth: keyed("domains:read"),
    params,
    responses: { 200: { description: "The state", content } },
    failures: ["not_found"],
  },
  async ({ params: { id, name } }, c) => {
    const named = await readNamed(c, id);
    return named.ok ? reply(named.value.domain.services[name]) : named;
  },
);

const put = route(
  {
    method: "put",
    path,
    id: "switchService",
    summary: "Switch a downstream service on or off",
    description:
      "For controllers and admins. Switching on requires a domain that is verified, active and valid; switching off always works.",
    tag,
    auth: keyed("domains:write"),
    params,
    body: { schema: z.object({ enabled: z.boolean() }), example: { enabled: true }, limit: SMALL_BODY_BYTES },
    responses: { 200: { description: "The new state", content } },
    failures: ["not_controller", "not_found", "not_eligible", "write_contention", "quota_exceeded"],
  },
  async ({ params: { id, name }, body, caller }, c) => {
    const named = await readNamed(c, id);
    if (!named.ok) return named;
    if (!mayUpdate(caller, named.value.domain)) return notController();
    const sent = await body();
    if (!sent.ok) return sent;
    const { enabled } = sent.value;
    const switched = await switchService(c.var.runtime, { domainId: id, name, enabled, caller });
    if (!switched.ok) return switched;
    noteChange(c, { after: { enabled } });
    c.env.log.info("service-switched", { domain: id, service: name, enabled, by: caller.keyId });
    return reply(switched.value);
  },
);

const readEligibility = route(
  {
    method: "get",
    path: "/v1/domains/:id/eligibility",
    id: "getEligibility",
    summary: "Check whether a domain may take part, and list every reason against it",
    tag,
    auth: keyed("domains:read"),
    params: domainParams,
    query: z.object({
      activity: z
        .preprocess(firstOf, z.enum(serviceNames, { error: `must be one of ${serviceNames.join(", ")}` }).optional())
        .meta({ description: "Requires this service to be enabled as well." }),
    }),
    responses: {
      200: {
        description: "The domain is eligible if there are no reasons",
        content: {
          schema: z.object({
            domainId: did,
            eligible: z.boolean(),
            reasons: z.array(z.object({ code: z.enum(reasonCodes), message: z.string() })),
            status: z.enum(domainStatuses),
            verificationStatus: z.enum(verificationStatuses),
            validFrom: time.nullable(),
            validUntil: time.nullable(),
            services: z.object({ reporting: serviceStateRecord, issuance: serviceStateRecord }),
            checkedAt: time,
          }),
        },
      },
    },
    failures: ["not_found"],
  },
  async ({ params: { id }, query: { activity } }, c) => {
    const now = c.var.runtime.clock();
    const named = await readNamed(c, id, now);
    if (!named.ok) return named;
    const { domain } = named.value;
    const { status, verificationStatus, validFrom, validUntil, services } = domain;
    const reasons = reasonsAgainst(domain, now, activity);
    const rest = { status, verificationStatus, validFrom, validUntil, services, checkedAt: printTime(now) };
    return reply({ domainId: domain.id, eligible: reasons.length === 0, reasons, ...rest });
  },
);

export const serviceRoutes = [read, put, readEligibility];
