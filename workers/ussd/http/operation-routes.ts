/** What operators do and measure, with the token in every environment (contract/ussd.md section 8, decisions 4.9). */
import * as z from "zod";
import { fail, newFailure, type Failure } from "../../platform/failure.ts";
import { readBody } from "../../platform/http/body.ts";
import { parseJson } from "../../platform/parse-json.ts";
import { success, type Result } from "../../platform/result.ts";
import type { OperatorCommands } from "../accounts/accounts.ts";
import { openAccounts } from "../deployment.ts";
import { createStatistics } from "../statistics.ts";
import { errorResponse, notFound, type UssdContext } from "./context.ts";
import { metricsText } from "../metrics-text.ts";
import { authenticateOperator } from "./access.ts";

/** Bytes: a DID is the longest that any of these bodies holds. */
const MAX_BODY_BYTES = 4_096;

const nothing = z.strictObject({});
const didBody = z.strictObject({ did: z.string().nullable() });
const rotationBody = z.strictObject({ after: z.int().min(0).default(0) });
const dayQuery = z.iso.date();

async function operatorRefusal(c: UssdContext): Promise<Response | undefined> {
  const verdict = await authenticateOperator(c.req.header("Authorization"), c.var.config.USSD_OPERATOR_TOKEN);
  if (verdict === "granted") return undefined;
  return verdict === "disabled" ? notFound(c) : errorResponse(c, newFailure("unauthenticated", "Unauthorized"));
}

/** An act on accounts: the body by its schema, then the act, then its answer as JSON. */
async function act<Schema extends z.ZodType>(
  c: UssdContext,
  schema: Schema,
  work: (operators: OperatorCommands, body: z.output<Schema>) => Promise<Result<object>>,
): Promise<Response> {
  const refusal = await operatorRefusal(c);
  if (refusal !== undefined) return refusal;
  const body = await readActBody(c, schema);
  if (!body.ok) return actRefusal(c, body.error);
  const accounts = await openAccounts(c.env.env);
  if (!accounts.ok) return errorResponse(c, newFailure("unavailable", "Service temporarily unavailable"));
  const outcome = await work(accounts.value.operators, body.value);
  return outcome.ok ? c.json(outcome.value, 200, { "Cache-Control": "no-store" }) : actRefusal(c, outcome.error);
}

async function readActBody<Schema extends z.ZodType>(
  c: UssdContext,
  schema: Schema,
): Promise<Result<z.output<Schema>>> {
  const text = await readBody(c.req.raw, MAX_BODY_BYTES);
  if (!text.ok) return text;
  const json = text.value.trim() === "" ? success({}) : parseJson(text.value);
  const checked = json.ok ? schema.safeParse(json.value) : undefined;
  if (checked?.success) return success(checked.data);
  return fail("invalid_request", "The body is not what this route takes");
}

/** In this surface's words: 400 and 409 say why, 404 says no more than that. */
function actRefusal(c: UssdContext, reason: Failure): Response {
  switch (reason.code) {
    case "not_found":
      return c.json({ error: "Not Found" }, 404, { "Cache-Control": "no-store" });
    case "invalid_request":
    case "too_large":
      return c.json({ error: "Bad Request", message: reason.message }, 400, { "Cache-Control": "no-store" });
    case "conflict":
      return c.json({ error: "Conflict", message: reason.message }, 409, { "Cache-Control": "no-store" });
    default:
      return errorResponse(c, reason);
  }
}

export function unlockRoute(c: UssdContext, customerId: string): Promise<Response> {
  return act(c, nothing, (operators) => operators.unlock(customerId));
}

export function resetPinRoute(c: UssdContext, customerId: string): Promise<Response> {
  return act(c, nothing, (operators) => operators.resetPin(customerId));
}

export function linkDidRoute(c: UssdContext, customerId: string): Promise<Response> {
  return act(c, didBody, (operators, { did }) => operators.linkDid(customerId, did));
}

/** One batch; the answer's `next` is the `after` of the next call. */
export function rotatePinsRoute(c: UssdContext): Promise<Response> {
  return act(c, rotationBody, (operators, { after }) => operators.rotateKeys(after));
}

/** `?until=YYYY-MM-DD`: a month up to that day, today by default. */
export async function statisticsRoute(c: UssdContext): Promise<Response> {
  const refusal = await operatorRefusal(c);
  if (refusal !== undefined) return refusal;
  const today = new Date().toISOString().slice(0, "2026-01-01".length);
  const until = dayQuery.safeParse(c.req.query("until") ?? today);
  if (!until.success) return actRefusal(c, newFailure("invalid_request", "until must be a date such as 2026-01-31"));
  const days = await createStatistics(c.env.env.DATABASE, () => Date.now(), c.env.log).days(until.data);
  return days.ok ? c.json({ days: days.value }, 200, { "Cache-Control": "no-store" }) : errorResponse(c, days.error);
}

export async function metricsRoute(c: UssdContext): Promise<Response> {
  const refusal = await operatorRefusal(c);
  if (refusal !== undefined) return refusal;
  const totals = await createStatistics(c.env.env.DATABASE, () => Date.now(), c.env.log).totals();
  if (!totals.ok) return errorResponse(c, totals.error);
  return c.body(metricsText(totals.value), 200, {
    "Content-Type": "text/plain; version=0.0.4; charset=utf-8",
    "Cache-Control": "no-store",
  });
}
