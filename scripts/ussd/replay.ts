/** Recorded flows against a server: each flow step by step until the first reply that differs from the recorded one. */
import { parse } from "yaml";
import { givenNames, readFlowFile, stepsOf, undefinedName, type Flow, type FlowFile } from "../../shared/flow-file.ts";
import { createFlowPlayer, type Pressed } from "../../shared/flow-player.ts";
import type { Values } from "../../shared/flow-template.ts";
import type { TextMode } from "../../shared/gateway-formats.ts";
import { defaults, type ReplayTask, type UssdOptions } from "./arguments.ts";
import { exitCodes, UssdFailure, type Call, type ExitCode } from "./gateway.ts";
import { differenceOf } from "./screen.ts";

export interface ReplayProcess {
  /** @throws if there is no such file. */
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
  // All files first: an error in the last one is reported before anything is sent.
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
  readonly flow: Flow;
}

/** @throws UssdFailure if the file, its names or their values are wrong. */
function chosenFlows(path: string, { flows, values }: ReplayTask, { readFile }: ReplayProcess): readonly ChosenFlow[] {
  const wrong = (message: string): UssdFailure => new UssdFailure(exitCodes.usage, message);
  let text: string;
  try {
    text = readFile(path);
  } catch (error) {
    throw wrong(`${path} cannot be read: ${(error as Error).message}`);
  }
  const file = readFlows(text);
  if (typeof file === "string") throw wrong(`${path}: ${file}`);
  const chosen = file.flows.filter(({ name }) => flows.length === 0 || flows.includes(name));
  const missing = new Set(chosen.flatMap((flow) => givenNames(file, flow)).filter((name) => !values.has(name)));
  if (missing.size > 0) {
    const options = [...missing].map((name) => `--set ${name}=...`).join(" ");
    throw wrong(`${path} needs ${options}; --flow NAME replays only one flow`);
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

/** Lines that report the first difference; undefined if there is none. */
async function replayFlow(
  file: FlowFile,
  flow: Flow,
  set: Values,
  caller: FlowCaller,
): Promise<readonly string[] | undefined> {
  const { phoneNumber, openCall, pauseMs, wait, note } = caller;
  let call: Call | undefined;
  let isLimited = false;
  const press = async (typed: string, isDial: boolean): Promise<Pressed> => {
    if (call === undefined || (isDial && !isLimited)) call = openCall();
    const outcome = await call.send(typed);
    isLimited = outcome.kind === "wait";
    if (outcome.kind !== "wait") return { reply: `${outcome.kind} ${outcome.body}` };
    note(`Rate limit reached; continuing in ${outcome.seconds} s.`);
    return { waitSeconds: outcome.seconds };
  };
  // Only the flow's given names: its own screens may show another value for a name.
  const given = new Map(givenNames(file, flow).map((name) => [name, set.get(name) ?? ""]));
  const player = createFlowPlayer({ phoneNumber, press, equalPauseMs: pauseMs, wait }, given);
  for (const step of stepsOf(file, flow)) {
    const { isDial, typed, outcome, received } = await player.play(step);
    if (outcome === "match") continue;
    const where = step.flow === flow.name ? "" : ` of "${step.flow}", which comes before`;
    const action = isDial ? "dialled" : `typed ${typed === "" ? "nothing" : typed}`;
    const head = `step ${step.number}${where}: ${action} (session ${call?.sessionId ?? ""}, text "${call?.text ?? ""}")`;
    return [head, ...differenceOf(step.expect, received, player.values)];
  }
  return undefined;
}

/** The flows, or a sentence with the error and its place. */
function readFlows(text: string): FlowFile | string {
  try {
    return readFlowFile(parse(text, { schema: "failsafe" }));
  } catch (error) {
    return (error as Error).message;
  }
}
