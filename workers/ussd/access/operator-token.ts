/** Whether a request comes from an operator (contract/ussd.md section 8): `Authorization: Bearer <USSD_OPERATOR_TOKEN>`. */
import { equalTexts } from "../../platform/digest.ts";

/** `absent`: no token is configured, so the route does not exist; `refused`: a wrong token or none. */
export type OperatorVerdict = "granted" | "refused" | "absent";

const BEARER = /^Bearer +(\S+) *$/i;

/** `authorization`: the header's value. Takes as long for a wrong token as for the right one. */
export async function judgeOperator(authorization: string | null, token: string | undefined): Promise<OperatorVerdict> {
  if (token === undefined) return "absent";
  const presented = BEARER.exec(authorization ?? "")?.[1] ?? "";
  return (await equalTexts(presented, token)) ? "granted" : "refused";
}
