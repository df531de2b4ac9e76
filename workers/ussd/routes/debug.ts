/** What operators see of live sessions (spec.md section B, contract/ussd.md section 8, decisions 4.3). */
import { fault } from "../../platform/errors.ts";
import { openAccounts } from "../accounts.ts";
import { inBackground, refuse, unknownRoute, type UssdContext } from "../context.ts";
import { judgeOperator } from "../access/operator-token.ts";
import { maskPhone } from "../phone-mask.ts";
import { ussdSession } from "../session-desk.ts";

const UNAVAILABLE = fault("unavailable", "Service temporarily unavailable");

/** Nothing where the caller may read. Outside development the routes are not there for who shows no token. */
async function debugRefusal(c: UssdContext): Promise<Response | undefined> {
  const { ENVIRONMENT, USSD_OPERATOR_TOKEN } = c.var.config;
  if (ENVIRONMENT === "development") return undefined;
  const authorization = c.req.header("Authorization");
  const verdict = await judgeOperator(authorization ?? null, USSD_OPERATOR_TOKEN);
  if (verdict === "granted") return undefined;
  if (verdict === "absent" || authorization === undefined) return unknownRoute(c);
  return refuse(c, fault("unauthenticated", "Unauthorized"));
}

/** The ids of live sessions; undefined when the index cannot be asked. */
async function readActiveSessions(c: UssdContext, what: string) {
  const accounts = await openAccounts(c.env.env);
  if (!accounts.ok) return undefined;
  const { operators } = accounts.value;
  const active = await operators.activeSessions();
  if (!active.ok) return undefined;
  if (c.var.config.ENVIRONMENT !== "development") inBackground(c, operators.reportRead(what));
  return active.value;
}

export async function sessionListRoute(c: UssdContext): Promise<Response> {
  const refusal = await debugRefusal(c);
  if (refusal !== undefined) return refusal;
  const active = await readActiveSessions(c, "sessions");
  if (active === undefined) return refuse(c, UNAVAILABLE);
  return c.json({ activeSessions: active.ids, count: active.count }, 200, { "Cache-Control": "no-store" });
}

/** `sessionId`: as it stands in the path, encoded. */
export async function debugRoute(c: UssdContext, encodedId: string): Promise<Response> {
  const refusal = await debugRefusal(c);
  if (refusal !== undefined) return refusal;
  const sessionId = decoded(encodedId);
  if (sessionId === undefined) return unknownRoute(c);
  const isMasked = c.var.config.USSD_DEBUG_MASK;
  const [session, active] = await Promise.all([
    ussdSession(c.env.env, sessionId).describe(isMasked),
    readActiveSessions(c, "debug"),
  ]);
  if (active === undefined) return refuse(c, UNAVAILABLE);
  if (session === null) {
    const others = active.ids.filter((id) => id !== sessionId);
    const record = { sessionId, debugInfo: { error: "session not found" }, activeSessions: others };
    return c.json(record, 404, { "Cache-Control": "no-store" });
  }
  const { phoneNumber, serviceCode, isAuthenticated, sessionStartTime, message, state, path } = session;
  const record = {
    sessionId,
    debugInfo: {
      sessionId,
      state,
      path,
      context: {
        sessionId,
        phoneNumber: isMasked ? maskPhone(phoneNumber) : phoneNumber,
        serviceCode,
        isAuthenticated,
        sessionStartTime,
        message,
      },
      status: "active",
    },
    // The index may be a moment behind the session itself.
    activeSessions: active.ids.includes(sessionId) ? active.ids : [sessionId, ...active.ids],
  };
  return c.json(record, 200, { "Cache-Control": "no-store" });
}

function decoded(encodedId: string): string | undefined {
  try {
    return decodeURIComponent(encodedId);
  } catch {
    return undefined;
  }
}
