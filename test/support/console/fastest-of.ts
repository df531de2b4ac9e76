/** What a page does in good time, on a machine that runs other tests too: the best of some rounds counts. */

/** Milliseconds in which the console promises to show what somebody else does. */
export const SHOWN_WITHIN = 2_000;
/** How often it is tried at most: all of them are as slow only if the page is. */
const MOST_ROUNDS = 10;

export interface Round {
  /** What somebody else does. */
  readonly act: () => Promise<unknown>;
  /** Waits until the page shows it. */
  readonly shown: () => Promise<unknown>;
}

/**
 * Milliseconds of the fastest round. Those behind the first that is soon enough are left out.
 * @param round by its number, from 1; preparing it takes no time of it.
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

/** The least that a round measures, by its number from 1. Those behind the first that is within the limit are left out. */
export async function leastOf(limit: number, measure: (number: number) => Promise<number>): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let number = 1; number <= MOST_ROUNDS && least > limit; number += 1)
    least = Math.min(least, await measure(number));
  return least;
}
