/** The downstream services of a domain (contract/registry.md section 6.6) and whether it may have them (6.7). */
import { Hono } from "hono";
import * as z from "zod";
import type { Operation } from "../../platform/openapi.ts";
import { type Result, success } from "../../platform/result.ts";
import { switchService } from "../commands/change-domain.ts";
import { refuse, type RegistryContext, type RegistryHono } from "../context.ts";
import { did, keyedProblems, keyedSecurity, time } from "../description.ts";
import { serviceStateRecord } from "../domain/domain-schema.ts";
import {
  type DomainRecord,
  domainStatuses,
  type ServiceName,
  serviceNames,
  verificationStatuses,
} from "../domain/domain.ts";
import { isServiceName } from "../domain/services.ts";
import { readShape } from "../domain/shape.ts";
import { printTime } from "../domain/time.ts";
import { mayUpdate } from "../domain/update.ts";
import { failureOfDetails, notController, refused, registryFailure } from "../failures.ts";
import { reasonsAgainst } from "../governance/eligibility.ts";
import { SMALL_BODY_BYTES } from "../limits.ts";
import { jsonBody } from "../middleware/body.ts";
import { keyed } from "../middleware/keyed.ts";
import { readNamedDomain } from "../middleware/named-domain.ts";
import { queryOf } from "../middleware/query.ts";

const tag = "Verification";
export const serviceRoutes = new Hono<RegistryHono>();

const params = z.object({ id: z.string(), name: z.string().meta({ description: "`reporting` or `issuance`" }) });
const content = { schema: serviceStateRecord };

const read: Operation = {
  method: "get",
  path: "/v1/domains/:id/services/:name",
  id: "getService",
  summary: "The state of a downstream service as it is now",
  tag,
  security: keyedSecurity,
  params,
  responses: { 200: { description: "The state", content }, ...keyedProblems("invalid_did", "not_found") },
};

serviceRoutes.get(read.path, keyed("domains:read"), async (c) => {
  const query = queryOf(c);
  if (!query.ok) return refuse(c, query.error);
  const named = await namedService(c);
  if (!named.ok) return refuse(c, named.error);
  return c.json(named.value.domain.services[named.value.name]);
});

const serviceBody = z.object({ enabled: z.boolean() });

const put: Operation = {
  method: "put",
  path: "/v1/domains/:id/services/:name",
  id: "switchService",
  summary: "Switch a downstream service on or off",
  description: "For controllers and admins. On needs a domain that is verified, active and valid; off always works.",
  tag,
  security: keyedSecurity,
  params,
  body: { schema: serviceBody, example: { enabled: true } },
  responses: {
    200: { description: "The state afterwards", content },
    ...keyedProblems(
      "invalid_did",
      "not_controller",
      "not_found",
      "malformed_json",
      "validation_failed",
      "not_eligible",
      "write_contention",
      "body_too_large",
      "unsupported_media_type",
    ),
  },
};

serviceRoutes.put(put.path, keyed("domains:write"), async (c) => {
  const { runtime, caller } = c.var;
  const query = queryOf(c);
  if (!query.ok) return refuse(c, query.error);
  const named = await namedService(c);
  if (!named.ok) return refuse(c, named.error);
  const { domain, name } = named.value;
  if (!mayUpdate(caller, domain)) return refuse(c, notController().error);
  const body = await jsonBody(c, { limit: SMALL_BODY_BYTES });
  if (!body.ok) return refuse(c, body.error);
  const draft = readShape(serviceBody, body.value);
  if (!draft.ok) return refuse(c, failureOfDetails(draft.error));
  const { enabled } = draft.value;
  const switched = await switchService(runtime, { domainId: domain.id, name, enabled, caller });
  if (!switched.ok) return refuse(c, switched.error);
  c.env.log.info("service-switched", { domain: domain.id, service: name, enabled, by: caller.keyId });
  return c.json(switched.value);
});

const eligibilityQuery = z.object({
  activity: z.enum(serviceNames).optional().meta({ description: "Asks for this service to be enabled, too." }),
});

const judge: Operation = {
  method: "get",
  path: "/v1/domains/:id/eligibility",
  id: "getEligibility",
  summary: "Whether a domain may take part now, and every reason why not",
  tag,
  security: keyedSecurity,
  params: z.object({ id: z.string() }),
  query: eligibilityQuery,
  responses: {
    200: {
      description: "Eligible exactly when there are no reasons",
      content: {
        schema: z.object({
          domainId: did,
          eligible: z.boolean(),
          reasons: z.array(z.object({ code: z.string(), message: z.string() })),
          status: z.enum(domainStatuses),
          verificationStatus: z.enum(verificationStatuses),
          validFrom: time.nullable(),
          validUntil: time.nullable(),
          services: z.object({ reporting: serviceStateRecord, issuance: serviceStateRecord }),
          checkedAt: time,
        }),
      },
    },
    ...keyedProblems("invalid_did", "not_found", "validation_failed"),
  },
};

serviceRoutes.get(judge.path, keyed("domains:read"), async (c) => {
  const query = queryOf(c, ["activity"]);
  if (!query.ok) return refuse(c, query.error);
  const activity = query.value.get("activity") ?? undefined;
  if (activity !== undefined && !isServiceName(activity)) {
    const message = `activity must be one of ${serviceNames.join(", ")}`;
    return refuse(
      c,
      registryFailure("validation_failed", message, { details: [{ parameter: "activity", reason: "range", message }] }),
    );
  }
  const now = c.var.runtime.clock();
  const settled = await readNamedDomain(c, now);
  if (!settled.ok) return refuse(c, settled.error);
  const { domain } = settled.value;
  const { status, verificationStatus, validFrom, validUntil, services } = domain;
  const reasons = reasonsAgainst(domain, now, activity);
  return c.json({
    domainId: domain.id,
    eligible: reasons.length === 0,
    reasons,
    status,
    verificationStatus,
    validFrom,
    validUntil,
    services,
    checkedAt: printTime(now),
  });
});

async function namedService(
  c: RegistryContext,
): Promise<Result<{ readonly domain: DomainRecord; readonly name: ServiceName }>> {
  const name = c.req.param("name") ?? "";
  if (!isServiceName(name)) return refused("not_found", `Services are ${serviceNames.join(" and ")}`);
  const settled = await readNamedDomain(c);
  return settled.ok ? success({ domain: settled.value.domain, name }) : settled;
}

export const serviceOperations: readonly Operation[] = [read, put, judge];
