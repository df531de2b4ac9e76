/** The circumstances of one request, for all that serves it. */
import type { Logger } from "../platform/log.ts";
import type { AnswerCache } from "./answer/answer-cache.ts";
import type { SingleFlight } from "./answer/single-flight.ts";
import type { Made } from "./unary-answer.ts";

export interface Serving {
  readonly request: Request;
  /** Raw, without the deployment's mount. */
  readonly path: string;
  /** What rate and failed attempts are counted by. */
  readonly address: () => string;
  readonly cache: AnswerCache;
  readonly flights: SingleFlight<Made>;
  /** Unix milliseconds. */
  readonly clock: () => number;
  readonly log: Logger;
  readonly waitUntil: (work: Promise<unknown>) => void;
}
