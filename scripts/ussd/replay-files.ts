/** All flows of some files, one after the other, each with a phone of its own; what went otherwise is told as it happens. */
import { defaults, type ReplayTask, type UssdOptions } from "./arguments.ts";
import type { TextMode } from "./dialect.ts";
import { exitCodes, UssdFailure, type ExitCode } from "./failure.ts";
import { givenTo, readFlows, type FlowFile } from "./flow-file.ts";
import type { Call } from "./gateway.ts";
import { replayFlow, untoldName, type FlowCaller } from "./replay-flow.ts";

export interface ReplayParts extends Pick<FlowCaller, "wait" | "note"> {
  /** @throws when there is no such file. */
  readonly readFile: (path: string) => string;
  /** A number that nobody has called from. */
  readonly freshPhone: () => string;
  readonly openCall: (mode: TextMode, phoneNumber: string, serviceCode: string) => Call;
  readonly print: (line: string) => void;
}

export async function replayFiles(task: ReplayTask, options: UssdOptions, parts: ReplayParts): Promise<ExitCode> {
  const { print } = parts;
  // All of them first: a mistake in the last file is told before anything is sent.
  const chosen = task.files.flatMap((path) => chosenFlows(path, task, parts));
  const unknown = task.flows.find((name) => !chosen.some(({ flow }) => flow.name === name));
  if (unknown !== undefined) throw new UssdFailure(exitCodes.usage, `no flow is called "${unknown}"`);
  const asked = new Set(chosen.flatMap(({ file, flow }) => givenTo(file, flow)));
  const unasked = [...task.values.keys()].find((name) => !asked.has(name));
  if (unasked !== undefined) throw new UssdFailure(exitCodes.usage, `no flow is given "${unasked}"`);
  let different = 0;
  for (const { file, flow } of chosen) {
    const mode = options.mode ?? file.mode ?? "cumulative";
    const phoneNumber = options.phoneNumber ?? file.phone ?? parts.freshPhone();
    const serviceCode = options.serviceCode ?? file.code ?? defaults.serviceCode;
    const outcome = await replayFlow(file, flow, task.values, {
      ...parts,
      phoneNumber,
      openCall: () => parts.openCall(mode, phoneNumber, serviceCode),
      isLatestOnly: mode === "latest",
      pauseMs: task.pauseMs,
    });
    if (outcome.kind === "same") print(`ok         ${flow.name} (${outcome.steps} steps)`);
    else {
      different += 1;
      print(`DIFFERENT  ${flow.name}`);
      for (const line of outcome.report) print(`    ${line}`);
    }
  }
  print(`${chosen.length - different} of ${chosen.length} flows went as recorded.`);
  return different === 0 ? exitCodes.done : exitCodes.failed;
}

interface ChosenFlow {
  readonly file: FlowFile;
  readonly flow: FlowFile["flows"][number];
}

function chosenFlows(path: string, { flows, values }: ReplayTask, { readFile }: ReplayParts): readonly ChosenFlow[] {
  let text: string;
  try {
    text = readFile(path);
  } catch (error) {
    throw new UssdFailure(exitCodes.usage, `${path} cannot be read: ${(error as Error).message}`);
  }
  const file = readFlows(text);
  if (file instanceof Error) throw new UssdFailure(exitCodes.usage, `${path}: ${file.message}`);
  const chosen = file.flows.filter(({ name }) => flows.length === 0 || flows.includes(name));
  const missing = new Set(chosen.flatMap((flow) => givenTo(file, flow)).filter((name) => !values.has(name)));
  if (missing.size > 0) {
    const wanted = [...missing].map((name) => `--set ${name}=...`).join(" ");
    throw new UssdFailure(exitCodes.usage, `${path} needs ${wanted}; --flow NAME replays that one alone`);
  }
  for (const flow of chosen) {
    const untold = untoldName(file, flow);
    if (untold !== undefined) {
      throw new UssdFailure(exitCodes.usage, `${path}: "${flow.name}" uses {${untold}} before anything tells it`);
    }
  }
  return chosen.map((flow) => ({ file, flow }));
}
