/** The response to a plugin route's caller: a refusal is in the oracle's format. */
import { oracleError } from "../../../platform/http/error-bodies.ts";
import type { Refusal } from "../../../oracle/framework/admission.ts";

export function responseOf(answered: Response | Refusal): Response {
  if (answered instanceof Response) return answered;
  return oracleError(answered.error, { method: "GET", path: "/", requestId: "req-1" });
}
