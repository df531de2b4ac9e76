/** What answering one query needs. */
import type { Logger } from "../../../platform/log.ts";
import type { AnswerCache, GatewayAnswer } from "./answer-cache.ts";
import type { SingleFlight } from "./single-flight.ts";
import type { RpcError } from "./rpc-status.ts";

export interface RequestContext {
  readonly request: Request;
  /** Raw, without the deployment's mount. */
  readonly path: string;
  /** What the rate and wrong keys are counted by. */
  readonly address: () => string;
  readonly cache: AnswerCache;
  /** Calls in flight, shared by equal requests. */
  readonly calls: SingleFlight<SharedOutcome>;
  /** Unix milliseconds. */
  readonly clock: () => number;
  readonly log: Logger;
  readonly waitUntil: (work: Promise<unknown>) => void;
}

/** What came of a call, for everybody who shares it. */
export type SharedOutcome =
  | { readonly kind: "answer"; readonly answer: GatewayAnswer; readonly node?: string }
  /** `isCallerEnd`: the caller who started the call has left, or their time is up. */
  | { readonly kind: "error"; readonly error: RpcError; readonly body: string; readonly isCallerEnd: boolean };
