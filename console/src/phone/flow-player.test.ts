/** Replaying on a handset: names, captured values, the first difference, waiting and stopping. */
import { expect, test } from "vitest";
import { pause } from "../../../shared/pause.ts";
import type { PlayStep } from "../../../shared/flow-player.ts";
import { describedSteps, playSteps } from "./flow-player.ts";
import type { Handset, Outcome } from "./handset.ts";
import { initialState, type Line } from "./handset-state.ts";

const line: Line = { phoneNumber: "+260971230001", serviceCode: "*2233#", format: "json", mode: "cumulative" };

/** A handset that shows these screens in turn, and the inputs it received. */
function shown(outcomes: readonly (string | Outcome)[], mode = line.mode) {
  const pressed: string[] = [];
  const waited: number[] = [];
  const player = new AbortController();
  let next = 0;
  const press = (what: string) => (): Promise<Outcome> => {
    pressed.push(what);
    const outcome = outcomes[next] ?? "CON Menu";
    next += 1;
    if (typeof outcome !== "string") return Promise.resolve(outcome);
    return Promise.resolve({ kind: "reply", reply: { kind: "CON", body: outcome.slice("CON ".length) } });
  };
  const unused = (): Promise<never> => Promise.reject(new Error("not part of a replay"));
  const handset: Handset = {
    read: () => initialState,
    subscribe: () => () => undefined,
    setNetwork: () => undefined,
    dial: (_, text) => press(`dial ${text}`)(),
    answer: (input) => press(input)(),
    repeat: unused,
    hangUp: unused,
    drop: () => undefined,
    rejectCode: () => undefined,
    forget: () => undefined,
  };
  const play = (steps: readonly PlayStep[], values: Readonly<Record<string, string>> = {}) =>
    playSteps(handset, steps, {
      line: { ...line, mode },
      values: new Map(Object.entries(values)),
      signal: player.signal,
      wait: (milliseconds) => Promise.resolve(void waited.push(milliseconds)),
      onStep: () => undefined,
    });
  return { handset, pressed, waited, play, stop: () => player.abort() };
}

const dial: PlayStep = { kind: "dial", typed: "", expect: "CON {...}" };
const input = (typed: string, expect?: string): PlayStep => ({
  kind: "input",
  typed,
  ...(expect === undefined ? {} : { expect }),
});

test("given and captured names are typed, and so is the end of the phone number", async () => {
  const { play, pressed } = shown(["CON Hi", "CON Id: C42", "CON ok"]);
  const steps = [dial, input("{pin}", "CON Id: {customerId}"), input("{customerId}"), input("{phoneEnd}")];
  expect(await play(steps, { pin: "43219" })).toEqual({ kind: "done" });
  expect(pressed).toEqual(["dial ", "43219", "C42", "30001"]);
});

test("a PIN of a flow file is neither listed nor in a difference [CN-101]", async () => {
  const steps = [
    dial,
    input("1*86420", "CON Enter your PIN:\n0. Back"),
    input("letters", "CON Again, {pin}:\n0. Back"),
    input("{pin}", "CON {pin} and 1"),
    input("Ada"),
  ];
  expect(describedSteps(steps)).toEqual(["", "1*_PIN_", "_PIN_", "{pin}", "Ada"]);
  const { play } = shown([
    "CON Hi",
    "CON Enter your PIN:\n0. Back",
    "CON Again, 43219:\n0. Back",
    "CON 86420 and 43219",
  ]);
  expect(await play(steps, { pin: "43219" })).toEqual({
    kind: "different",
    index: 3,
    expected: "CON _PIN_ and 1",
    received: "CON _PIN_ and _PIN_",
  });
});

test("shared steps have no screens, and still find the Customer ID on one", async () => {
  const { play, pressed } = shown(["CON Hi", "CON Your Customer ID: C1A2B3C4DX"]);
  expect(await play([{ kind: "dial", typed: "2*1" }, input("1"), input("{customerId}")])).toEqual({ kind: "done" });
  expect(pressed).toEqual(["dial 2*1", "1", "C1A2B3C4DX"]);
});

test("the first screen that differs ends the replay", async () => {
  const { play, pressed } = shown(["CON Hi", "CON Other"]);
  expect(await play([dial, input("1", "CON This"), input("2", "CON That")])).toEqual({
    kind: "different",
    index: 1,
    expected: "CON This",
    received: "CON Other",
  });
  expect(pressed).toEqual(["dial ", "1"]);
});

test("it checks again while a slow service works, and waits for the rate limit and between equal inputs", async () => {
  const slow = shown(["CON Hi", "CON Wait", { kind: "wait", seconds: 3 }, "CON Done"]);
  const pending = { ...input("1", "CON Done"), while: ["CON Wait"] };
  expect(await slow.play([dial, pending])).toEqual({ kind: "done" });
  expect([slow.pressed, slow.waited]).toEqual([
    ["dial ", "1", "1", "1"],
    [500, 3_000],
  ]);
  const latest = shown([], "latest");
  await latest.play([dial, input("1"), input("1"), input("2")]);
  expect(latest.waited).toEqual([3_500]);
});

test("it stops on request, and when the call has ended", async () => {
  const stopped = shown([]);
  stopped.stop();
  expect(await stopped.play([dial])).toEqual({ kind: "stopped", index: 0 });
  expect(stopped.pressed).toEqual([]);
  expect(await shown(["CON Hi", { kind: "dropped" }]).play([dial, input("1")])).toEqual({ kind: "stopped", index: 1 });
});

test("it stops at once while it waits for the rate limit", async () => {
  const { handset } = shown([{ kind: "wait", seconds: 60 }]);
  const player = new AbortController();
  const played = playSteps(handset, [dial], {
    line,
    values: new Map(),
    signal: player.signal,
    wait: (milliseconds, signal) => {
      queueMicrotask(() => player.abort());
      return pause(milliseconds, signal);
    },
    onStep: () => undefined,
  });
  expect(await played).toEqual({ kind: "stopped", index: 0 });
});

test("a number in braces is not a name, and is listed as a PIN [CN-101]", () => {
  const step = (typed: string): PlayStep => ({ kind: "input", typed });
  expect(describedSteps([step("{43219}"), step("{pin}")])).toEqual(["{_PIN_}", "{pin}"]);
});
