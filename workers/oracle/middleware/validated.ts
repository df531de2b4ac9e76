/** @hono/zod-validator with the oracle's errors: an id that cannot name anything is unknown, a bad query is a 400. */
import { zValidator } from "@hono/zod-validator";
import * as z from "zod";
import { newFailure } from "../../platform/failure.ts";
import { describeIssues } from "../../platform/http/body.ts";
import { refuse, type OracleContext } from "../context.ts";
import { runIdSchema, sessionIdSchema } from "../objects.ts";

export const sessionParams = z.object({ sessionId: sessionIdSchema });
export const runParams = z.object({ runId: runIdSchema });

export const namesSession = zValidator("param", sessionParams, (result, c) =>
  result.success ? undefined : refuse(c as OracleContext, newFailure("not_found", "Session not found")),
);

export const namesRun = zValidator("param", runParams, (result, c) =>
  result.success ? undefined : refuse(c as OracleContext, newFailure("not_found", "Run not found")),
);

export function validQuery<Schema extends z.ZodType>(schema: Schema) {
  return zValidator("query", schema, (result, c) =>
    result.success
      ? undefined
      : refuse(c as OracleContext, newFailure("invalid_request", describeIssues(result.error))),
  );
}
