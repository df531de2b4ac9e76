/** The session endpoint itself, called by a telecom gateway once per input (spec.md section B, contract/ussd.md section 1). */
import type { UssdContext } from "../context.ts";
import { inBackground } from "../context.ts";
import { textReply } from "../replies.ts";
import { readUssdRequest } from "../request.ts";
import { replyTo } from "../session-desk.ts";

export async function stepRoute(c: UssdContext): Promise<Response> {
  const config = c.var.config;
  const verdict = await readUssdRequest(c.req.raw, {
    serviceCodes: config.USSD_SERVICE_CODES,
    phonePlusOptional: config.USSD_PHONE_PLUS_OPTIONAL,
  });
  const { env, log } = c.env;
  const background = (work: Promise<unknown>) => inBackground(c, work);
  return textReply(await replyTo(verdict, { env, log, logLevel: config.LOG_LEVEL, background }));
}
