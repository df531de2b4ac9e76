/**
 * How the registry declares its routes: the settings that the platform's `route()` needs for this surface. Failures are
 * documented by their reasons. A write handler gets `once` for its Idempotency-Key and `ifMatch` for its precondition.
 */
import type * as z from "zod";
import type { Failure, FailureDetail } from "../../../platform/failure.ts";
import { routesOf, type Edge, type Reply, type Route } from "../../../platform/http/route.ts";
import type { Labels } from "../../../platform/http/route-document.ts";
import type { JsonObject } from "../../../platform/json.ts";
import { failure, success, type Result } from "../../../platform/result.ts";
import type { Caller } from "../caller.ts";
import { refuse, type RegistryContext, type RegistryHono } from "../context.ts";
import { issueReason, jsonObjectOf, readShape } from "../domain/shape.ts";
import { failureOfDetails, registryFailure, type RegistryReason } from "../failures.ts";
import { boundedText } from "./body.ts";
import { runOnce, type Remember } from "./idempotency.ts";
import { ifMatch, isUnchanged } from "./preconditions.ts";
import { problemResponses } from "./schemas.ts";
import type { Declaration } from "../../../platform/http/route-declaration.ts";

/** Any route of the registry; its failures are documented by reason. */
export type RegistryRoute = Route<RegistryHono, string>;

export interface RegistryExtras {
  /** Undefined only on public routes. */
  readonly caller: Caller;
  /** Runs the effect once per Idempotency-Key; its batch contains the statements that `remember` returns. */
  readonly once: (effect: (remember: Remember) => Promise<Result<Reply>>) => Promise<Result<Reply> | Response>;
  /** Why the write must not apply to a domain whose tag is `current`. */
  readonly ifMatch: (current: string) => Failure | undefined;
}

const labels: Labels<RegistryReason> = {
  always: ["unknown_parameter", "internal", "unavailable", "storage_full"],
  parts: {
    params: ["validation_failed"],
    query: ["validation_failed"],
    headers: ["validation_failed"],
    body: ["malformed_json", "validation_failed", "body_too_large", "unsupported_media_type"],
    idempotent: ["validation_failed", "idempotency_mismatch"],
    ifMatch: ["precondition_required", "version_mismatch"],
  },
  of: ({ reason }) => reason as RegistryReason,
  responses: problemResponses,
};

export const registryEdge: Edge<RegistryHono, RegistryReason, RegistryExtras> = {
  refuse,
  send,
  labels,
  extras: (c, { body }) => ({
    caller: c.var.caller,
    once: (effect) => runOnce(c, body, effect),
    ifMatch: (current) => ifMatch(c, current),
  }),
  async readBody(c, rule) {
    const text = await boundedText(c, rule);
    if (!text.ok) return text;
    if (rule.type !== undefined && !/[/+]json$/.test(rule.type)) {
      return rule.read === undefined ? text : rule.read(text.value, c);
    }
    const isLeftOut = rule.optional === true && text.value.trim() === "";
    const json = isLeftOut ? success({}) : jsonObjectOf(text.value);
    if (!json.ok) return json;
    if (rule.read !== undefined) return rule.read(json.value, c);
    return checkedBody(rule.schema, json.value);
  },
  invalid: (_part, { issues }) =>
    failureOfDetails(
      distinct(issues).map((issue): FailureDetail => {
        const parameter = String(issue.path[0]);
        // zod's own messages follow a colon; ours continue the name.
        const separator = /^[A-Z]/.test(issue.message) ? ":" : "";
        return { parameter, reason: issueReason(issue, "range"), message: `${parameter}${separator} ${issue.message}` };
      }),
    ),
  unknownParameters(unknown, known) {
    const message = known.length === 0 ? "This route takes no parameters" : `Known parameters: ${known.join(", ")}`;
    const details = unknown.map((parameter) => ({ parameter, reason: "unknown_parameter", message }));
    return registryFailure("unknown_parameter", `Unknown parameter; ${message}`, { details: details.slice(0, LISTED) });
  },
};

export const route = routesOf(registryEdge);

/** Maximum unknown parameters listed in one response. */
const LISTED = 50;

/** For bodies that the core validates: any JSON object. */
export function jsonObjectBody(form: z.ZodType) {
  return { form, read: (body: unknown) => success(body as JsonObject) };
}

/** Several wrong values of one parameter become one issue. */
function distinct(issues: readonly z.core.$ZodIssue[]): readonly z.core.$ZodIssue[] {
  return [...new Map(issues.map((issue) => [`${String(issue.path[0])} ${issue.message}`, issue])).values()];
}

/** A body that one schema validates, reporting all issues at once. */
export function checkedBody<Value>(schema: z.ZodType<Value>, body: unknown): Result<Value> {
  const shape = readShape(schema, body);
  return shape.ok ? success(shape.value) : failure(failureOfDetails(shape.error));
}

function send(
  c: RegistryContext,
  { status = 200, body, headers = {} }: Reply,
  { conditional = false }: Pick<Declaration, "conditional">,
): Response {
  const tag = headers["ETag"];
  if (conditional && status === 200 && tag !== undefined && isUnchanged(c, tag)) {
    return new Response(null, { status: 304, headers });
  }
  if (body === undefined) return new Response(null, { status, headers });
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return new Response(text, { status, headers: { "Content-Type": "application/json", ...headers } });
}
