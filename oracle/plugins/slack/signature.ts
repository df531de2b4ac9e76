/** The signature of a request from Slack: an HMAC over its time and body, with a secret that Slack and the app share. */

/** Maximum clock difference, seconds; an older request may be a replay. */
export const MAX_AGE_SECONDS = 300;

export interface SignedHeaders {
  /** Unix seconds, as Slack sent them: part of the signed text. */
  readonly timestamp: string;
  readonly signature: Uint8Array<ArrayBuffer>;
}

/** Undefined when a header is missing, malformed or expired. This is cheap: the body is not read. */
export function signedHeaders(headers: Headers, nowMs: number): SignedHeaders | undefined {
  const timestamp = headers.get("X-Slack-Request-Timestamp") ?? "";
  const [, digits] = /^v0=([0-9a-f]{64})$/.exec(headers.get("X-Slack-Signature") ?? "") ?? [];
  if (digits === undefined || !/^\d{1,12}$/.test(timestamp)) return undefined;
  if (Math.abs(Math.floor(nowMs / 1_000) - Number(timestamp)) > MAX_AGE_SECONDS) return undefined;
  return { timestamp, signature: Uint8Array.from(digits.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16)) };
}

/** The platform's `verify` takes constant time. */
export async function isFromSlack(
  { timestamp, signature }: SignedHeaders,
  body: Uint8Array<ArrayBuffer>,
  secret: string,
): Promise<boolean> {
  const encoder = new TextEncoder();
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", encoder.encode(secret), algorithm, false, ["verify"]);
  const before = encoder.encode(`v0:${timestamp}:`);
  const signed = new Uint8Array(before.length + body.length);
  signed.set(before);
  signed.set(body, before.length);
  return crypto.subtle.verify("HMAC", key, signature, signed);
}
