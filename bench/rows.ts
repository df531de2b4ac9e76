/**
 * The result of a measure: one number of ours, with the bare Worker's number from the same rounds. A row contains its aim, so that
 * a reader of the ratio sees the target.
 */
import { median, speedRatio, spread, type Samples, type Scale } from "./statistics.ts";

export interface Aim {
  /** At least this share of the baseline's speed. */
  readonly ratio?: number;
  /** Below this many of the row's unit. */
  readonly below?: number;
}

export interface Row {
  readonly what: string;
  readonly value: number;
  readonly unit: string;
  /** Half of the distance between the extreme rounds, as a share of the value. */
  readonly spread: number;
  readonly baseline?: { readonly name: string; readonly value: number; readonly ratio: number };
  readonly aim?: Aim;
  /** Undefined without an aim. */
  readonly met?: boolean;
}

export interface Finding {
  readonly what: string;
  readonly unit: string;
  readonly scale: Scale;
  readonly samples: Samples;
  readonly baseline?: { readonly name: string; readonly samples: Samples };
  readonly aim?: Aim;
}

export function rowOf({ what, unit, scale, samples, baseline, aim }: Finding): Row {
  const value = median(samples);
  const ratio = baseline === undefined ? undefined : speedRatio(samples, baseline.samples, scale);
  return {
    what,
    value,
    unit,
    spread: spread(samples),
    ...(baseline === undefined || ratio === undefined
      ? {}
      : { baseline: { name: baseline.name, value: median(baseline.samples), ratio } }),
    ...(aim === undefined ? {} : { aim, met: isMet(aim, value, ratio) }),
  };
}

function isMet({ ratio: least = 0, below = Infinity }: Aim, value: number, ratio = Infinity): boolean {
  return ratio >= least && value < below;
}
