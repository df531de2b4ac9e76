/** The context of answering one query. */
import type { Logger } from "../../../platform/log.ts";
import type { AnswerCache, GatewayAnswer } from "./answer-cache.ts";
import type { SingleFlight } from "./single-flight.ts";
import type { RpcError } from "./rpc-status.ts";

export interface RequestContext {
  readonly request: Request;
  /** Raw, without the profile's mount. */
  readonly path: string;
  /** The address by which rate and wrong keys are counted. */
  readonly address: () => string;
  readonly cache: AnswerCache;
  /** Calls in flight, shared by equal requests. */
  readonly calls: SingleFlight<SharedOutcome>;
  /** Unix milliseconds. */
  readonly clock: () => number;
  readonly log: Logger;
  readonly waitUntil: (work: Promise<unknown>) => void;
}

/** The result of a call, for all its callers. */
export type SharedOutcome =
  | { readonly kind: "answer"; readonly answer: GatewayAnswer; readonly node?: string }
  /** `isCallerEnd`: the caller who started the call has disconnected, or has timed out. */
  | { readonly kind: "error"; readonly error: RpcError; readonly body: string; readonly isCallerEnd: boolean };
