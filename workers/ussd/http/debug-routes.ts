/** What operators see of live sessions (spec.md section B, contract/ussd.md section 8, decisions 4.3). */
import { identityOf, type SessionIdentity } from "../../platform/phone-session-name.ts";
import { newFailure } from "../../platform/failure.ts";
import { openAccounts } from "../deployment.ts";
import { errorResponse, inBackground, notFound, type UssdContext } from "./context.ts";
import { authenticateOperator } from "./access.ts";
import { maskPhone } from "../session-client.ts";
import { isSessionId } from "./request.ts";
import { providers } from "./gateway-routes.ts";
import { ussdSession } from "../session-client.ts";

const UNAVAILABLE = newFailure("unavailable", "Service temporarily unavailable");

/** Nothing where the caller may read. Outside development the routes are not there for who shows no token. */
async function debugRefusal(c: UssdContext): Promise<Response | undefined> {
  const { ENVIRONMENT, USSD_OPERATOR_TOKEN } = c.var.config;
  if (ENVIRONMENT === "development") return undefined;
  const authorization = c.req.header("Authorization");
  const verdict = await authenticateOperator(authorization, USSD_OPERATOR_TOKEN);
  if (verdict === "granted") return undefined;
  if (verdict === "disabled" || authorization === undefined) return notFound(c);
  return errorResponse(c, newFailure("unauthenticated", "Unauthorized"));
}

/** The live sessions; undefined when the index cannot be asked. */
async function readActiveSessions(c: UssdContext, what: string) {
  const accounts = await openAccounts(c.env.env);
  if (!accounts.ok) return undefined;
  const { operators } = accounts.value;
  const active = await operators.activeSessions();
  if (!active.ok) return undefined;
  if (c.var.config.ENVIRONMENT !== "development") inBackground(c, operators.reportRead(what));
  // Two telecom gateways may use one id: it stands here once for each, and is counted so.
  return { ids: active.value.names.map((name) => identityOf(name).sessionId), count: active.value.count };
}

export async function sessionListRoute(c: UssdContext): Promise<Response> {
  const refusal = await debugRefusal(c);
  if (refusal !== undefined) return refusal;
  const active = await readActiveSessions(c, "sessions");
  if (active === undefined) return errorResponse(c, UNAVAILABLE);
  return c.json({ activeSessions: active.ids, count: active.count }, 200, { "Cache-Control": "no-store" });
}

/**
 * `sessionId`: as it stands in the path, encoded. Where sessions of several telecom gateways have it, the plain endpoint's
 * comes first, `otherProviders` names the others, and `?provider=` asks for one of them.
 */
export async function debugRoute(c: UssdContext, encodedId: string): Promise<Response> {
  const refusal = await debugRefusal(c);
  if (refusal !== undefined) return refusal;
  const sessionId = decoded(encodedId);
  if (sessionId === undefined) return notFound(c);
  const isMasked = c.var.config.USSD_DEBUG_MASK;
  const [live, active] = await Promise.all([describeSessions(c, sessionId, isMasked), readActiveSessions(c, "debug")]);
  if (active === undefined) return errorResponse(c, UNAVAILABLE);
  const [found, ...others] = live;
  if (found === undefined) {
    const remaining = active.ids.filter((id) => id !== sessionId);
    const record = { sessionId, debugInfo: { error: "session not found" }, activeSessions: remaining };
    return c.json(record, 404, { "Cache-Control": "no-store" });
  }
  const { provider, session } = found;
  const { phoneNumber, serviceCode, isAuthenticated, sessionStartTime, message, state, path } = session;
  const otherProviders = others.flatMap((other) => other.provider ?? []);
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
        ...(provider === undefined ? {} : { provider }),
      },
      status: "active",
    },
    // The index may be a moment behind the session itself.
    activeSessions: active.ids.includes(sessionId) ? active.ids : [sessionId, ...active.ids],
    ...(otherProviders.length === 0 ? {} : { otherProviders }),
  };
  return c.json(record, 200, { "Cache-Control": "no-store" });
}

/** The live sessions with this id, the plain endpoint's first. */
async function describeSessions(c: UssdContext, sessionId: string, isMasked: boolean) {
  if (!isSessionId(sessionId)) return [];
  const wanted = c.req.query("provider");
  const identities = [...providers.keys()].map((provider) => ({ provider, sessionId }));
  const asked =
    wanted === undefined ? [{ sessionId }, ...identities] : identities.filter(({ provider }) => provider === wanted);
  const described = await Promise.all(
    asked.map(async (identity: SessionIdentity) => ({
      provider: identity.provider,
      session: await ussdSession(c.env.env, identity).describe(isMasked),
    })),
  );
  return described.flatMap(({ provider, session }) => (session === null ? [] : [{ provider, session }]));
}

function decoded(encodedId: string): string | undefined {
  try {
    return decodeURIComponent(encodedId);
  } catch {
    return undefined;
  }
}
