/** Replies of the session endpoint: plain text that begins with CON or END, whatever happened (contract/ussd.md section 1). */
import type { SessionReply } from "./providers/adapter.ts";

export const INVALID_INPUT: SessionReply = { kind: "END", body: "Invalid input. Please try again." };
export const UNAVAILABLE: SessionReply = {
  kind: "END",
  body: "Service temporarily unavailable. Please try again later.",
};
export const TOO_MANY_REQUESTS: SessionReply = { kind: "END", body: "Too many requests. Please try again later." };

/** For routes that answer JSON. */
export function tooManyRequests(retryAfter: number): Response {
  const message = "Too many requests. Please try again later.";
  const body = { error: "Rate Limit Exceeded", message, code: "RATE_LIMIT_EXCEEDED", retryAfter };
  return Response.json(body, { status: 429, headers: { "Cache-Control": "no-store" } });
}

const REPLY_HEADERS = {
  "Content-Type": "text/plain; charset=utf-8",
  "Cache-Control": "no-store",
  "X-Content-Type-Options": "nosniff",
};

export function textReply({ kind, body }: SessionReply, status = 200): Response {
  return new Response(`${kind} ${body}`, { status, headers: REPLY_HEADERS });
}
