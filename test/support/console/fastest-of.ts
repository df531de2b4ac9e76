/** Measures how fast a page is on a machine that runs other tests too: the best of several rounds counts. */

/** Maximum delay until the console shows other users' changes, milliseconds. */
export const SHOWN_WITHIN = 2_000;
/** Maximum number of rounds: all of them are slow only if the page is slow. */
const MOST_ROUNDS = 10;

export interface Round {
  /** The change by another user. */
  readonly act: () => Promise<unknown>;
  /** Waits until the page shows it. */
  readonly shown: () => Promise<unknown>;
}

/**
 * Milliseconds of the fastest round. Stops after the first round that is fast enough.
 * @param round by its number, from 1; preparing it is not measured.
 */
export async function fastestOf(round: (number: number) => Round | Promise<Round>): Promise<number> {
  return await leastOf(SHOWN_WITHIN, async (number) => {
    const { act, shown } = await round(number);
    await act();
    const started = performance.now();
    await shown();
    return performance.now() - started;
  });
}

/** The lowest measurement of the rounds, numbered from 1. Stops after the first one within the limit. */
export async function leastOf(limit: number, measure: (number: number) => Promise<number>): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let number = 1; number <= MOST_ROUNDS && least > limit; number += 1)
    least = Math.min(least, await measure(number));
  return least;
}
