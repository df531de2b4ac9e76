/**
 * A mock of Africa's Talking's messaging service, following its public documentation: `POST /version1/messaging`, the key in the
 * header `apiKey`, a form; 201 with a list of recipients even if it reached none.
 */
import type { Fetch } from "../../../platform/auth/shared-lookups.ts";

/** The result of the next message: a recipient's status, a rejection without recipients, an HTTP status, no response. */
export type SmsResult =
  | { readonly statusCode: number; readonly status: string }
  | { readonly message: string }
  | { readonly http: number; readonly body?: string }
  | "hang";

export interface ReceivedSms {
  readonly to: string;
  readonly message: string;
  readonly from: string | undefined;
}

export interface SmsProvider {
  readonly credentials: { readonly username: string; readonly apiKey: string };
  /** The next results, in order; then every message is sent. */
  readonly results: SmsResult[];
  readonly received: readonly ReceivedSms[];
  /** Responds to a request, whatever its address. */
  respond(request: Request): Promise<Response>;
  readonly fetch: Fetch;
}

export function createFakeSmsProvider(): SmsProvider {
  const results: SmsResult[] = [];
  const received: ReceivedSms[] = [];
  const credentials = { username: "sandbox", apiKey: "atsk_of-the-tests" };

  const json = (body: object): Response => Response.json(body, { status: 201 });
  const rejection = (message: string): Response => json({ SMSMessageData: { Message: message, Recipients: [] } });

  async function respond(request: Request): Promise<Response> {
    if (request.method !== "POST" || new URL(request.url).pathname !== "/version1/messaging") {
      return new Response("Not Found", { status: 404 });
    }
    // Not `text()`, which workerd warns about for a form.
    const form = new URLSearchParams(new TextDecoder().decode(await request.arrayBuffer()));
    if (request.headers.get("apiKey") !== credentials.apiKey || form.get("username") !== credentials.username) {
      return new Response("The supplied authentication is invalid", { status: 401 });
    }
    if (!(request.headers.get("Content-Type") ?? "").startsWith("application/x-www-form-urlencoded")) {
      return new Response("Unsupported Media Type", { status: 415 });
    }
    const [to, message] = [form.get("to"), form.get("message")];
    if (to === null || message === null) return rejection("Missing required fields");
    received.push({ to, message, from: form.get("from") ?? undefined });
    const result = results.shift() ?? { statusCode: 101, status: "Success" };
    if (result === "hang") return new Promise(() => undefined);
    if ("http" in result) return new Response(result.body ?? "failure", { status: result.http });
    if ("message" in result) return rejection(result.message);
    const sent = result.statusCode < 400;
    const cost = sent ? "KES 0.8000" : "0";
    const recipient = { ...result, number: to, cost, messageId: sent ? `ATXid_${received.length}` : "None" };
    return json({
      SMSMessageData: { Message: `Sent to ${sent ? 1 : 0}/1 Total Cost: ${cost}`, Recipients: [recipient] },
    });
  }

  return {
    credentials,
    results,
    received,
    respond,
    fetch: (url, init) =>
      new Promise((resolve, reject) => {
        init?.signal?.addEventListener("abort", () => reject(new DOMException("cancelled", "AbortError")));
        respond(new Request(url, init)).then(resolve, reject);
      }),
  };
}
