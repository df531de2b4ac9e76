/** A body that one schema describes whole; every fault of it is told at once (contract/registry.md section 3, R13). */
import type * as z from "zod";
import { failure, success, type Result } from "../../platform/result.ts";
import type { RegistryContext } from "../context.ts";
import { readShape } from "../domain/shape.ts";
import { failureOfDetails } from "../failures.ts";
import { jsonBody, type BodyRule } from "./body.ts";

export async function checkedBody<Schema extends z.ZodType>(
  c: RegistryContext,
  schema: Schema,
  rule: BodyRule = {},
): Promise<Result<z.output<Schema>>> {
  const body = await jsonBody(c, rule);
  if (!body.ok) return body;
  const shape = readShape(schema, body.value);
  return shape.ok ? success(shape.value) : failure(failureOfDetails(shape.error));
}
