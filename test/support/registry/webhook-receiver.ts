/**
 * A receiver of webhooks on a separate port, for end-to-end tests: verifies each message with the scheme's own library, like a
 * customer, and answers as a test says.
 */
import { Webhook } from "standardwebhooks";
import { startLocalServer } from "../server/local-server.ts";

/** The answer to one message; `hang` never answers. */
export type ReceiverAnswer = number | "hang" | { readonly redirect: string };

export interface ReceivedWebhook {
  readonly id: string;
  readonly type: string;
  readonly seq: number | undefined;
  /** Whether the signature is valid for the receiver's secret. */
  readonly verified: boolean;
}

export interface WebhookReceiver {
  /** `host:port`, for REGISTRY_WEBHOOK_HOSTS. */
  readonly host: string;
  readonly url: string;
  readonly received: readonly ReceivedWebhook[];
  /** The secret that verifies `whsec_…` messages. */
  secret: string;
  /** The next answers, in order; then 204. */
  readonly answers: ReceiverAnswer[];
  close(): Promise<void>;
}

export async function startWebhookReceiver(): Promise<WebhookReceiver> {
  const received: ReceivedWebhook[] = [];
  const answers: ReceiverAnswer[] = [];
  const server = await startLocalServer((request, body, response) => {
    const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
    const { type, data } = JSON.parse(body) as { type: string; data: { seq?: number } };
    received.push({ id: headers["webhook-id"] ?? "", type, seq: data.seq, verified: verifies(body, headers) });
    const answer = answers.shift() ?? 204;
    if (answer === "hang") return;
    if (typeof answer === "number") response.writeHead(answer).end();
    else response.writeHead(307, { Location: answer.redirect }).end();
  });

  function verifies(body: string, headers: Record<string, string>): boolean {
    try {
      new Webhook(receiver.secret).verify(body, headers);
      return true;
    } catch {
      return false;
    }
  }

  const receiver: WebhookReceiver = {
    host: new URL(server.origin).host,
    url: `${server.origin}/hook`,
    received,
    secret: "whsec_bm9uZQ==",
    answers,
    close: server.close,
  };
  return receiver;
}
