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
