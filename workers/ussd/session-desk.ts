/**
 * The way from the gateway's routes to the object of a session, with the log of what became of each request: fields from
 * a fixed list, never a text, a reply's body or a whole phone number (contract/ussd.md section 7).
 */
import type { UssdSessionRpc } from "../../durable-objects/ussd-session/rpc.ts";
import { sessionName, type SessionIdentity } from "../platform/phone-session-name.ts";
import { describeThrown, type Logger } from "../platform/log.ts";
import { INVALID_INPUT, UNAVAILABLE, type PhoneReply } from "../platform/phone-reply.ts";
import { openAccounts } from "./accounts.ts";
import type { UssdConfig } from "./config.ts";
import { maskPhone } from "./phone-mask.ts";
import type { RequestVerdict } from "./request.ts";

/** The binding as we use it: its generated type would follow the calls' own types without end. */
interface SessionBinding {
  readonly USSD_SESSION: { getByName(name: string): UssdSessionRpc };
}

export function ussdSession(env: Env, identity: SessionIdentity): UssdSessionRpc {
  return (env as unknown as SessionBinding).USSD_SESSION.getByName(sessionName(identity));
}

export interface SteppedRequest {
  readonly env: Env;
  readonly log: Logger;
  readonly logLevel: UssdConfig["LOG_LEVEL"];
  /** Set where the gateway is known to send all inputs, or only the latest. */
  readonly mode?: "cumulative" | "latest";
  /** The adapter that it came by. */
  readonly provider?: string;
  /** See rpc.ts: what tells a repeated request from a new one. */
  readonly requestId?: string;
  readonly raw?: string;
  readonly codeUnknown?: true;
  background(work: Promise<unknown>): void;
}

/** The reply to a request that was read; it never throws. */
export async function replyTo(verdict: RequestVerdict, request: SteppedRequest): Promise<PhoneReply> {
  const { env, log, logLevel, mode, provider, requestId, raw, codeUnknown, background } = request;
  const origin = provider === undefined ? {} : { provider };
  if (!verdict.ok) {
    const { closes, part } = verdict.error;
    if (closes !== undefined) background(ussdSession(env, { ...closes, ...origin }).close(closes));
    log.info("ussd-request-refused", { reason: "invalid input", part, ...origin });
    return INVALID_INPUT;
  }
  const startedAt = Date.now();
  const identity = { sessionId: verdict.value.sessionId, ...origin };
  const caller = {
    phone: maskPhone(verdict.value.phoneNumber),
    sessionKey: await sessionKeyOf(env, identity),
  };
  const since = (start: number): number => Date.now() - start;
  try {
    const askedAt = Date.now();
    const session = ussdSession(env, identity);
    const answer = await session.handle({
      ...verdict.value,
      ...origin,
      ...(mode === undefined ? {} : { mode }),
      ...(requestId === undefined ? {} : { requestId }),
      ...(raw === undefined ? {} : { raw }),
      ...(codeUnknown === undefined ? {} : { codeUnknown }),
    });
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
async function sessionKeyOf(env: Env, identity: SessionIdentity): Promise<string | undefined> {
  const accounts = await openAccounts(env);
  return accounts.ok ? accounts.value.sessionKey(sessionName(identity)) : undefined;
}
