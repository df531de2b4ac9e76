/** Operators' read access to live sessions (PH-95 to PH-100). */
import * as z from "zod";
import { fail } from "../../../platform/failure.ts";
import { reply } from "../../../platform/http/route.ts";
import { identityOf, type SessionIdentity } from "../../../platform/object-names.ts";
import { success, type Result } from "../../../platform/result.ts";
import { openAccounts } from "../deployment.ts";
import { maskPhone, ussdSession } from "../session-client.ts";
import { inBackground, notFound, type UssdContext } from "./context.ts";
import { providers } from "./gateway-routes.ts";
import { isSessionId } from "./request.ts";
import { operatorOrDevelopment, route, type OperatorRoute } from "./route.ts";

const sessionIds = z.array(z.string());

const listedSession = z.object({
  sessionId: z.string(),
  provider: z.string().optional().meta({ description: "The telecom gateway, if it has an adapter." }),
  state: z.string().meta({ description: "Its current menu state." }),
  startedAt: z.iso.datetime(),
  lastActivity: z.iso.datetime(),
});

const sessionList = z
  .object({ activeSessions: sessionIds, sessions: z.array(listedSession), count: z.int().min(0) })
  .meta({ id: "UssdSessionList" });

const debugRecord = z
  .object({
    sessionId: z.string(),
    debugInfo: z.object({
      sessionId: z.string(),
      state: z.string(),
      path: z.string(),
      context: z.object({
        sessionId: z.string(),
        phoneNumber: z.string(),
        serviceCode: z.string(),
        isAuthenticated: z.boolean(),
        sessionStartTime: z.iso.datetime(),
        message: z.string().meta({ description: "The last menu, without its prefix." }),
        provider: z.string().optional().meta({ description: "The telecom gateway, if it has an adapter." }),
      }),
      status: z.literal("active"),
    }),
    activeSessions: sessionIds,
    otherProviders: z
      .array(z.string())
      .optional()
      .meta({ description: "Other gateways that have a session with this id." }),
  })
  .meta({ id: "UssdDebugRecord" });

const listSessions = route(
  {
    method: "get",
    path: "/api/ussd/sessions",
    id: "listActiveSessions",
    tag: "Operators",
    summary: "List live sessions, most recently active first",
    auth: operatorOrDevelopment,
    responses: { 200: { description: "At most 1,000 sessions", content: { schema: sessionList } } },
  },
  async (_input, c) => {
    const active = await readActiveSessions(c, "sessions");
    if (!active.ok) return active;
    const { sessions, count } = active.value;
    return reply({ activeSessions: sessions.map(({ sessionId }) => sessionId), sessions, count });
  },
);

const debugSession = route(
  {
    method: "get",
    path: "/api/ussd/debug/:sessionId",
    id: "debugSession",
    tag: "Operators",
    summary: "Get the state of a live session",
    description: "Public in development; otherwise, it needs the operator's token.",
    auth: operatorOrDevelopment,
    params: z.object({ sessionId: z.string() }),
    query: z.object({ provider: z.string().optional().meta({ description: "Only this telecom gateway's session." }) }),
    responses: { 200: { description: "A live session", content: { schema: debugRecord } } },
  },
  async ({ query }, c) => {
    const sessionId = sessionIdOf(c);
    if (sessionId === undefined) return notFound(c);
    const isMasked = c.var.config.USSD_DEBUG_MASK;
    const [live, active] = await Promise.all([
      describeSessions(c, sessionId, query.provider),
      readActiveSessions(c, "debug"),
    ]);
    if (!active.ok) return active;
    const ids = active.value.sessions.map((session) => session.sessionId);
    const [found, ...others] = live;
    if (found === undefined) {
      const activeSessions = ids.filter((id) => id !== sessionId);
      return reply({ sessionId, debugInfo: { error: "session not found" }, activeSessions }, { status: 404 });
    }
    const { provider, session } = found;
    const { phoneNumber, serviceCode, isAuthenticated, sessionStartTime, message, state, path } = session;
    const otherProviders = others.flatMap((other) => other.provider ?? []);
    return reply({
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
      // The index may lag behind the session itself.
      activeSessions: ids.includes(sessionId) ? ids : [sessionId, ...ids],
      ...(otherProviders.length === 0 ? {} : { otherProviders }),
    });
  },
);

export const sessionRoutes: readonly OperatorRoute[] = [listSessions, debugSession];

/** Decoded once, here: an id that cannot be decoded is unknown. */
function sessionIdOf(c: UssdContext): string | undefined {
  const [encoded = ""] = c.env.path.replace(/\/$/, "").split("/").slice(-1);
  try {
    return decodeURIComponent(encoded);
  } catch {
    return undefined;
  }
}

interface ListedSessions {
  readonly sessions: readonly z.output<typeof listedSession>[];
  readonly count: number;
}

/** The live sessions, from the index. `what`: the route, for the audit log. */
async function readActiveSessions(c: UssdContext, what: string): Promise<Result<ListedSessions>> {
  const accounts = await openAccounts(c.env.env);
  if (!accounts.ok) return fail("unavailable", "Service temporarily unavailable");
  const { operators } = accounts.value;
  const active = await operators.activeSessions();
  if (!active.ok) return active;
  if (c.var.config.ENVIRONMENT !== "development") inBackground(c, operators.reportRead(what));
  // If two telecom gateways use one id, it is listed and counted once for each.
  const sessions = active.value.sessions.map(({ name, state, startedAt, lastActivity }) => {
    const { sessionId, provider } = identityOf(name);
    return {
      sessionId,
      ...(provider === undefined ? {} : { provider }),
      state,
      startedAt: new Date(startedAt).toISOString(),
      lastActivity: new Date(lastActivity).toISOString(),
    };
  });
  return success({ sessions, count: active.value.count });
}

/** The live sessions with this id, the plain endpoint's first; with `provider` only that gateway's. */
async function describeSessions(c: UssdContext, sessionId: string, provider: string | undefined) {
  if (!isSessionId(sessionId)) return [];
  const identities: SessionIdentity[] = [{ sessionId }];
  for (const name of providers.keys()) identities.push({ provider: name, sessionId });
  const described = await Promise.all(
    identities
      .filter((identity) => provider === undefined || identity.provider === provider)
      .map(async (identity) => ({
        provider: identity.provider,
        session: await ussdSession(c.env.env, identity).describe(c.var.config.USSD_DEBUG_MASK),
      })),
  );
  return described.flatMap(({ provider: owner, session }) => (session === null ? [] : [{ provider: owner, session }]));
}
