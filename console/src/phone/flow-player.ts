/** Plays recorded or shared steps on a visible handset, until the first screen that differs. */
import { createFlowPlayer, EQUAL_PAUSE_MS, type PlayStep, type Pressed } from "../../../shared/flow-player.ts";
import { fill, namesIn, type Values } from "../../../shared/flow-template.ts";
import type { Handset } from "./handset.ts";
import type { Line } from "./handset-state.ts";
import { rememberSecrets, MASK, withoutSecrets } from "./secret-input.ts";
import { CUSTOMER_ID_NAME, customerIdOn } from "./session-recording.ts";

export type PlayResult =
  | { readonly kind: "done" }
  | { readonly kind: "different"; readonly index: number; readonly expected: string; readonly received: string }
  | { readonly kind: "stopped"; readonly index: number };

export interface Play {
  readonly line: Line;
  /** The values of the flow's given names. */
  readonly values: Values;
  readonly signal: AbortSignal;
  /** Ends early when the signal aborts. */
  readonly wait: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  /** Before each step. */
  readonly onStep: (index: number) => void;
}

/** The steps as they are listed: without the PINs that a file may contain. */
export function describedSteps(steps: readonly PlayStep[]): readonly string[] {
  return steps.map(({ typed }, index) => {
    const isName = namesIn(typed).some((name) => typed === `{${name}}`);
    return isName ? typed : withoutSecrets(typed, bodyOf(steps[index - 1]?.expect), () => MASK);
  });
}

export async function playSteps(handset: Handset, steps: readonly PlayStep[], play: Play): Promise<PlayResult> {
  const { line, signal, onStep } = play;
  const secrets = rememberSecrets(() => MASK);
  const press = async (typed: string, isDial: boolean): Promise<Pressed> => {
    if (signal.aborted) return undefined;
    const outcome = await (isDial ? handset.dial(line, typed) : handset.answer(typed));
    if (outcome.kind === "reply") return { reply: `${outcome.reply.kind} ${outcome.reply.body}` };
    return outcome.kind === "wait" ? { waitSeconds: outcome.seconds } : undefined;
  };
  const phone = {
    phoneNumber: line.phoneNumber,
    press,
    equalPauseMs: line.mode === "latest" ? EQUAL_PAUSE_MS : undefined,
    wait: (milliseconds: number) => play.wait(milliseconds, signal),
  };
  const player = createFlowPlayer(phone, play.values);
  let screen = "";
  for (const [index, step] of steps.entries()) {
    if (signal.aborted) return { kind: "stopped", index };
    onStep(index);
    const { isDial, typed, outcome, received } = await player.play(step);
    if (outcome === "ended") return { kind: "stopped", index };
    secrets.typed(typed, isDial ? "" : screen);
    if (outcome === "different") {
      const expected = secrets.shown(fill(step.expect ?? "", player.values));
      return { kind: "different", index, expected, received: secrets.shown(received) };
    }
    const customer = customerIdOn(received);
    if (customer !== undefined && !player.values.has(CUSTOMER_ID_NAME)) player.values.set(CUSTOMER_ID_NAME, customer);
    screen = bodyOf(received);
  }
  return { kind: "done" };
}

/** The part of a reply that a phone shows. */
function bodyOf(reply = ""): string {
  return reply.replace(/^(CON|END) /, "");
}
