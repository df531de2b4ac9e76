/** What the handler of a plugin's route answered, as its caller receives it: a refusal in the oracle's form. */
import { oracleError } from "../../../platform/http/error-bodies.ts";
import type { Refusal } from "../../../oracle/framework/admission.ts";

export function responseOf(answered: Response | Refusal): Response {
  if (answered instanceof Response) return answered;
  return oracleError(answered.error, { method: "GET", path: "/", requestId: "req-1" });
}
