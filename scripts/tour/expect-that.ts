/** Fails a step of the tour with the observation. */

/** The observation differs from what the tour promises. */
class TourDifference extends Error {
  override readonly name = "TourDifference";
}

/** How much of the observation an error shows, UTF-16 units. */
const SHOWN_LENGTH = 2_000;

export function expectThat(condition: boolean, expected: string, observed: unknown): asserts condition {
  if (condition) return;
  const shown = typeof observed === "string" ? observed : JSON.stringify(observed, null, 2);
  throw new TourDifference(`expected ${expected}, observed: ${shown.slice(0, SHOWN_LENGTH)}`);
}
