/** A step of the tour: one thing that an oracle does, tried on a running Worker, and what was observed. */
import type { StartedPeers } from "../peers/all-peers.ts";
import type { TourUser } from "./oracle-user.ts";

export interface Tour {
  /** The Worker. */
  readonly url: string;
  /** Of the registry. */
  readonly developmentKey: string;
  readonly peers: StartedPeers;
  /** Who has the conversation. */
  readonly user: TourUser;
  /** The session of the conversation. */
  readonly sessionId: string;
}

export interface TourStep {
  /** What is tried, as a sentence without its full stop. */
  readonly title: string;
  /** Returns what was observed, a line each; throws a `TourDifference` where that is not what was expected. */
  run(tour: Tour): Promise<readonly string[]>;
}

/** What was observed is not what the tour promises. */
class TourDifference extends Error {
  override readonly name = "TourDifference";
}

/** How much of what was observed an error shows, UTF-16 units. */
const SHOWN_LENGTH = 2_000;

export function expectThat(condition: boolean, expected: string, observed: unknown): asserts condition {
  if (condition) return;
  const shown = typeof observed === "string" ? observed : JSON.stringify(observed, null, 2);
  throw new TourDifference(`expected ${expected}, observed: ${shown.slice(0, SHOWN_LENGTH)}`);
}
