/**
 * The arithmetic of a benchmark: medians, and speed relative to a baseline that was measured in turns. Pure. The two numbers of a
 * round are compared with each other, so that a machine that slows down slows both.
 */

/** One number per round, in the order of the rounds. */
export type Samples = readonly number[];

/** The middle sample; for an even number, the mean of the two in the middle. NaN if there is none. */
export function median(samples: Samples): number {
  const sorted = samples.toSorted((left, right) => left - right);
  const upper = sorted[Math.floor(sorted.length / 2)] ?? NaN;
  const lower = sorted[Math.ceil(sorted.length / 2) - 1] ?? NaN;
  return (lower + upper) / 2;
}

/** The spread of the rounds: half of the distance between the extremes, as a share of the median. */
export function spread(samples: Samples): number {
  return (Math.max(...samples) - Math.min(...samples)) / 2 / median(samples);
}

/** `rate`: more is faster, such as requests/s. `time`: less is faster, such as milliseconds. */
export type Scale = "rate" | "time";

/** Speed as a share of the baseline's speed: 1 is equal, 0.5 half as fast. The median over the rounds. */
export function speedRatio(measured: Samples, baseline: Samples, scale: Scale): number {
  if (measured.length !== baseline.length) throw new Error("each round needs one number for each side");
  return median(
    measured.map((value, round) => {
      const beside = baseline[round] ?? NaN;
      return scale === "rate" ? value / beside : beside / value;
    }),
  );
}
