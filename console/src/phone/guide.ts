/** Leads a caller from the first screen of the service to the record that they look up, screen by screen, in any of its languages. */
import type { PlayStep } from "../../../shared/flow-player.ts";
import { phoneScreens, phoneGuideTexts as texts } from "../texts/phone-screens.ts";
import type { HandsetState } from "./handset-state.ts";

const keyText = (key: string, label: string) => `Send ${key}: ${label}.`;

export interface Guide {
  readonly did: string;
  /** The digits that callers type for it. */
  readonly number: string;
}

export interface Hint {
  readonly text: string;
  /** A long input, which one press fills in. */
  readonly typed?: string;
}

/** Digits at the end of a DID by which the service finds a record. */
const NUMBER_LENGTH = 6;

/** Undefined if the text is not a DID. */
export function guideTo(did: string): Guide | undefined {
  if (!/^did:[a-z0-9]+:[\w.:%-]+$/.test(did)) return undefined;
  return { did, number: /[0-9a-f]{32}$/.test(did) ? did.slice(-NUMBER_LENGTH) : did };
}

/** The next step; undefined if the guide cannot add anything to the phone's own screen. */
export function nextHint(
  { phase, screen, customerId }: Pick<HandsetState, "phase" | "screen" | "customerId">,
  { number }: Guide,
): Hint | undefined {
  if (phase === "idle" || phase === "ended")
    return { text: phase === "idle" ? "Press Dial." : "The call has ended. Press Dial to call again." };
  if (phase !== "live" || screen === undefined) return undefined;
  const lines = screen.body.split("\n");
  const says = (name: keyof typeof phoneScreens): boolean =>
    lines.some((line) => phoneScreens[name].some((text) => line.startsWith(text)));
  const keyOf = (...names: (keyof typeof phoneScreens)[]): readonly [key: string, label: string] | undefined => {
    for (const line of lines) {
      const [, key, label] = /^(\d+)\. (.*)$/.exec(line) ?? [];
      if (key !== undefined && label !== undefined && names.some((name) => isOneOf(label, phoneScreens[name])))
        return [key, label];
    }
    return undefined;
  };
  if (says("domainStatus")) return { text: "This is what callers see. Send * to end the call." };
  if (says("domainPrompt")) return { text: `Send the record's number: ${number}.`, typed: number };
  if (says("yourCustomerId"))
    return {
      text: `${customerId ?? ""} is your Customer ID. Send ${keyOf("backToAccountMenu")?.[0] ?? ""}, then log in with it.`,
    };
  if (says("customerIdPrompt"))
    return {
      text:
        customerId === undefined
          ? "Send your Customer ID: C and nine more characters."
          : `Send your Customer ID: ${customerId}.`,
      ...(customerId === undefined ? {} : { typed: customerId }),
    };
  if (says("confirmPinPrompt")) return { text: "Send the same PIN again." };
  if (says("createPinPrompt")) return { text: "Choose a five-digit PIN and send it." };
  if (says("pinPrompt")) return { text: "Send your PIN." };
  if (says("namePrompt")) return { text: "Send a name, such as Ada." };
  if (says("emailPrompt")) return { text: "Send 00: no email address is needed." };
  const create = keyOf("noCreate", "createAccount");
  const logIn = keyOf("yesLogIn", "logIn");
  if (create !== undefined && logIn !== undefined)
    return { text: customerId === undefined ? texts.account(create, logIn) : keyText(...logIn) };
  const key = keyOf("checkDomain") ?? keyOf("services") ?? keyOf("continue") ?? keyOf("accountMenu");
  return key === undefined ? undefined : { text: keyText(...key) };
}

function isOneOf(label: string, labels: readonly string[]): boolean {
  return labels.includes(label);
}

/** The steps for a handset: a new account, its login, the record. */
export function guideSteps({ number }: Guide): readonly PlayStep[] {
  const inputs = [
    "2",
    "2",
    "Ada Newcomer",
    "00",
    "{pin}",
    "{pin}",
    "1",
    "1",
    "{customerId}",
    "{pin}",
    "1",
    "3",
    "2",
    number,
  ];
  return [{ kind: "dial", typed: "" }, ...inputs.map((typed) => ({ kind: "input" as const, typed }))];
}
