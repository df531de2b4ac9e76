/** Recorded flows against a server: each flow step by step until the first reply that differs from the recorded one. */
import { defaults, type ReplayTask, type UssdOptions } from "./arguments.ts";
import {
  fill,
  givenNames,
  match,
  readFlows,
  stepsOf,
  undefinedName,
  type FlowFile,
  type PlacedStep,
  type RecordedFlow,
  type Values,
} from "./flow-file.ts";
import type { TextMode } from "../../shared/gateway-formats.ts";
import { exitCodes, UssdFailure, type Call, type ExitCode } from "./gateway.ts";
import { differenceOf } from "./screen.ts";

/** Digits: a new PIN must not be these, the end of the phone's number. */
const PHONE_END = 5;
/** Milliseconds between two checks of whether a slow service has finished. */
const CHECK_PAUSE_MS = 500;
/** Checks until the replay gives up: a quarter of a minute. */
const MAX_CHECKS = 30;

export interface ReplayProcess {
  /** @throws when there is no such file. */
  readonly readFile: (path: string) => string;
  /** A number that has never called. */
  readonly freshPhone: () => string;
  readonly print: (line: string) => void;
  readonly note: (line: string) => void;
  readonly wait: (milliseconds: number) => Promise<void>;
}

type OpenCall = (mode: TextMode, phoneNumber: string, serviceCode: string) => Call;

export async function replayFiles(
  task: ReplayTask,
  options: UssdOptions,
  process: ReplayProcess,
  openCall: OpenCall,
): Promise<ExitCode> {
  const { print } = process;
  // All files first: a mistake in the last one is reported before anything is sent.
  const chosen = task.files.flatMap((path) => chosenFlows(path, task, process));
  const unknown = task.flows.find((name) => !chosen.some(({ flow }) => flow.name === name));
  if (unknown !== undefined) throw new UssdFailure(exitCodes.usage, `no flow is called "${unknown}"`);
  const given = new Set(chosen.flatMap(({ file, flow }) => givenNames(file, flow)));
  const unused = [...task.values.keys()].find((name) => !given.has(name));
  if (unused !== undefined) throw new UssdFailure(exitCodes.usage, `no flow is given "${unused}"`);
  let different = 0;
  for (const { file, flow } of chosen) {
    const mode = options.mode ?? file.mode ?? "cumulative";
    const phoneNumber = options.phoneNumber ?? file.phone ?? process.freshPhone();
    const serviceCode = options.serviceCode ?? file.code ?? defaults.serviceCode;
    const report = await replayFlow(file, flow, task.values, {
      ...process,
      phoneNumber,
      openCall: () => openCall(mode, phoneNumber, serviceCode),
      // Between two equal inputs that are sent alone.
      pauseMs: mode === "latest" ? task.pauseMs : undefined,
    });
    if (report === undefined) print(`ok         ${flow.name} (${stepsOf(file, flow).length} steps)`);
    else {
      different += 1;
      print(`DIFFERENT  ${flow.name}`);
      for (const line of report) print(`    ${line}`);
    }
  }
  print(`${chosen.length - different} of ${chosen.length} flows went as recorded.`);
  return different === 0 ? exitCodes.done : exitCodes.failed;
}

interface ChosenFlow {
  readonly file: FlowFile;
  readonly flow: RecordedFlow;
}

/** @throws UssdFailure when the file, its names or their values are wrong. */
function chosenFlows(path: string, { flows, values }: ReplayTask, { readFile }: ReplayProcess): readonly ChosenFlow[] {
  const wrong = (message: string): UssdFailure => new UssdFailure(exitCodes.usage, message);
  let text: string;
  try {
    text = readFile(path);
  } catch (error) {
    throw wrong(`${path} cannot be read: ${(error as Error).message}`);
  }
  const file = readFlows(text);
  if (file instanceof Error) throw wrong(`${path}: ${file.message}`);
  const chosen = file.flows.filter(({ name }) => flows.length === 0 || flows.includes(name));
  const missing = new Set(chosen.flatMap((flow) => givenNames(file, flow)).filter((name) => !values.has(name)));
  if (missing.size > 0) {
    const options = [...missing].map((name) => `--set ${name}=...`).join(" ");
    throw wrong(`${path} needs ${options}; --flow NAME replays one flow alone`);
  }
  for (const flow of chosen) {
    const name = undefinedName(file, flow);
    if (name !== undefined) throw wrong(`${path}: "${flow.name}" uses {${name}} before it has a value`);
  }
  return chosen.map((flow) => ({ file, flow }));
}

interface FlowCaller extends Pick<ReplayProcess, "wait" | "note"> {
  readonly phoneNumber: string;
  readonly openCall: () => Call;
  readonly pauseMs: number | undefined;
}

/** Lines that report the first difference; undefined when there is none. */
async function replayFlow(
  file: FlowFile,
  flow: RecordedFlow,
  set: Values,
  caller: FlowCaller,
): Promise<readonly string[] | undefined> {
  const { phoneNumber, openCall, pauseMs, wait } = caller;
  const values = new Map([
    ["phone", phoneNumber],
    ["phoneEnd", phoneNumber.slice(-PHONE_END)],
  ]);
  // Only what the flow is given: on its own screens another value may stand for the name.
  for (const name of givenNames(file, flow)) values.set(name, set.get(name) ?? "");
  let call: Call | undefined;
  for (const step of stepsOf(file, flow)) {
    const input = fill(step.input, values);
    if (call === undefined || step.isDial) call = openCall();
    else if (pauseMs !== undefined && input === call.text) await wait(pauseMs);
    let received = await send(call, input, caller);
    for (let checks = 1; checks < MAX_CHECKS && isPending(step, received, values); checks += 1) {
      await wait(Math.max(pauseMs ?? 0, CHECK_PAUSE_MS));
      received = await send(call, input, caller);
    }
    const found = match(step.expect, received, values);
    if (found === undefined) {
      const where = step.flow === flow.name ? "" : ` of "${step.flow}", which comes before`;
      const typed = step.isDial ? "dialled" : `typed ${input === "" ? "nothing" : input}`;
      const head = `step ${step.number}${where}: ${typed} (session ${call.sessionId}, text "${call.text}")`;
      return [head, ...differenceOf(step.expect, received, values)];
    }
    for (const [name, value] of found) values.set(name, value);
  }
  return undefined;
}

/** A rate-limited request has changed nothing: it is sent again when the server allows it. */
async function send(call: Call, input: string, { wait, note }: FlowCaller): Promise<string> {
  for (;;) {
    const outcome = await call.send(input);
    if (outcome.kind !== "wait") return `${outcome.kind} ${outcome.body}`;
    note(`Rate limit reached; continuing in ${outcome.seconds} s.`);
    await wait(outcome.seconds * 1_000);
  }
}

function isPending(step: PlacedStep, received: string, values: Values): boolean {
  return step.while.some((screen) => match(screen, received, values) !== undefined);
}
