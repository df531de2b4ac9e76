/**
 * A new PIN that is given twice, as it is for an account and on a change (contract/ussd.md sections 5.6 and 5.7): four
 * states of the machine that asks, under names of its own. It has the actions `tell` and `keepPin`. Between the two
 * entries the PIN exists only as a sealed hash.
 */
import { fromPromise } from "xstate";
import type { ConfirmPinRequest, Effects, Forgotten, PreparePinRequest } from "../effects.ts";
import { readNewPin } from "../input/entries.ts";
import type { Notice } from "../i18n/dictionary.ts";
import type { NewPinOutcome } from "../ports.ts";
import { secretOf, typed, whileWaiting, type PhoneEvent } from "./phone-event.ts";

/** Actors and guard that the states are made of. */
export function newPinActors(effects: Pick<Effects, "preparePin" | "confirmPin">) {
  return {
    prepare: fromPromise<NewPinOutcome | Forgotten, PreparePinRequest>(({ input }) => effects.preparePin(input)),
    compare: fromPromise<boolean | Forgotten, ConfirmPinRequest>(({ input }) => effects.confirmPin(input)),
  };
}

export function isNewPin({ event }: { readonly event: { readonly type: string } }): boolean {
  return readNewPin(typed(event)).ok;
}

interface NewPinPlan<Context, Entry, Judging, Confirm, Comparing, Chosen, Back> {
  /** The names of the four states. */
  readonly entry: Entry;
  readonly judging: Judging;
  readonly confirm: Confirm;
  readonly comparing: Comparing;
  /** Where two equal entries lead, and where leaving the first does. */
  readonly chosen: Chosen;
  readonly back: Back;
  readonly request: (context: Context) => Omit<PreparePinRequest, "pin">;
}

export function newPinStates<
  Context extends { readonly sealed: string },
  const Entry extends string,
  const Judging extends string,
  const Confirm extends string,
  const Comparing extends string,
  const Chosen extends string,
  const Back,
>(plan: NewPinPlan<Context, Entry, Judging, Confirm, Comparing, Chosen, Back>) {
  const { entry, judging, confirm, comparing, chosen, back, request } = plan;
  const refuseFormat = { actions: { type: "tell", params: { reason: "newPinFormat" } } } as const;
  return {
    entry: { on: { ENTER: [{ guard: "isNewPin", target: judging }, refuseFormat], BACK: back } },
    judging: {
      tags: "pending",
      invoke: {
        src: "prepare",
        input: ({ context, event }: Typed<Context>) => ({ ...request(context), pin: secretOf(event) }),
        onDone: [
          {
            guard: ({ event }: Judged) => sealedOf(event.output) !== undefined,
            target: confirm,
            actions: { type: "keepPin", params: ({ event }: Judged) => sealedOf(event.output) ?? "" },
          },
          { target: entry, actions: { type: "tell", params: ({ event }: Judged) => flawOf(event.output) } },
        ],
      },
      on: { ...whileWaiting, BACK: entry },
    },
    confirm: { on: { ENTER: [{ guard: "isNewPin", target: comparing }, refuseFormat], BACK: entry } },
    comparing: {
      tags: "pending",
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
            actions: { type: "tell", params: { reason: "pinMismatch" } },
          },
          { target: confirm, actions: { type: "tell", params: { reason: "unavailable" } } },
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
interface Judged {
  readonly event: { readonly output: NewPinOutcome | Forgotten };
}
interface Compared {
  readonly event: { readonly output: boolean | Forgotten };
}

function sealedOf(outcome: NewPinOutcome | Forgotten): string | undefined {
  return "sealed" in outcome ? outcome.sealed : undefined;
}

const FLAWS = { shape: "newPinFormat", weak: "weakPin", same: "samePin" } as const;

/** Why a new PIN was not taken. */
function flawOf(outcome: NewPinOutcome | Forgotten): Notice {
  return { reason: "flaw" in outcome ? FLAWS[outcome.flaw] : "unavailable" };
}
