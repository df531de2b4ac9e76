/**
 * Two measurements of one kind of request: requests per second, and workerd's CPU time per request. The CPU time stays stable when
 * others share the machine; it includes the database on both sides: D1 is in that process, and PostgreSQL's time is added.
 */
import { sendRequests, type Answered, type Load } from "./load.ts";
import type { Runtime } from "./runtime.ts";
import { rowOf, type Aim, type Row } from "./rows.ts";

export interface Effort {
  /** Requests a second. */
  readonly rate: number;
  /** Microseconds of workerd's CPU per request; NaN if the system does not report it. */
  readonly cpu: number;
}

export function effortOf(runtime: Runtime, load: Load): Promise<Effort> {
  return effortOfWork(runtime, () => sendRequests(load));
}

/** For requests that are not sent for a fixed time. */
export async function effortOfWork(
  { cpuSeconds }: Pick<Runtime, "cpuSeconds">,
  send: () => Promise<Answered>,
): Promise<Effort> {
  const before = cpuSeconds();
  const { requests, seconds } = await send();
  return { rate: requests / seconds, cpu: ((cpuSeconds() - before) / requests) * 1e6 };
}

export interface Comparison {
  readonly what: string;
  readonly samples: readonly Effort[];
  readonly beside?: { readonly name: string; readonly samples: readonly Effort[] };
  readonly aim?: Aim;
  /** Defaults to requests per second. */
  readonly unit?: string;
}

/** Both measurements, each with its ratio if it is compared. */
export function effortRows({ what, samples, beside, aim, unit = "requests/s" }: Comparison): readonly Row[] {
  const row = (measure: keyof Effort, words: { what: string; unit: string; scale: "rate" | "time" }): Row =>
    rowOf({
      ...words,
      samples: samples.map((effort) => effort[measure]),
      ...(beside && { baseline: { name: beside.name, samples: beside.samples.map((effort) => effort[measure]) } }),
      ...(aim === undefined ? {} : { aim }),
    });
  return [row("rate", { what, unit, scale: "rate" }), row("cpu", { what: `${what}: CPU`, unit: "µs", scale: "time" })];
}
