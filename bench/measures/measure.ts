/** A measure: a name for `--only`, a sentence about it, and the rows that it takes from a running workerd. */
import type { BenchOptions } from "../arguments.ts";
import type { Bundles } from "../bundles.ts";
import type { Row } from "../rows.ts";
import type { Runtime } from "../runtime.ts";

export interface Bench {
  readonly runtime: Runtime;
  readonly bundles: Bundles;
  readonly options: BenchOptions;
  /** Creates an empty folder that is removed after the run. */
  readonly makeFolder: () => string;
  /** Reports the progress. */
  readonly say: (line: string) => void;
}

export interface Measure {
  readonly name: string;
  readonly about: string;
  readonly take: (bench: Bench) => Promise<readonly Row[]>;
}

/** Few, because the generator and workerd share the machine's cores, and workerd runs a Worker on one of them. */
export const CONNECTIONS = 8;
