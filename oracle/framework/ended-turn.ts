/** A turn that is over, as it is reported to plugins that have something to settle. */
import type { EndedRunStatus } from "../../protocol/records.ts";
import type { JsonObject } from "../../platform/json.ts";
import type { ModelUsage } from "../model-usage.ts";
import type { OutsideContext, RequestContext, UserStorage } from "./context.ts";

export type { ModelUsage };

export interface EndedTurn {
  readonly runId: string;
  readonly sessionId: string;
  readonly client: string;
  /** `refused`: the plugin admitted it, and then it was not accepted; nothing ran. */
  readonly status: EndedRunStatus | "refused";
  /** RFC 3339, in UTC. */
  readonly endedAt: string;
  /** What its models used, of each model once; sub-agents and summaries too. */
  readonly usage: readonly ModelUsage[];
  /** What the user was answered, as far as it came. */
  readonly answer: string;
  /** Why it failed, in words for the user. */
  readonly failure?: string;
  readonly metadata: JsonObject;
  /** The DID whose limits and credits the turn counts against, when that is not its user. */
  readonly payer?: string;
}

/** The title of a session, which a model writes after the first turn. It is no turn, and counts for the payer of that turn. */
export type SessionTitle = Pick<EndedTurn, "runId" | "sessionId" | "endedAt" | "usage">;

/** What `afterTurn`, `coversTitle` and `afterTitle` are given. */
export interface EndedTurnContext<Config = unknown>
  extends Omit<OutsideContext<Config>, "storageOf" | "turns">, UserStorage {
  readonly user: Pick<RequestContext["user"], "did" | "payer">;
  readonly modelOf: RequestContext["modelOf"];
}
