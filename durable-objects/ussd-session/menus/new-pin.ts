/**
 * A new PIN that is typed twice, for an account and for a change: four states of the menu that asks for it, with names
 * of that menu. The menu needs the actions `showMessage` and `keepPin`. Between the two entries the PIN exists only as
 * a sealed hash.
 */
import { readNewPin } from "../input/typed-input.ts";
import type { NewPinOutcome } from "../ports.ts";
import type { Screen } from "../screen/screen.ts";
import type { Dictionary, Message } from "../texts/dictionary.ts";
import type { Effects, Forgotten, PreparePinRequest } from "./effects.ts";
import { effect, secretOf, typed, waiting, whileWaiting, type PhoneEvent } from "./menu.ts";

/** The actors and the guard of the states. */
export function newPinActors(effects: Pick<Effects, "preparePin" | "confirmPin">) {
  return {
    prepare: effect(effects.preparePin),
    compare: effect(effects.confirmPin),
  };
}

export function isNewPin({ event }: { readonly event: { readonly type: string } }): boolean {
  return readNewPin(typed(event)).ok;
}

type PinScreen = (dictionary: Dictionary) => Screen;

interface NewPinPlan<Context, Entry, Checking, Confirm, Comparing, Chosen, Back> {
  /** The names of the four states, and the screens of the two in which the PIN is typed. */
  readonly entry: Entry;
  readonly checking: Checking;
  readonly confirm: Confirm;
  readonly comparing: Comparing;
  readonly screens: { readonly entry: PinScreen; readonly confirm: PinScreen };
  /** The targets after two equal entries, and after leaving the first. */
  readonly chosen: Chosen;
  readonly back: Back;
  readonly request: (context: Context) => Omit<PreparePinRequest, "pin">;
}

export function newPinStates<
  Context extends { readonly sealed: string },
  const Entry extends string,
  const Checking extends string,
  const Confirm extends string,
  const Comparing extends string,
  const Chosen extends string,
  const Back,
>(plan: NewPinPlan<Context, Entry, Checking, Confirm, Comparing, Chosen, Back>) {
  const { entry, checking, confirm, comparing, screens, chosen, back, request } = plan;
  const wrongFormat = { actions: { type: "showMessage", params: { key: "newPinFormat" } } } as const;
  return {
    entry: {
      meta: { input: "pin", screen: screens.entry },
      on: { ENTER: [{ guard: "isNewPin", target: checking }, wrongFormat], BACK: back },
    },
    checking: {
      ...waiting,
      invoke: {
        src: "prepare",
        input: ({ context, event }: Typed<Context>) => ({ ...request(context), pin: secretOf(event) }),
        onDone: [
          {
            guard: ({ event }: Prepared) => sealedOf(event.output) !== undefined,
            target: confirm,
            actions: { type: "keepPin", params: ({ event }: Prepared) => sealedOf(event.output) ?? "" },
          },
          { target: entry, actions: { type: "showMessage", params: ({ event }: Prepared) => messageOf(event.output) } },
        ],
      },
      on: { ...whileWaiting, BACK: entry },
    },
    confirm: {
      meta: { input: "pin", screen: screens.confirm },
      on: { ENTER: [{ guard: "isNewPin", target: comparing }, wrongFormat], BACK: entry },
    },
    comparing: {
      ...waiting,
      invoke: {
        src: "compare",
        input: ({ context, event }: Typed<Context>) => ({
          sealed: context.sealed,
          effectKey: request(context).effectKey,
          pin: secretOf(event),
        }),
        onDone: [
          { guard: ({ event }: Compared) => event.output === true, target: chosen },
          {
            guard: ({ event }: Compared) => event.output === false,
            target: entry,
            actions: { type: "showMessage", params: { key: "pinMismatch" } },
          },
          { target: confirm, actions: { type: "showMessage", params: { key: "unavailable" } } },
        ],
      },
      on: { ...whileWaiting, BACK: entry },
    },
  } as const;
}

interface Typed<Context> {
  readonly context: Context;
  readonly event: PhoneEvent;
}
interface Prepared {
  readonly event: { readonly output: NewPinOutcome | Forgotten };
}
interface Compared {
  readonly event: { readonly output: boolean | Forgotten };
}

function sealedOf(outcome: NewPinOutcome | Forgotten): string | undefined {
  return "sealed" in outcome ? outcome.sealed : undefined;
}

const MESSAGES = { shape: "newPinFormat", weak: "weakPin", same: "samePin" } as const;

/** Why a new PIN was rejected. */
function messageOf(outcome: NewPinOutcome | Forgotten): Message {
  return { key: "problem" in outcome ? MESSAGES[outcome.problem] : "unavailable" };
}
