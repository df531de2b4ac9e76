/** One recorded flow against a server: step by step until the first reply that is not as it was recorded. */
import { givenTo, stepsOf, type FlowFile, type FlowStep, type RecordedFlow } from "./flow-file.ts";
import type { Call } from "./gateway.ts";
import { differenceOf } from "./screen-difference.ts";
import { fill, match, namesIn, type Values } from "./screen-template.ts";

export interface FlowCaller {
  readonly phoneNumber: string;
  readonly openCall: () => Call;
  readonly isLatestOnly: boolean;
  /** Milliseconds between two equal inputs that are sent alone. */
  readonly pauseMs: number;
  readonly wait: (milliseconds: number) => Promise<void>;
  /** Told when the service wants to be left alone for a while. */
  readonly note: (line: string) => void;
}

export type Outcome =
  | { readonly kind: "same"; readonly steps: number; readonly values: Values }
  | { readonly kind: "different"; readonly report: readonly string[] };

/** Digits: a new PIN must not be these, the end of the phone's number. */
const PHONE_END = 5;
/** Milliseconds between two looks at whether a slow service is done. */
const LOOK_PAUSE_MS = 500;
/** Looks until a service counts as never done: a quarter of a minute. */
const MOST_LOOKS = 30;

/** A name that the flow uses before anything tells its value. */
export function untoldName(file: FlowFile, flow: RecordedFlow): string | undefined {
  const known = new Set([...givenTo(file, flow), "phone", "phoneEnd"]);
  for (const { step } of stepsOf(file, flow)) {
    const untold = namesIn(inputOf(step)).find((name) => !known.has(name));
    if (untold !== undefined) return untold;
    for (const name of namesIn(step.expect)) known.add(name);
  }
  return undefined;
}

export async function replayFlow(
  file: FlowFile,
  flow: RecordedFlow,
  set: Values,
  caller: FlowCaller,
): Promise<Outcome> {
  const { phoneNumber, openCall, isLatestOnly, pauseMs, wait } = caller;
  const values = new Map([
    ["phone", phoneNumber],
    ["phoneEnd", phoneNumber.slice(-PHONE_END)],
  ]);
  // What a flow does not ask for is for others: its own screens may tell another value.
  for (const name of givenTo(file, flow)) values.set(name, set.get(name) ?? "");
  const steps = stepsOf(file, flow);
  let call: Call | undefined;
  for (const { flow: name, number, step } of steps) {
    const input = fill(inputOf(step), values);
    if (call === undefined || "dial" in step) call = openCall();
    else if (isLatestOnly && input === call.text) await wait(pauseMs);
    let shown = await press(call, input, caller);
    for (let looks = 1; looks < MOST_LOOKS && isStill(step, shown, values); looks += 1) {
      await wait(isLatestOnly ? Math.max(pauseMs, LOOK_PAUSE_MS) : LOOK_PAUSE_MS);
      shown = await press(call, input, caller);
    }
    const found = match(step.expect, shown, values);
    if (found === undefined) {
      const where = name === flow.name ? "" : ` of "${name}", which comes before`;
      const typed = "dial" in step ? "dialled" : `typed ${input === "" ? "nothing" : input}`;
      return {
        kind: "different",
        report: [
          `step ${number}${where}: ${typed} (session ${call.sessionId}, text "${call.text}")`,
          ...differenceOf(step.expect, shown, values),
        ],
      };
    }
    for (const [captured, value] of found) values.set(captured, value);
  }
  return { kind: "same", steps: steps.length, values };
}

/** A refusal for haste has changed nothing: the same press goes out again when the service says so. */
async function press(call: Call, input: string, { wait, note }: FlowCaller): Promise<string> {
  for (;;) {
    const answer = await call.press(input);
    if (answer.kind !== "wait") return `${answer.kind} ${answer.body}`;
    note(`Rate limit reached; continuing in ${answer.seconds} s.`);
    await wait(answer.seconds * 1_000);
  }
}

/** The service says that it is not done yet. */
function isStill(step: FlowStep, shown: string, values: Values): boolean {
  const screens = "while" in step ? (step.while ?? []) : [];
  return screens.some((screen) => match(screen, shown, values) !== undefined);
}

function inputOf(step: RecordedFlow["steps"][number]): string {
  return "dial" in step ? step.dial : step.input;
}
