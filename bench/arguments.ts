/** The command line of `npm run bench`, parsed once. The caller provides the names of the measures. */
import { parseArgs } from "node:util";
import { limitNames, limits, type LimitName } from "./scale/limits.ts";

export interface BenchOptions {
  /** The measures to take, in their own order. */
  readonly only: readonly string[];
  /** Duration of one side in one round. */
  readonly seconds: number;
  readonly rounds: number;
  /** Number of domains in the measured registry. */
  readonly domains: number;
  /** Changed parameters of the simulation. */
  readonly limits: Readonly<Partial<Record<LimitName, number>>>;
  readonly json: boolean;
}

/** Seconds: long enough for a few hundred of the slowest requests. */
const DEFAULT_SECONDS = 1;
/** Odd, so that the median is an actual round. */
const DEFAULT_ROUNDS = 5;
const MAX_SECONDS = 60;
const MAX_ROUNDS = 101;
const DEFAULT_DOMAINS = 100_000;
/** The size of the small registry for comparison (bench/measures/registry-growth.ts). */
export const FEW_DOMAINS = 1_000;
/** The same on PostgreSQL (bench/measures/registry-growth-postgres.ts). */
export const FEW_DOMAINS_POSTGRES = 10_000;
/** D1 takes an hour to fill, PostgreSQL some minutes. */
const MAX_DOMAINS = 1_000_000;

export interface MeasureName {
  readonly name: string;
  readonly about: string;
}

export function usage(measures: readonly MeasureName[]): string {
  const width = Math.max(...measures.map(({ name }) => name.length));
  return `Usage: npm run bench -- [options]

Builds the Worker, runs it on workerd directly beside a bare Worker, and prints each number as a ratio to the bare
Worker's, measured in turns. It gates nothing: a missed aim is reported, the exit code stays 0.

  --only NAME    one measure; may be repeated
  --seconds N    how long one side of one round lasts, up to ${MAX_SECONDS}; default ${DEFAULT_SECONDS}
  --rounds N     how many rounds, up to ${MAX_ROUNDS}; default ${DEFAULT_ROUNDS}
  --domains N    how many domains the registry holds, from ${FEW_DOMAINS} to ${MAX_DOMAINS}; default ${DEFAULT_DOMAINS}
  --set NAME=N   a parameter of the simulation "scale"; may be repeated
  --json         one JSON document instead of tables
  --help         this text

Measures:
${measures.map(({ name, about }) => `  ${name.padEnd(width)}   ${about}`).join("\n")}

Parameters of the simulation:
${limitNames.map((name) => `  ${name}=${limits[name].value}  ${limits[name].about}; ${limits[name].unit}`).join("\n")}

Exit codes: 0 measured, 1 something did not work, 2 wrong usage.
`;
}

/** The options, a sentence with the error, or a request for help. */
export function parseBench(args: readonly string[], measures: readonly MeasureName[]): BenchOptions | "help" | Error {
  let values;
  try {
    ({ values } = parseArgs({
      args: [...args],
      options: {
        only: { type: "string", multiple: true, default: [] },
        seconds: { type: "string", default: String(DEFAULT_SECONDS) },
        rounds: { type: "string", default: String(DEFAULT_ROUNDS) },
        domains: { type: "string", default: String(DEFAULT_DOMAINS) },
        set: { type: "string", multiple: true, default: [] },
        json: { type: "boolean", default: false },
        help: { type: "boolean", default: false },
      },
    }));
  } catch (error) {
    return error as Error;
  }
  if (values.help) return "help";
  const names = measures.map(({ name }) => name);
  const unknown = values.only.find((name) => !names.includes(name));
  if (unknown !== undefined) return new Error(`--only takes one of ${names.join(", ")}, not "${unknown}"`);
  const seconds = Number(values.seconds);
  if (!(seconds > 0 && seconds <= MAX_SECONDS)) return new Error(`--seconds takes a number up to ${MAX_SECONDS}`);
  const rounds = Number(values.rounds);
  if (!Number.isInteger(rounds) || rounds < 1 || rounds > MAX_ROUNDS) {
    return new Error(`--rounds takes a whole number from 1 to ${MAX_ROUNDS}`);
  }
  const domains = Number(values.domains);
  if (!Number.isInteger(domains) || domains < FEW_DOMAINS || domains > MAX_DOMAINS) {
    return new Error(`--domains takes a whole number from ${FEW_DOMAINS} to ${MAX_DOMAINS}`);
  }
  const changed = values.set.map(limitIn);
  const wrong = changed.find((each) => each instanceof Error);
  if (wrong !== undefined) return wrong;
  const limits = Object.fromEntries(changed as (readonly [LimitName, number])[]);
  const only = values.only.length === 0 ? names : names.filter((name) => values.only.includes(name));
  return { only, seconds, rounds, domains, limits, json: values.json };
}

function limitIn(text: string): readonly [LimitName, number] | Error {
  const [name = "", number = ""] = text.split("=", 2);
  const known = limitNames.find((each) => each === name);
  if (known === undefined) return new Error(`--set takes NAME=N with one of ${limitNames.join(", ")}, not "${text}"`);
  return Number(number) > 0 ? [known, Number(number)] : new Error(`--set ${name} takes a number above 0`);
}
