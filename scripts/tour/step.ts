/** A step of the tour: one feature of an oracle, tried on a running Worker, and the observation. */
import type { StartedPeers } from "../peers/all-peers.ts";
import type { TourUser } from "./oracle-user.ts";

export interface Tour {
  /** The Worker. */
  readonly url: string;
  /** The registry's key. */
  readonly developmentKey: string;
  readonly peers: StartedPeers;
  /** The user of the conversation. */
  readonly user: TourUser;
  /** The session of the conversation. */
  readonly sessionId: string;
}

export interface TourStep {
  /** The action, as a sentence without its full stop. */
  readonly title: string;
  /** Returns the observations, one per line; throws a `TourDifference` if they are not as expected. */
  run(tour: Tour): Promise<readonly string[]>;
}
