/** Plays recorded or shared steps on a handset, where somebody watches, until the first screen that differs. */
import { match } from "./flow-match.ts";
import { fill, namesIn, type Values } from "./flow-template.ts";
import type { Handset, Outcome } from "./handset.ts";
import type { Line } from "./handset-state.ts";
import { rememberSecrets, MASK, withoutSecrets } from "./secret-input.ts";
import { CUSTOMER_ID_NAME, customerIdOn } from "./session-recording.ts";

export interface PlayStep {
  readonly kind: "dial" | "input";
  readonly typed: string;
  /** Absent where nothing was recorded: any screen will do. */
  readonly expect?: string;
  readonly while?: readonly string[];
}

export type PlayResult =
  | { readonly kind: "done" }
  | { readonly kind: "different"; readonly index: number; readonly expected: string; readonly received: string }
  | { readonly kind: "stopped"; readonly index: number };

export interface Play {
  readonly line: Line;
  /** What stands for the names that a flow is given. */
  readonly values: Values;
  readonly signal: AbortSignal;
  /** Ends early when the signal aborts. */
  readonly wait: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  /** Before each step. */
  readonly onStep: (index: number) => void;
}

/** Digits of `{phoneEnd}`: a new PIN must not be these. */
const PHONE_END = 5;
/** Milliseconds between two equal inputs that are sent alone: the service takes the second for a repetition before that. */
const EQUAL_PAUSE = 3_500;
/** Milliseconds between two looks at a slow service, and how many of them. */
const CHECK_PAUSE = 500;
const MAX_CHECKS = 30;
const SECOND = 1_000;

/** The steps as they are listed: without the PINs that a file may hold. */
export function describedSteps(steps: readonly PlayStep[]): readonly string[] {
  return steps.map(({ typed }, index) => {
    const isName = namesIn(typed).some((name) => typed === `{${name}}`);
    return isName ? typed : withoutSecrets(typed, bodyOf(steps[index - 1]?.expect), () => MASK);
  });
}

export async function playSteps(handset: Handset, steps: readonly PlayStep[], play: Play): Promise<PlayResult> {
  const { line, signal, onStep } = play;
  const secrets = rememberSecrets(() => MASK);
  let screen = "";
  const values = new Map([
    ...play.values,
    ["phone", line.phoneNumber],
    ["phoneEnd", line.phoneNumber.slice(-PHONE_END)],
  ]);
  let last: string | undefined;
  for (const [index, step] of steps.entries()) {
    if (signal.aborted) return { kind: "stopped", index };
    onStep(index);
    const isDial = step.kind === "dial" || index === 0;
    const typed = fill(step.typed, values);
    const press = (): Promise<Outcome> => (isDial ? handset.dial(line, typed) : handset.answer(typed));
    secrets.typed(typed, isDial ? "" : screen);
    if (!isDial && line.mode === "latest" && typed === last) await play.wait(EQUAL_PAUSE, signal);
    let received = await patiently(press, play);
    for (let checks = 1; checks < MAX_CHECKS && isPending(step, received, values); checks += 1) {
      await play.wait(line.mode === "latest" ? EQUAL_PAUSE : CHECK_PAUSE, signal);
      received = await patiently(press, play);
    }
    if (received === undefined) return { kind: "stopped", index };
    const found = match(step.expect ?? "{...}", received, values);
    if (found === undefined) {
      const expected = secrets.shown(fill(step.expect ?? "", values));
      return { kind: "different", index, expected, received: secrets.shown(received) };
    }
    for (const [name, value] of found) values.set(name, value);
    const customer = customerIdOn(received);
    if (customer !== undefined && !values.has(CUSTOMER_ID_NAME)) values.set(CUSTOMER_ID_NAME, customer);
    last = typed;
    screen = bodyOf(received);
  }
  return { kind: "done" };
}

/** A request over the rate limit has changed nothing: it is sent again when the server allows it. */
async function patiently(press: () => Promise<Outcome>, { signal, wait }: Play): Promise<string | undefined> {
  while (!signal.aborted) {
    const outcome = await press();
    if (outcome.kind === "reply") return `${outcome.reply.kind} ${outcome.reply.body}`;
    if (outcome.kind !== "wait") return undefined;
    await wait(outcome.seconds * SECOND, signal);
  }
  return undefined;
}

function isPending(step: PlayStep, received: string | undefined, values: Values): boolean {
  if (received === undefined) return false;
  return (step.while ?? []).some((screen) => match(screen, received, values) !== undefined);
}

/** What a phone shows of a reply. */
function bodyOf(reply = ""): string {
  return reply.replace(/^(CON|END) /, "");
}
