/**
 * The arithmetic of a benchmark: medians, and how fast something is beside its baseline when both were measured in
 * turns. Pure. A round's two numbers are compared with each other, so that a machine that slows down slows both.
 */

/** One number per round, in the order of the rounds. */
export type Samples = readonly number[];

/** The middle one; of an even number the mean of the two in the middle. NaN when there is none. */
export function median(samples: Samples): number {
  const sorted = samples.toSorted((left, right) => left - right);
  const upper = sorted[Math.floor(sorted.length / 2)] ?? NaN;
  const lower = sorted[Math.ceil(sorted.length / 2) - 1] ?? NaN;
  return (lower + upper) / 2;
}

/** How far the rounds lie apart: half of the distance between the extremes, as a share of the median. */
export function spread(samples: Samples): number {
  return (Math.max(...samples) - Math.min(...samples)) / 2 / median(samples);
}

/** `rate`: more is faster, such as requests/s. `time`: less is faster, such as milliseconds. */
export type Scale = "rate" | "time";

/** Speed as a share of the baseline's speed: 1 is as fast, 0.5 half as fast. The median over the rounds. */
export function speedRatio(measured: Samples, baseline: Samples, scale: Scale): number {
  if (measured.length !== baseline.length) throw new Error("each round needs one number for each side");
  return median(
    measured.map((value, round) => {
      const beside = baseline[round] ?? NaN;
      return scale === "rate" ? value / beside : beside / value;
    }),
  );
}
