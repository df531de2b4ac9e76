/** A turn that is over, as it is reported to plugins. */
import type { EndedRunStatus } from "../../protocol/records.ts";
import type { JsonObject } from "../../platform/json.ts";
import type { ModelUsage } from "../model-usage.ts";
import type { OutsideContext, RequestContext, UserStorage } from "./context.ts";

export type { ModelUsage };

export interface EndedTurn {
  readonly runId: string;
  readonly sessionId: string;
  readonly client: string;
  /** `refused`: this plugin admitted the turn, but it was then refused; nothing ran. */
  readonly status: EndedRunStatus | "refused";
  /** RFC 3339, in UTC. */
  readonly endedAt: string;
  /** Usage by model, one entry each, including sub-agents and summaries. */
  readonly usage: readonly ModelUsage[];
  /** The answer, as far as it was sent. */
  readonly answer: string;
  /** Why the turn failed, as a text for the user. */
  readonly failure?: string;
  readonly metadata: JsonObject;
  /** The DID whose limits and credits the turn counts against, if it is not the user's. */
  readonly payer?: string;
}

/**
 * The title of a session, which a model writes after the first turn. It is not a turn, and counts for the payer of the first turn.
 */
export type SessionTitle = Pick<EndedTurn, "runId" | "sessionId" | "endedAt" | "usage">;

/** The context of `afterTurn`, `coversTitle` and `afterTitle`. */
export interface EndedTurnContext<Config = unknown>
  extends Omit<OutsideContext<Config>, "storageOf" | "turns">, UserStorage {
  readonly user: Pick<RequestContext["user"], "did" | "payer">;
  readonly modelOf: RequestContext["modelOf"];
}
