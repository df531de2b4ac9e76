/** What the Outbox `sms` holds: a text and whom it is for, as the body of one of its messages. */
import * as z from "zod";
import { parseJson } from "../../platform/parse-json.ts";

const message = z.object({ to: z.string(), text: z.string() });

export type SmsMessage = z.output<typeof message>;

export function writeSms({ to, text }: SmsMessage): string {
  return JSON.stringify({ to, text });
}

/** Undefined for a body that is none. */
export function readSms(body: string): SmsMessage | undefined {
  const json = parseJson(body);
  const read = json.ok ? message.safeParse(json.value) : undefined;
  return read?.success ? read.data : undefined;
}
