/**
 * The headers of one attempt by the Standard Webhooks scheme: id, time of the attempt, and a signature for each secret
 * that is good now, so that a receiver can change to a new one at leisure. The scheme's own library signs.
 */
import { Webhook } from "standardwebhooks";
import type { RandomBytes } from "../identifier.ts";

/** The scheme asks for 24 to 64. */
const SECRET_BYTES = 32;

/** `whsec_…`: what both sides know. */
export function newSecret(randomBytes: RandomBytes): string {
  return `whsec_${btoa(String.fromCharCode(...randomBytes(SECRET_BYTES)))}`;
}

export interface SignedMessage {
  readonly id: string;
  /** Unix milliseconds. */
  readonly at: number;
  readonly body: string;
  readonly secrets: readonly string[];
}

export function signedHeaders({ id, at, body, secrets }: SignedMessage): Readonly<Record<string, string>> {
  const time = new Date(at);
  return {
    "webhook-id": id,
    "webhook-timestamp": String(Math.floor(at / 1_000)),
    "webhook-signature": secrets.map((secret) => new Webhook(secret).sign(id, time, body)).join(" "),
  };
}
