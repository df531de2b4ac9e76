/**
 * The client of the session objects: one call per request, and the log entry of its outcome. Log fields come from a
 * fixed list: never a text, a reply's body or a whole phone number.
 */
import type { Binding, SessionRequest, UssdSessionRpc } from "../../durable-objects/ussd-session/rpc.ts";
import { describeThrown, type Logger } from "../../platform/log.ts";
import { INVALID_INPUT, UNAVAILABLE, type PhoneReply } from "../../platform/phone-reply.ts";
import { sessionName, type SessionIdentity } from "../../platform/object-names.ts";
import type { Result } from "../../platform/result.ts";
import { traced } from "../../platform/trace.ts";
import type { UssdConfig } from "./config.ts";
import { openAccounts } from "./deployment.ts";

/** The binding with the object's RPC interface: its generated type is too deep for the compiler. */
interface SessionBinding {
  readonly USSD_SESSION: { getByName(name: string): UssdSessionRpc };
}

export function ussdSession(env: Env, identity: SessionIdentity): UssdSessionRpc {
  return (env as unknown as SessionBinding).USSD_SESSION.getByName(sessionName(identity));
}

/** The facts about a request that only a provider's adapter knows. */
export type RequestOrigin = Pick<
  SessionRequest,
  "mode" | "gateway" | "isInput" | "isStart" | "provider" | "requestId" | "raw" | "codeUnknown"
>;

export type UssdRequest = Omit<SessionRequest, keyof RequestOrigin>;

export interface InvalidRequest {
  /** The first invalid field, for the log: its name, never its value. */
  readonly field: "body" | "sessionId" | "serviceCode" | "phoneNumber" | "text";
  /** Only `text` is invalid: the session of this binding is closed, its draft kept. */
  readonly closes?: Binding;
  /** `text` is only too long: the session decides. */
  readonly long?: UssdRequest;
}

export type ParsedRequest = Result<UssdRequest, InvalidRequest>;

export interface StepOptions {
  readonly env: Env;
  readonly log: Logger;
  readonly logLevel: UssdConfig["LOG_LEVEL"];
  readonly origin?: RequestOrigin;
  background(work: Promise<unknown>): void;
}

/** The reply to a request; never throws. */
export async function stepSession(parsed: ParsedRequest, options: StepOptions): Promise<PhoneReply> {
  const { env, log, origin = {}, background } = options;
  if (parsed.ok) return askSession(parsed.value, "handle", options);
  const provider = origin.provider === undefined ? {} : { provider: origin.provider };
  const { closes, field, long } = parsed.error;
  log.info("ussd-request-rejected", { reason: "invalid input", field, ...provider });
  if (long !== undefined) return askSession(long, "handleLongText", options);
  if (closes !== undefined) background(ussdSession(env, { ...closes, ...provider }).close(closes));
  return INVALID_INPUT;
}

async function askSession(
  request: UssdRequest,
  call: "handle" | "handleLongText",
  { env, log, logLevel, origin = {} }: StepOptions,
): Promise<PhoneReply> {
  const startedAt = Date.now();
  const { sessionId, phoneNumber } = request;
  const identity = { sessionId, ...(origin.provider === undefined ? {} : { provider: origin.provider }) };
  const caller = { phone: maskPhone(phoneNumber), sessionKey: await sessionKeyOf(env, identity) };
  const since = (start: number): number => Date.now() - start;
  try {
    const calledAt = Date.now();
    const session = ussdSession(env, identity);
    const { kind, body, outcome, state, screen } = await traced("phone step", {}, async (span) => {
      const answered = await session[call]({ ...request, ...origin });
      span.setAttributes({ "twinedge.phone.outcome": answered.outcome, "twinedge.phone.screen": answered.screen });
      return answered;
    });
    const timings = logLevel === "debug" ? { sessionMilliseconds: since(calledAt) } : {};
    const milliseconds = since(startedAt);
    log.info("ussd-request-answered", { ...caller, outcome, state, screen, kind, milliseconds, ...timings });
    return { kind, body };
  } catch (thrown) {
    log.error("ussd-request-failed", { ...caller, reason: describeThrown(thrown), milliseconds: since(startedAt) });
    return UNAVAILABLE;
  }
}

/** The session's id in logs and the audit log; undefined while the configuration is invalid. */
async function sessionKeyOf(env: Env, identity: SessionIdentity): Promise<string | undefined> {
  const accounts = await openAccounts(env);
  return accounts.ok ? accounts.value.sessionKey(sessionName(identity)) : undefined;
}

/** Minimum digits at which the first and last three can be shown without identifying the phone. */
const MASKABLE_DIGITS = 9;

/** `+260******567`: the first and last three digits; only the last two of a short number. */
export function maskPhone(phoneNumber: string): string {
  const digits = phoneNumber.replace(/^\+/, "");
  const [head, tail] = digits.length < MASKABLE_DIGITS ? [0, 2] : [3, 3];
  return `+${digits.slice(0, head)}${"*".repeat(Math.max(0, digits.length - head - tail))}${digits.slice(-tail)}`;
}
