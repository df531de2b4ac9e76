/** Replies of the session endpoint: plain text that begins with CON or END, whatever happened (contract/ussd.md section 1). */
import { TOO_MANY_REQUESTS, type PhoneReply } from "../platform/phone-reply.ts";

/** For routes that answer JSON. */
export function tooManyRequests(retryAfter: number): Response {
  const message = TOO_MANY_REQUESTS.body;
  const body = { error: "Rate Limit Exceeded", message, code: "RATE_LIMIT_EXCEEDED", retryAfter };
  return Response.json(body, { status: 429, headers: { "Cache-Control": "no-store" } });
}

const REPLY_HEADERS = {
  "Content-Type": "text/plain; charset=utf-8",
  "Cache-Control": "no-store",
  "X-Content-Type-Options": "nosniff",
};

export function textReply({ kind, body }: PhoneReply, status = 200): Response {
  return new Response(`${kind} ${body}`, { status, headers: REPLY_HEADERS });
}
