/** Turns that a plugin starts for a message that arrived outside the oracle's own routes. */
import type { ClientCapabilities } from "../../protocol/requests.ts";
import { depthOf, type JsonObject } from "../../platform/json.ts";
import type { Result } from "../../platform/result.ts";
import { utf8Length } from "./storage.ts";

/**
 * Limits of a turn's parts, in UTF-16 units unless stated otherwise. A session's name and an id have room for the keys of chat
 * services.
 */
const SESSION_NAME_LENGTH = 512;
const MESSAGE_ID_LENGTH = 200;
const CLIENT_LENGTH = 32;
const TITLE_LENGTH = 200;
const ANSWER_STYLE_LENGTH = 500;
/** Maximum size of message and metadata together, bytes of JSON, equal to the limit over HTTP. */
export const TURN_BYTES = 256 * 1024;
/** Maximum nesting of the metadata. */
export const METADATA_DEPTH = 100;

export interface TurnStart {
  /** The turn's user, as a DID that the plugin has proven. The storage belongs to this user. */
  readonly did: string;
  /** The DID, also proven, whose limits and credits the turn counts against; defaults to the user's. */
  readonly payer?: string;
  /** The user is a place shared by several people, such as a thread of a channel: `ctx.user.isPersonal` is false. */
  readonly isShared?: boolean;
  /** The message contains text that the user did not write: the turn `holdsForeignText`. */
  readonly foreign?: boolean;
  /** Names the session, 1 to 512 characters: plugin, user and name identify the session, which is created if missing. */
  readonly session: string;
  /** The title of a new session. */
  readonly title: string;
  readonly message: string;
  /** 1 to 200 characters: a message with a known id returns its existing turn. */
  readonly messageId: string;
  /** The source, as `ctx.session.client` names it: 1 to 32 lower-case letters, digits and dashes. */
  readonly client: string;
  /** The client's capabilities besides showing text; none by default. */
  readonly capabilities?: Partial<ClientCapabilities>;
  /** Metadata that the turn's hooks read as `ctx.request.metadata`. */
  readonly metadata?: JsonObject;
  readonly timezone?: string;
  /** The wanted form of the answer, as the end of "Answer ..."; not shown to the user. */
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
   * Starts a turn after those that wait in its session, and resolves once it is stored. It closes the questions that earlier turns
   * asked there, so that none of them delays it. It fails as `POST /messages` does: with `rate_limited`, with the refusal of a
   * plugin such as `payment_required`, or with `unavailable`.
   */
  start(turn: TurnStart): Promise<Result<StartedTurn>>;
}

const DID = /^did:[a-z0-9]+:[\w.:%-]{1,500}$/;
const CLIENT = /^[a-z0-9-]+$/;

/** Why the turn cannot be started, as a sentence; undefined if it can. */
export function invalidTurn(turn: TurnStart): string | undefined {
  const { did, payer, session, title, message, messageId, client, metadata = {}, answerStyle = "" } = turn;
  const isWithin = (text: string, longest: number): boolean => text.length > 0 && text.length <= longest;
  if (!DID.test(did)) return "did must be a DID";
  if (payer !== undefined && !DID.test(payer)) return "payer must be a DID";
  if (!isWithin(session, SESSION_NAME_LENGTH)) return `session must have 1 to ${SESSION_NAME_LENGTH} characters`;
  if (!isWithin(title, TITLE_LENGTH)) return `title must have 1 to ${TITLE_LENGTH} characters`;
  if (!isWithin(messageId, MESSAGE_ID_LENGTH)) return `messageId must have 1 to ${MESSAGE_ID_LENGTH} characters`;
  if (!isWithin(client, CLIENT_LENGTH) || !CLIENT.test(client))
    return `client must have 1 to ${CLIENT_LENGTH} lower-case letters, digits and dashes`;
  if (answerStyle.length > ANSWER_STYLE_LENGTH)
    return `answerStyle must have at most ${ANSWER_STYLE_LENGTH} characters`;
  if (message.trim() === "") return "message must be a non-empty string";
  if (depthOf(metadata) > METADATA_DEPTH) return `metadata must be nested at most ${METADATA_DEPTH} levels deep`;
  if (utf8Length(JSON.stringify([message, metadata])) > TURN_BYTES)
    return `message and metadata must be at most ${TURN_BYTES} bytes of JSON`;
  return undefined;
}
