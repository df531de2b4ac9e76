/** The receiver of ScriptedOutbox's webhooks: the test scripts its answers, and it records the messages. */
import { Webhook } from "standardwebhooks";
import type { Received } from "../server/received.ts";

export interface ReceivedMessage {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  readonly body: Received;
}

export const scriptedReceiver = {
  /** By webhook address, since several tests may have webhooks at once. */
  answers: new Map<string, (received: ReceivedMessage) => Response | Promise<Response>>(),
  received: [] as ReceivedMessage[],
  /** When the signatures are made, Unix milliseconds; a test that goes back in time sets it. */
  clock: () => Date.now(),
  async fetch(url: string, init: RequestInit): Promise<Response> {
    const text = String(init.body);
    const headers = Object.fromEntries(new Headers(init.headers));
    const message = { url, headers, text, body: JSON.parse(text) as unknown };
    scriptedReceiver.received.push(message);
    return (await scriptedReceiver.answers.get(url)?.(message)) ?? new Response(null, { status: 204 });
  },
};

/** The messages to an address, in order. */
export function receivedAt(url: string): readonly ReceivedMessage[] {
  return scriptedReceiver.received.filter((message) => message.url === url);
}

/** Whether the message is signed with this secret, according to the scheme's own library. */
export function isSignedBy(secret: string, { text, headers }: ReceivedMessage): boolean {
  try {
    new Webhook(secret).verify(text, headers);
    return true;
  } catch {
    return false;
  }
}
