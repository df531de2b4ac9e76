/** Plays a flow of flows.ts on any phone. */
import { DOMAIN_DIGITS, type Flow } from "./flows.ts";
import { SCREENS } from "./screens.ts";

export interface FlowPhone {
  readonly phoneNumber: string;
  /** One request of the call's session; returns the whole reply with its prefix. */
  send(text: string): Promise<string>;
  /** Starts a new call of the phone. */
  redial(): void;
}

export interface FlowRun {
  /** The value of `<id>` until an account is created. */
  customerId?: string;
  /** Called after each step with its text and its reply. */
  afterStep?(text: string, reply: string): Promise<void>;
}

/** Differences from the flow; empty if there are none. Texts are cumulative, as most gateways send them. */
export async function runFlow(flow: Flow, phone: FlowPhone, run: FlowRun = {}): Promise<readonly string[]> {
  const faults: string[] = [];
  let { customerId = "" } = run;
  let text = "";
  for (const [index, [input, screen, ...phrases]] of flow.steps.entries()) {
    if (input === "dial") phone.redial();
    const typed = input
      .replace("<id>", customerId)
      .replace("<hex>", DOMAIN_DIGITS)
      .replace("<end>", phone.phoneNumber.slice(-5));
    if (input === "dial" || index === 0) text = "";
    else text = text === "" ? typed : `${text}*${typed}`;
    const reply = await phone.send(text);
    customerId = /Your Customer ID: (C[0-9A-F]+)/.exec(reply)?.[1] ?? customerId;
    for (const phrase of [SCREENS[screen], ...phrases]) {
      if (!reply.includes(phrase)) faults.push(`${flow.name}, step ${index} (${input}): no ${screen}\n${reply}`);
    }
    await run.afterStep?.(text, reply);
  }
  return faults;
}
