/**
 * A session's inputs and screens as steps of a recorded flow. A PIN becomes a name such as `{pin}`, so that a saved or shared
 * session contains none; a new Customer ID becomes `{customerId}`, so that the flow can be replayed anywhere.
 */
import { literal } from "../../../shared/flow-template.ts";
import { rememberSecrets } from "./secret-input.ts";

export interface RecordedStep {
  readonly kind: "dial" | "input";
  /** The dialled or typed input, as a template. */
  readonly typed: string;
  /** The reply with its prefix, as a template. */
  readonly expect: string;
}

export interface Recorder {
  /** @param screen at which it was typed; empty for a dial. */
  readonly typed: (text: string, screen: string) => string;
  readonly shown: (reply: string) => string;
}

/** The service's format: C, eight hexadecimal digits, a check character. */
const CUSTOMER_ID = /\bC[0-9A-F]{8}[0-9A-Z]\b/g;
export const CUSTOMER_ID_NAME = "customerId";

/** Only the recorder knows the values, in memory. */
export function createRecorder(): Recorder {
  const secrets = rememberSecrets(pinName);
  const customers = new Map<string, string>();
  return {
    typed: (text, screen) => secrets.typed(text, screen).replace(CUSTOMER_ID, (id) => customers.get(id) ?? id),
    shown: (reply) => secrets.shown(literal(reply)).replace(CUSTOMER_ID, (id) => named(customers, id)),
  };
}

/** The name of the first PIN, the second, and so on. */
export function pinName(index: number): string {
  return numbered("pin", index);
}

/** The Customer ID on a screen. */
export function customerIdOn(reply: string): string | undefined {
  return reply.match(CUSTOMER_ID)?.[0];
}

function named(names: Map<string, string>, value: string): string {
  const name = names.get(value) ?? numbered(CUSTOMER_ID_NAME, names.size);
  names.set(value, name);
  return name;
}

/** The first value is `{pin}`, the next different one `{pin2}`. */
function numbered(base: string, index: number): string {
  return `{${base}${index === 0 ? "" : index + 1}}`;
}
