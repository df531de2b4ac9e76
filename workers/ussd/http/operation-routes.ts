/** Operators' commands on accounts, and statistics; the token is required in every environment (PH-101 to PH-103). */
import { databaseOf } from "../../../platform/database/database-of.ts";
import * as z from "zod";
import { fail, newFailure } from "../../../platform/failure.ts";
import { failsWith } from "../../../platform/http/parameters.ts";
import { reply, type Reply } from "../../../platform/http/route.ts";
import { metricsDocument, PROMETHEUS_TYPE } from "../../../platform/metrics/prometheus.ts";
import type { OperationResponse } from "../../../platform/openapi.ts";
import type { Result } from "../../../platform/result.ts";
import type { OperatorCommands } from "../accounts/accounts.ts";
import { openAccounts } from "../deployment.ts";
import { createStatistics, metricsLines, type Statistics } from "../statistics.ts";
import type { UssdContext } from "./context.ts";
import { PHONE_NUMBER } from "./request.ts";
import { operator, route, type OperatorRoute } from "./route.ts";

const CUSTOMER = "/api/ussd/ops/customers/:customerId";
const customer = z.object({ customerId: z.string() });
const phoneNumber = z.string().regex(PHONE_NUMBER);
const noFields = { schema: z.strictObject({}), optional: true };

const unlock = route(
  {
    method: "post",
    path: `${CUSTOMER}/unlock`,
    id: "unlockCustomer",
    tag: "Operators",
    summary: "Unlock an account",
    auth: operator,
    params: customer,
    body: {
      schema: z.strictObject({
        phoneNumber: phoneNumber.optional().meta({ description: "Another phone that the customer logs in from." }),
      }),
      optional: true,
    },
    responses: done(z.object({ customerId: z.string(), locked: z.literal(false) })),
  },
  async ({ params, body }, c) =>
    run(c, await body(), (operators, sent) => operators.unlock(params.customerId, sent.phoneNumber)),
);

const linkPhone = route(
  {
    method: "post",
    path: `${CUSTOMER}/phone`,
    id: "linkPhone",
    tag: "Operators",
    summary: "Link another phone, or remove the link",
    auth: operator,
    params: customer,
    body: { schema: z.strictObject({ phoneNumber: phoneNumber.nullable() }) },
    responses: done(z.object({ customerId: z.string(), linked: z.boolean() })),
  },
  async ({ params, body }, c) =>
    run(c, await body(), (operators, sent) => operators.linkPhone(params.customerId, sent.phoneNumber)),
);

const resetPin = route(
  {
    method: "post",
    path: `${CUSTOMER}/reset-pin`,
    id: "resetPin",
    tag: "Operators",
    summary: "Set a temporary PIN, returned once",
    auth: operator,
    params: customer,
    body: noFields,
    responses: done(z.object({ customerId: z.string(), temporaryPin: z.string(), expiresAt: z.iso.datetime() })),
  },
  async ({ params, body }, c) => run(c, await body(), (operators) => operators.resetPin(params.customerId)),
);

const linkDid = route(
  {
    method: "post",
    path: `${CUSTOMER}/did`,
    id: "linkDid",
    tag: "Operators",
    summary: "Link a DID, or remove the link",
    auth: operator,
    params: customer,
    body: { schema: z.strictObject({ did: z.string().nullable() }) },
    responses: done(z.object({ customerId: z.string(), did: z.string().nullable() })),
    failures: [409],
  },
  async ({ params, body }, c) =>
    run(c, await body(), (operators, { did }) => operators.linkDid(params.customerId, did)),
);

/** One batch; `next` of the response is `after` of the next request. */
const rotateKeys = route(
  {
    method: "post",
    path: "/api/ussd/ops/pins/rotate",
    id: "rotateKeys",
    tag: "Operators",
    summary: "Re-encrypt one batch of PINs and keys with the current key",
    auth: operator,
    body: { schema: z.strictObject({ after: z.int().min(0).default(0) }), optional: true },
    responses: done(z.object({ examined: z.int(), resealed: z.int(), unreadable: z.int(), next: z.int().nullable() })),
  },
  async ({ body }, c) => run(c, await body(), (operators, { after }) => operators.rotateKeys(after)),
);

const dayStatistics = z
  .object({
    day: z.iso.date(),
    counters: z.record(z.string(), z.int()),
    screens: z.array(
      z.object({ screen: z.string(), language: z.string(), shown: z.int(), refused: z.int(), ended: z.int() }),
    ),
  })
  .meta({ id: "UssdDayStatistics" });

const until = failsWith(
  z.iso.date().optional().meta({ description: "The last of up to 31 days. Default: today." }),
  newFailure("invalid_request", "until must be a date such as 2026-01-31"),
);

const readStatistics = route(
  {
    method: "get",
    path: "/api/ussd/ops/stats",
    id: "readUssdStatistics",
    tag: "Operators",
    summary: "Get counts per day, without personal data",
    auth: operator,
    query: z.object({ until }),
    responses: done(z.object({ days: z.array(dayStatistics) })),
  },
  async ({ query }, c) => {
    const today = new Date().toISOString().slice(0, "2026-01-01".length);
    const days = await statisticsOf(c).days(query.until ?? today);
    return days.ok ? reply({ days: days.value }) : days;
  },
);

const readMetrics = route(
  {
    method: "get",
    path: "/api/ussd/ops/metrics",
    id: "readUssdMetrics",
    tag: "Operators",
    summary: "Get total counts for Prometheus",
    auth: operator,
    responses: { 200: { description: "Text format 0.0.4", content: { schema: z.string(), type: "text/plain" } } },
  },
  async (_input, c) => {
    const totals = await statisticsOf(c).totals();
    if (!totals.ok) return totals;
    return reply(metricsDocument(metricsLines(totals.value)), { headers: { "Content-Type": PROMETHEUS_TYPE } });
  },
);

export const operationRoutes: readonly OperatorRoute[] = [
  unlock,
  linkPhone,
  resetPin,
  linkDid,
  rotateKeys,
  readStatistics,
  readMetrics,
];

/** Runs a command with the body of the request. */
async function run<Body>(
  c: UssdContext,
  body: Result<Body>,
  command: (operators: OperatorCommands, body: Body) => Promise<Result<object>>,
): Promise<Result<Reply>> {
  if (!body.ok) return body;
  const accounts = await openAccounts(c.env.env);
  if (!accounts.ok) return fail("unavailable", "Service temporarily unavailable");
  const outcome = await command(accounts.value.operators, body.value);
  return outcome.ok ? reply(outcome.value) : outcome;
}

function statisticsOf({ env: { env, log } }: UssdContext): Statistics {
  return createStatistics(databaseOf(env), () => Date.now(), log);
}

function done(schema: z.ZodType): Readonly<Record<number, OperationResponse>> {
  return { 200: { description: "Done", content: { schema } } };
}
