/** Turns that a plugin starts by itself: for a message that arrived in another place than the oracle's own routes. */
import type { JsonObject } from "../../platform/json.ts";
import type { Result } from "../../platform/result.ts";

export interface TurnStart {
  /** Whose turn it is, as a DID that the plugin has proven; limits, credits and storage are theirs. */
  readonly did: string;
  /** Names the session, 1 to 512 characters: the same plugin, user and name give the same session, which is made when missing. */
  readonly session: string;
  /** Of a session that is made. */
  readonly title: string;
  readonly message: string;
  /** 1 to 200 characters: a message of the same id is the same turn. */
  readonly messageId: string;
  /** Where it comes from, as `ctx.session.client` names it: 1 to 32 lower-case letters, digits and dashes. */
  readonly client: string;
  /** What the turn's own hooks read as `ctx.request.metadata`. */
  readonly metadata?: JsonObject;
  readonly timezone?: string;
  /** How the answer is wanted, as the end of "Answer ..."; not shown to the user. */
  readonly answerStyle?: string;
}

export interface StartedTurn {
  readonly sessionId: string;
  readonly runId: string;
  /** A turn of this message was started before. */
  readonly repeated: boolean;
}

export interface Turns {
  /**
   * Starts a turn behind those that wait in its session, and resolves once it is stored. It fails as `POST /messages` does: with
   * `rate_limited`, with the refusal of a plugin such as `payment_required`, with `unavailable`.
   */
  start(turn: TurnStart): Promise<Result<StartedTurn>>;
}
