/**
 * How the oracle declares its routes: the settings that the platform's `route()` needs for this surface. A failure is
 * documented by its status and its message.
 */
import * as z from "zod";
import type { ErrorSource } from "../../../oracle/framework/app-options.ts";
import type { Refusal } from "../../../oracle/framework/admission.ts";
import type { PluginRoute, RoutePattern } from "../../../oracle/framework/plugin-routes.ts";
import { BODY_TIME_MS, SMALL_BODY_BYTES } from "../../../protocol/limits.ts";
import type { Caller } from "../../../platform/auth/authenticator.ts";
import { newFailure, type Failure } from "../../../platform/failure.ts";
import { isFailureCode } from "../../../platform/http/error-bodies.ts";
import { describeIssues, readBody, readJsonBody } from "../../../platform/http/body.ts";
import type { Operation } from "../../../platform/openapi.ts";
import { success, type Result } from "../../../platform/result.ts";
import { failsWith } from "../../../platform/http/parameters.ts";
import { routesOf, type Route } from "../../../platform/http/route.ts";
import type { Labels } from "../../../platform/http/route-document.ts";
import { isRunId, SESSION_ID } from "../objects.ts";
import { outsideContext } from "../outside-context.ts";
import type { PluginEdge } from "../../../oracle/boot/boot-options.ts";
import { isExcluded } from "../../../oracle/boot/plugin-loading.ts";
import type { OracleRuntime } from "../runtime.ts";
import { knowing, open, signedIn } from "./authentication.ts";
import {
  documentedFailures,
  internalError,
  overloaded,
  refuse,
  runNotFound,
  sessionNotFound,
  unknownPath,
  type OracleContext,
  type OracleHono,
} from "./failures.ts";
import { countBefore, countNetwork } from "./limits.ts";

export type OracleRoute = Route<OracleHono, Failure>;

interface Extras {
  readonly env: Env;
  readonly runtime: OracleRuntime;
  /** Undefined only on public routes. */
  readonly caller: Caller;
}

export const bodyTooLarge = newFailure("too_large", "Request body too large");
export const bodyTooSlow = newFailure("request_timeout", "Request body took too long to arrive");
const invalidInput = newFailure("invalid_request", "message must be a non-empty string");

const labels: Labels<Failure> = {
  always: [internalError, overloaded],
  parts: {
    params: [unknownPath],
    query: [newFailure("invalid_request", "limit must be a whole number of at least 1")],
    headers: [invalidInput],
    body: [invalidInput, bodyTooLarge, bodyTooSlow],
    idempotent: [],
    ifMatch: [],
  },
  of: (failure) => failure,
  responses: documentedFailures,
};

export const route = routesOf<OracleHono, Failure, Extras>({
  refuse,
  labels,
  send: (_c, { status = 200, body = {}, headers = {} }) =>
    new Response(typeof body === "string" ? body : JSON.stringify(body), {
      status,
      headers: { "Content-Type": "application/json", ...headers },
    }),
  extras: (c) => ({ env: c.env.env, runtime: c.var.runtime, caller: c.var.caller }),
  readBody: (c, rule) =>
    readJsonBody(c.req.raw, rule.read === undefined ? rule.schema : rule.form, rule.limit ?? SMALL_BODY_BYTES, {
      timeMs: BODY_TIME_MS,
    }),
  invalid: (part, error) => (part === "params" ? unknownPath : newFailure("invalid_request", describeIssues(error))),
});

/** Reads the body of a route that takes none, so that its sender receives the response; only its size is checked. */
export async function ignoreBody({ req }: OracleContext): Promise<Result<null>> {
  const body = await readBody(req.raw, SMALL_BODY_BYTES, { timeMs: BODY_TIME_MS });
  const isLimited = !body.ok && (body.error.code === "too_large" || body.error.code === "request_timeout");
  return isLimited ? body : success(null);
}

/** An invalid session id never reaches an object, so that guessing costs nothing. */
export const sessionParams = z.object({
  sessionId: failsWith(
    z.string().regex(SESSION_ID).meta({ description: "The session id, a lower-case UUID v4.", format: "uuid" }),
    sessionNotFound,
  ),
});

export const runParams = z.object({
  runId: failsWith(
    z.string().refine(isRunId).meta({ description: "The run id, from the header `x-run-id` or a `run` frame." }),
    runNotFound,
  ),
});

export const approvalParams = runParams.extend({
  toolCallId: z.string().meta({ description: "The id of the call, from its `tool_call` or `approve_tool` frame." }),
});

export interface RouteParts {
  /** Routes without authentication. */
  readonly excluded: readonly RoutePattern[];
  readonly clock: () => number;
  readonly onError: (error: unknown, source: ErrorSource) => void;
}

/** A plugin's route, declared like the oracle's own. It requires a signed-in caller unless it is public. */
export function pluginRouteOf(
  declared: PluginRoute,
  { plugin, context }: Pick<PluginEdge, "plugin" | "context">,
  { excluded, clock, onError }: RouteParts,
): OracleRoute {
  const { path, params, query, body, operatorSecret, requestsPerMinute, handler } = declared;
  const method = declared.method.toLowerCase() as Operation["method"];
  const isForUsers =
    declared.public !== true && operatorSecret === undefined && !isExcluded({ method, path }, excluded);
  const authentication = operatorSecret === undefined ? open : knowing(operatorSecret);
  return route(
    {
      method,
      path,
      id: declared.id ?? operationId(method, path),
      summary: declared.summary ?? `${method.toUpperCase()} ${path}`,
      ...(declared.description === undefined ? {} : { description: declared.description }),
      tag: declared.tag ?? plugin.manifest.title,
      auth: isForUsers ? signedIn : authentication,
      // Counted before it runs, because its cost is unknown here.
      middleware: isForUsers
        ? [countBefore]
        : requestsPerMinute === undefined
          ? []
          : [countNetwork(requestsPerMinute, clock)],
      ...(params === undefined ? {} : { params }),
      ...(query === undefined ? {} : { query }),
      ...(body === undefined ? {} : { body: { schema: body } }),
      responses: responsesOf(declared),
      // The schema of a parameter may look as if it accepted any text.
      failures: params === undefined ? [] : [unknownPath],
    },
    async (input, c) => {
      c.set("plugin", plugin.name);
      const sent = body === undefined ? success(undefined) : await input.body();
      if (!sent.ok) return sent;
      const outside = outsideContext(
        { plugin, context },
        {
          env: input.env,
          runtime: input.runtime,
          clock,
          requestId: c.env.requestId,
          logger: c.env.log,
          waitUntil: (work) => c.executionCtx.waitUntil(work),
          onError,
        },
      );
      const user = isForUsers ? { did: input.caller.did } : undefined;
      const own = user && outside.storageOf(user.did);
      const answered: Response | Refusal = await handler(c.req.raw, {
        ...outside,
        params: params === undefined ? c.req.param() : input.params,
        query: query === undefined ? c.req.query() : input.query,
        body: sent.value,
        user,
        kv: own?.kv,
        texts: own?.texts,
        requestId: c.env.requestId,
      });
      if (answered instanceof Response || isRefusal(answered)) return answered;
      throw new TypeError(`the handler of ${method.toUpperCase()} ${path} returned no Response`);
    },
  );
}

/** Authors may write JavaScript, so a handler can return anything. */
function isRefusal(answered: unknown): answered is Refusal {
  const { ok, error } = Object(answered) as Partial<Refusal>;
  return ok === false && isFailureCode(error?.code);
}

function responsesOf({ responses = { 200: { description: "The plugin's answer" } } }: PluginRoute) {
  return Object.fromEntries(
    Object.entries(responses).map(([status, { description, schema, example }]) => [
      status,
      {
        description,
        ...(schema === undefined ? {} : { content: { schema, ...(example === undefined ? {} : { example }) } }),
      },
    ]),
  ) as Operation["responses"];
}

/** `GET /weather/:city` becomes `getWeatherCity`. */
function operationId(method: string, path: string): string {
  const words = path.split(/[^A-Za-z0-9]+/).filter((word) => word !== "");
  return method + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("");
}
