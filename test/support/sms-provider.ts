/**
 * A small, faithful stand-in for Africa's Talking's messaging service: `POST /version1/messaging`, the key in the header
 * `apiKey`, a form; 201 with a list of recipients even when none was reached. Its numbers and codes are those of the
 * provider's public documentation. Reached by a fetch function, or by whoever hands it requests.
 */
import type { Fetch } from "../../workers/platform/auth/fetch-json.ts";

/** What becomes of the next message: a recipient's status, a refusal without recipients, an HTTP status, no answer. */
export type SmsFate =
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
  /** Fates to come, in order; then every message is sent. */
  readonly fates: SmsFate[];
  readonly received: readonly ReceivedSms[];
  /** Answers a request to whatever address it went. */
  answer(request: Request): Promise<Response>;
  readonly fetch: Fetch;
}

export function createSmsProvider(): SmsProvider {
  const fates: SmsFate[] = [];
  const received: ReceivedSms[] = [];
  const credentials = { username: "sandbox", apiKey: "atsk_of-the-tests" };

  const json = (body: object): Response => Response.json(body, { status: 201 });
  const refusal = (message: string): Response => json({ SMSMessageData: { Message: message, Recipients: [] } });

  async function answer(request: Request): Promise<Response> {
    if (request.method !== "POST" || new URL(request.url).pathname !== "/version1/messaging") {
      return new Response("Not Found", { status: 404 });
    }
    // Not `text()`, which workerd warns of for a form.
    const form = new URLSearchParams(new TextDecoder().decode(await request.arrayBuffer()));
    if (request.headers.get("apiKey") !== credentials.apiKey || form.get("username") !== credentials.username) {
      return new Response("The supplied authentication is invalid", { status: 401 });
    }
    if (!(request.headers.get("Content-Type") ?? "").startsWith("application/x-www-form-urlencoded")) {
      return new Response("Unsupported Media Type", { status: 415 });
    }
    const [to, message] = [form.get("to"), form.get("message")];
    if (to === null || message === null) return refusal("Missing required fields");
    received.push({ to, message, from: form.get("from") ?? undefined });
    const fate = fates.shift() ?? { statusCode: 101, status: "Success" };
    if (fate === "hang") return new Promise(() => undefined);
    if ("http" in fate) return new Response(fate.body ?? "trouble", { status: fate.http });
    if ("message" in fate) return refusal(fate.message);
    const sent = fate.statusCode < 400;
    const cost = sent ? "KES 0.8000" : "0";
    const recipient = { ...fate, number: to, cost, messageId: sent ? `ATXid_${received.length}` : "None" };
    return json({
      SMSMessageData: { Message: `Sent to ${sent ? 1 : 0}/1 Total Cost: ${cost}`, Recipients: [recipient] },
    });
  }

  return {
    credentials,
    fates,
    received,
    answer,
    fetch: (url, init) =>
      new Promise((resolve, reject) => {
        init?.signal?.addEventListener("abort", () => reject(new DOMException("cancelled", "AbortError")));
        answer(new Request(url, init)).then(resolve, reject);
      }),
  };
}
