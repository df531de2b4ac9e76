/**
 * Plays the steps of a recorded flow on a phone, one by one: fills in values, waits as a caller does, and compares the
 * screen.
 */
import { fill, match, type Values } from "./flow-template.ts";

export interface PlayStep {
  readonly kind: "dial" | "input";
  readonly typed: string;
  /** Absent if nothing was recorded: any screen matches. */
  readonly expect?: string;
  /** The input is repeated as long as one of these screens is shown. */
  readonly while?: readonly string[];
}

/** The reply with its prefix, or the seconds for which the rate limit applies; undefined if the replay ends here. */
export type Pressed = { readonly reply: string } | { readonly waitSeconds: number } | undefined;

export interface FlowPhone {
  readonly phoneNumber: string;
  /** A request over the rate limit has changed nothing, so the press is repeated. */
  readonly press: (typed: string, isDial: boolean) => Promise<Pressed>;
  /** Milliseconds between two equal inputs; absent for a gateway that sends all inputs. */
  readonly equalPauseMs: number | undefined;
  readonly wait: (milliseconds: number) => Promise<void>;
}

export interface PlayedStep {
  readonly isDial: boolean;
  /** The typed text, with names replaced by values. */
  readonly typed: string;
  /** After a match, the values on the screen are known. */
  readonly outcome: "match" | "different" | "ended";
  /** The reply with its prefix; empty if the phone ended the replay. */
  readonly received: string;
}

export interface FlowPlayer {
  /** The known values, by name. */
  readonly values: Map<string, string>;
  readonly play: (step: PlayStep) => Promise<PlayedStep>;
}

/**
 * Milliseconds between two equal inputs if only the latest is sent: within USSD_REPLAY_WINDOW_MS the service treats the
 * second as a repetition of the first.
 */
export const EQUAL_PAUSE_MS = 3_500;
/** Digits of `{phoneEnd}`, the last digits of the phone's number: a new PIN must not equal them. */
const PHONE_END = 5;
/** Milliseconds between two polls of a slow service, and their maximum number. */
const CHECK_PAUSE_MS = 500;
const MAX_CHECKS = 30;
const SECOND_MS = 1_000;
const ANY_SCREEN = "{...}";

/** @param given the values of the names that the flow needs. */
export function createFlowPlayer(phone: FlowPhone, given: Values): FlowPlayer {
  const { phoneNumber, equalPauseMs, wait } = phone;
  const values = new Map([["phone", phoneNumber], ["phoneEnd", phoneNumber.slice(-PHONE_END)], ...given]);
  let last: string | undefined;

  async function play(step: PlayStep): Promise<PlayedStep> {
    const isDial = step.kind === "dial" || last === undefined;
    const typed = fill(step.typed, values);
    const press = async (): Promise<string | undefined> => {
      let pressed = await phone.press(typed, isDial);
      while (pressed !== undefined && "waitSeconds" in pressed) {
        await wait(pressed.waitSeconds * SECOND_MS);
        pressed = await phone.press(typed, isDial);
      }
      return pressed?.reply;
    };
    const isPending = (screen: string): boolean =>
      (step.while ?? []).some((template) => match(template, screen, values) !== undefined);

    if (!isDial && equalPauseMs !== undefined && typed === last) await wait(equalPauseMs);
    let received = await press();
    for (let checks = 1; checks < MAX_CHECKS && received !== undefined && isPending(received); checks += 1) {
      await wait(Math.max(equalPauseMs ?? 0, CHECK_PAUSE_MS));
      received = await press();
    }
    last = typed;
    if (received === undefined) return { isDial, typed, outcome: "ended", received: "" };
    const found = match(step.expect ?? ANY_SCREEN, received, values);
    for (const [name, value] of found ?? []) values.set(name, value);
    return { isDial, typed, outcome: found === undefined ? "different" : "match", received };
  }

  return { values, play };
}
