/**
 * The way from the gateway's routes to the object of a session, with the log of what became of each request: fields from
 * a fixed list, never a text, a reply's body or a whole phone number (contract/ussd.md section 7).
 */
import type { UssdSessionRpc } from "../../durable-objects/ussd-session/rpc.ts";
import { describeThrown, type Logger } from "../platform/log.ts";
import { INVALID_INPUT, UNAVAILABLE, type PhoneReply } from "../platform/phone-reply.ts";
import { openAccounts } from "./accounts.ts";
import type { UssdConfig } from "./config.ts";
import { maskPhone } from "./phone-mask.ts";
import type { RequestVerdict } from "./request.ts";

/** The binding as we use it: its generated type would follow the calls' own types without end. */
interface SessionBinding {
  readonly USSD_SESSION: { getByName(sessionId: string): UssdSessionRpc };
}

export function ussdSession(env: Env, sessionId: string): UssdSessionRpc {
  return (env as unknown as SessionBinding).USSD_SESSION.getByName(sessionId);
}

export interface SteppedRequest {
  readonly env: Env;
  readonly log: Logger;
  readonly logLevel: UssdConfig["LOG_LEVEL"];
  /** Set where the gateway is known to send all inputs, or only the latest. */
  readonly mode?: "cumulative" | "latest";
  /** The adapter that it came by. */
  readonly provider?: string;
  background(work: Promise<unknown>): void;
}

/** The reply to a request that was read; it never throws. */
export async function replyTo(verdict: RequestVerdict, request: SteppedRequest): Promise<PhoneReply> {
  const { env, log, logLevel, mode, provider, background } = request;
  if (!verdict.ok) {
    const { closes } = verdict.error;
    if (closes !== undefined) background(ussdSession(env, closes.sessionId).close(closes));
    log.info("ussd-request-refused", { reason: "invalid input" });
    return INVALID_INPUT;
  }
  const startedAt = Date.now();
  const caller = {
    phone: maskPhone(verdict.value.phoneNumber),
    sessionKey: await sessionKeyOf(env, verdict.value.sessionId),
  };
  const since = (start: number): number => Date.now() - start;
  try {
    const askedAt = Date.now();
    const session = ussdSession(env, verdict.value.sessionId);
    const origin = { ...(mode === undefined ? {} : { mode }), ...(provider === undefined ? {} : { provider }) };
    const answer = await session.handle({ ...verdict.value, ...origin });
    const timings = logLevel === "debug" ? { sessionMilliseconds: since(askedAt) } : {};
    const { kind, body, outcome, state, screen } = answer;
    const milliseconds = since(startedAt);
    log.info("ussd-request-answered", { ...caller, outcome, state, screen, kind, milliseconds, ...timings });
    return { kind, body };
  } catch (thrown) {
    log.error("ussd-request-failed", { ...caller, reason: describeThrown(thrown), milliseconds: since(startedAt) });
    return UNAVAILABLE;
  }
}

/** What the audit log knows the session by; undefined while the configuration is wrong. */
async function sessionKeyOf(env: Env, sessionId: string): Promise<string | undefined> {
  const accounts = await openAccounts(env);
  return accounts.ok ? accounts.value.sessionKey(sessionId) : undefined;
}
