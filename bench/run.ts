/**
 * `npm run bench`: builds, starts workerd, takes the measures in turn and prints the results. It only reports: no number decides
 * whether anything passes.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { WRONG_USAGE, wrongUsage } from "../scripts/wrong-usage.ts";
import { parseBench, usage, type BenchOptions } from "./arguments.ts";
import { buildBundles } from "./bundles.ts";
import { describeMachine, machineNote } from "./machine.ts";
import { jsonWriter, routeMatch } from "./measures/gateway-code.ts";
import { consoleVisits } from "./measures/console.ts";
import { gatewayStart } from "./measures/gateway-start.ts";
import { gatewayUpstream, goGateway } from "./measures/gateway-upstream.ts";
import { health } from "./measures/health.ts";
import { CONNECTIONS, type Measure } from "./measures/measure.ts";
import { plugins } from "./measures/plugins.ts";
import { queryGateway } from "./measures/query-gateway.ts";
import { recovery } from "./measures/recovery.ts";
import { registryGrowthPostgres } from "./measures/registry-growth-postgres.ts";
import { registryGrowth } from "./measures/registry-growth.ts";
import { registryPostgres } from "./measures/registry-postgres.ts";
import { registry } from "./measures/registry.ts";
import { scale, type Simulation } from "./measures/scale.ts";
import { sdkSize } from "./measures/sdk-size.ts";
import { sdkStream } from "./measures/sdk-stream.ts";
import { sessions } from "./measures/sessions.ts";
import { socketEmit } from "./measures/socket-emit.ts";
import { socketLoad } from "./measures/socket-load.ts";
import { socketPing } from "./measures/socket-ping.ts";
import { socketWakeUps } from "./measures/socket-wake-ups.ts";
import { stream } from "./measures/stream.ts";
import { turn } from "./measures/turn.ts";
import { ussdCrowd } from "./measures/ussd-crowd.ts";
import { ussd } from "./measures/ussd.ts";
import { verification } from "./measures/verification.ts";
import type { Row } from "./rows.ts";
import { startRuntime } from "./runtime.ts";
import { tableOf } from "./table.ts";

const measures: readonly Measure[] = [
  health,
  sessions,
  turn,
  plugins,
  stream,
  verification,
  recovery,
  registry,
  registryGrowth,
  registryPostgres,
  registryGrowthPostgres,
  ussd,
  ussdCrowd,
  queryGateway,
  gatewayUpstream,
  gatewayStart,
  goGateway,
  routeMatch,
  jsonWriter,
  socketEmit,
  socketPing,
  socketLoad,
  socketWakeUps,
  sdkSize,
  sdkStream,
  consoleVisits,
];

const simulations: readonly Simulation[] = [scale];
const all = [...measures, ...simulations];

const options = parseBench(process.argv.slice(2), all);
if (options === "help") process.stdout.write(usage(all));
else if (options instanceof Error) {
  process.stderr.write(wrongUsage("npm run bench", options));
  process.exitCode = WRONG_USAGE;
} else {
  try {
    await bench(options);
  } catch (error) {
    process.stderr.write(`npm run bench: ${(error as Error).message}\n`);
    process.exitCode = 1;
  }
}

async function bench(options: BenchOptions): Promise<void> {
  const machine = describeMachine(new Date());
  const folder = mkdtempSync(join(tmpdir(), "twinedge-bench-"));
  const say = (line: string): void => void (options.json || process.stdout.write(`${line}\n`));
  try {
    const taken = simulations
      .filter(isChosen)
      .map((simulation) => taking(simulation, simulation.simulate(options, say)));
    const chosen = measures.filter(isChosen);
    if (chosen.length > 0) taken.push(...(await measured(chosen)));
    if (options.json) process.stdout.write(`${JSON.stringify({ machine, options, measures: taken }, null, 2)}\n`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }

  function isChosen({ name }: { readonly name: string }): boolean {
    return options.only.includes(name);
  }

  function taking({ name, about }: Pick<Measure, "name" | "about">, rows: readonly Row[]): Taken {
    for (const line of tableOf(rows)) say(line);
    return { name, about, rows };
  }

  async function measured(chosen: readonly Measure[]): Promise<readonly Taken[]> {
    say("Building ...");
    const bundles = await buildBundles(join(folder, "bundles"));
    const makeFolder = (): string => mkdtempSync(join(folder, "state-"));
    const runtime = await startRuntime(bundles, makeFolder());
    try {
      say(`${machineNote(machine)}\n${conditions(options)}`);
      const taken: Taken[] = [];
      for (const measure of chosen) {
        say(`\n${measure.name}: ${measure.about}`);
        taken.push(taking(measure, await measure.take({ runtime, bundles, options, makeFolder, say })));
      }
      return taken;
    } finally {
      await runtime.kill();
    }
  }
}

interface Taken {
  readonly name: string;
  readonly about: string;
  readonly rows: readonly Row[];
}

function conditions({ rounds, seconds }: BenchOptions): string {
  return [
    `${rounds} rounds of ${seconds} s a side, sides in turns, medians; ratio = speed as a share of the baseline's.`,
    `The generator shares the machine's cores with workerd: ${CONNECTIONS} connections, streams one after the other.`,
  ].join("\n");
}
