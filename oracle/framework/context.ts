/** The contexts of a plugin's hooks: at boot, before a turn is accepted, and in a turn. */
import type { ClientCapabilities, ClientTool } from "../../protocol/requests.ts";
import type { MessageRecord, ModelRecord } from "../../protocol/records.ts";
import type { PluginEvents, RoomEventName } from "../../protocol/socket-events.ts";
import type { JsonObject, JsonValue } from "../../platform/json.ts";
import type { Logger } from "../../platform/log.ts";
import type { Result } from "../../platform/result.ts";
import type { Delegation } from "./delegation.ts";
import type { AttachmentRequest } from "./attachments.ts";
import type { PluginBlobs, PluginKv, PluginTexts } from "./storage.ts";
import type { Sealing } from "./sealed-texts.ts";
import type { ModelCallRequest } from "./model-call.ts";
import type { Shareable, SharedState } from "./shared-state.ts";
import type { Turns } from "./turns.ts";

/** The part of the context that every hook gets, and the whole context at boot. */
export interface PluginContext<Config = unknown> {
  /** The Worker's environment: bindings and variables. Keep its secrets out of prompts and logs. */
  readonly env: Env;
  /** The parsed value of the plugin's `configSchema`; undefined without one. */
  readonly config: Config;
  readonly identity: OracleIdentity;
  /** The plugins that this oracle runs. */
  readonly availablePlugins: ReadonlySet<string>;
  readonly logger: Logger;
  /** Values of this plugin for the whole oracle, in one object: for values that change rarely, never once per turn. */
  readonly oracleKv: PluginKv;
  /** Encrypts values that must not be stored in plain text, such as a token. */
  readonly sealing: Sealing;
}

/** The oracle's public identity. */
export interface OracleIdentity {
  readonly name: string;
  readonly org?: string;
  readonly description?: string;
}

/** The identity, with the DIDs that tokens are addressed to. */
export interface ResolvedIdentity extends OracleIdentity {
  readonly did: string;
  readonly entityDid: string;
}

/** A request that asks for a turn. */
export interface RequestContext<Config = unknown> extends PluginContext<Config> {
  readonly identity: ResolvedIdentity;
  readonly user: {
    readonly did: string;
    /**
     * Whether the user is one person. Several people share a place such as a thread of a channel: nothing personal is read or
     * stored for it.
     */
    readonly isPersonal: boolean;
    /** The DID whose limits and credits the turn counts against: the user's own, or the speaker's in a shared place. */
    readonly payer: string;
    /** IANA name. */
    readonly timezone?: string;
    /** ISO 8601, in UTC. */
    readonly currentTime: string;
  };
  readonly session: {
    readonly id: string;
    /** `portal` (HTTP), `slack` or `ussd`, for logs. Base decisions on `capabilities` instead. */
    readonly client: string;
    /** The client's capabilities. */
    readonly capabilities: ClientCapabilities;
    readonly requestId: string;
    /** The turn of this request; unchanged when the request is retried after a loss. */
    readonly runId: string;
  };
  readonly request: {
    readonly message: string;
    readonly attachments: readonly AttachmentRequest[];
    readonly tools: readonly ClientTool[];
    readonly agActions: readonly ClientTool[];
    readonly metadata: JsonObject;
    readonly answerStyle?: string;
    /** The invocations that permit calls of MCP tools, by tool name: base64 of a CAR, as the client sent it. */
    readonly mcpInvocations: Readonly<Record<string, string>>;
    /** The user's Matrix homeserver, as the client named it. */
    readonly homeServer?: string;
    /** The user's Matrix token. It is never stored, so a recovered turn has none. */
    readonly matrixAccessToken?: string;
  };
  /** The model that answers, unless middleware chooses a different one. */
  readonly model: ModelFacts;
  /** The model with this id; the default model for an unknown id or none. */
  modelOf(id: string | undefined): ModelFacts;
  readonly ucan: RunAuthority;
}

/** Facts about a model. */
export interface ModelFacts extends Pick<ModelRecord, "id" | "vision" | "pricing"> {
  /** The size of its window in tokens, its answer included. */
  readonly contextTokens: number;
}

/** A turn that has been accepted. */
export interface RuntimeContext<Config = unknown, State extends Shareable = Shareable> extends RequestContext<Config> {
  /** The result of the plugin's own `getSharedState`; empty before it returns, if it fails, and if there is none. */
  readonly state: Partial<State & SharedState>;
  readonly history: History;
  /** Plugins that this session has loaded with `load_capability`. */
  readonly loadedPlugins: ReadonlySet<string>;
  /** Fires when the turn has ended, for any reason. */
  readonly abortSignal: AbortSignal;
  /**
   * Whether the model reads text in this turn that the user did not write: an attachment, the result of a tool that is `foreign`,
   * text selected in the page, or other people's messages in a shared place. Text of earlier turns counts while the model reads it,
   * and in their summary. Ask again before each use: a call may add such text. While plugins return their tools and middleware,
   * each result of an earlier turn counts as foreign.
   */
  holdsForeignText(): boolean;
  /** Values of this plugin for this user. */
  readonly kv: PluginKv;
  /** Large values of this plugin for this user; undefined unless the R2 bucket `BLOBS` is bound. */
  readonly blobs: PluginBlobs | undefined;
  /** Texts of this plugin for this user, with full-text search. */
  readonly texts: PluginTexts;
  /**
   * The result of `read`, cached in this process under that key for the session's later turns: for up to a minute, and until any
   * plugin writes to `kv` or `texts` for this user. If you store data elsewhere, write to `kv` after each change of it. Do not
   * change the resolved value.
   */
  remembered<Value>(key: string, read: () => Promise<Value>): Promise<Value>;
  /** Estimated tokens of a model request's prompt, files included. */
  estimateTokens(request: Pick<ModelCallRequest, "system" | "messages" | "tools">): number;
  /**
   * Counts tokens of a model that the plugin calls itself, such as an embedding model: as input of the turn's model, towards the
   * limits and the cost of the turn and the day. Call it first, and call the model only if it resolves with true; false means that
   * too few tokens are left.
   */
  spendTokens(tokens: number): Promise<boolean>;
  /** Notifies the user once of a problem that does not end the turn. `detail` is one word for programs. */
  notice(message: string, detail: string): void;
  /** Sends an event in the clients' format to every socket of the session. */
  emit<Name extends RoomEventName>(name: Name, payload: PluginEvents[Name]): void;
  /**
   * Calls a tool of this request's client. Resolves with its result, or with an object whose `code` is `FRONTEND_OUTCOME_UNKNOWN`
   * if the tool may have run. Rejects with a sentence if the tool failed or the call could not be sent.
   */
  callBrowserTool(name: string, args: JsonObject): Promise<JsonValue>;
  /** Calls an AG-UI action, with the results of `callBrowserTool`. */
  callAction(name: string, args: JsonObject): Promise<JsonValue>;
  /**
   * Asks the user with an `action_call` of this name, which clients do not have to declare. Resolves with the result, or with
   * undefined after the timeout; rejects as `callAction` does.
   */
  askUser(name: string, args: JsonObject, options: { readonly timeoutMs: number }): Promise<JsonValue | undefined>;
  /** Continues work after the turn; a rejection is logged. */
  background(work: Promise<unknown>): void;
  /**
   * Calls `work` after the turn has ended, or at once if it already has. It is not awaited, and lost with the process of the turn.
   */
  onTurnEnd(work: () => Promise<void> | void): void;
}

export interface History {
  /** The earlier turns that the model gets, oldest first. */
  readonly messages: readonly MessageRecord[];
  /** The newest `count` messages. */
  recent(count: number): readonly MessageRecord[];
  /** Whether a message has attachments; cheaper than searching the messages. */
  readonly hasAttachments: boolean;
}

/** Values of a plugin for one user. */
export interface UserStorage {
  readonly kv: PluginKv;
  readonly texts: PluginTexts;
  readonly blobs: PluginBlobs | undefined;
}

/** The context outside a turn: of a route or a schedule. */
export interface OutsideContext<Config = unknown> extends PluginContext<Config> {
  readonly identity: ResolvedIdentity;
  /**
   * Storage of this plugin for that user. Pass only a DID that has been proven, by the signature of a request or by a sealed text,
   * never one that a request merely names.
   */
  storageOf(did: string): UserStorage;
  /** Starts turns. */
  readonly turns: Turns;
  /** Continues work after the response, for up to 30 seconds; a rejection is logged. */
  background(work: Promise<unknown>): void;
}

/** One run of a plugin's schedule. */
export interface ScheduleContext<Config = unknown> extends OutsideContext<Config> {
  /** Unix milliseconds. */
  readonly scheduledTime: number;
}

/** The user's delegation, as far as the turn may use it. A request for a missing one prompts the user to re-authorise. */
export interface RunAuthority {
  /** The delegation that the turn would use, if the user has given one. */
  delegation(): Promise<Pick<Delegation, "expiration" | "capabilities"> | undefined>;
  hasCapability(can: string, resource: string): Promise<boolean>;
  /** A failure with a message for the model that permission is missing; the user is prompted to re-authorise. */
  requireCapability(can: string, resource: string): Promise<Result<null>>;
  /** Mints an invocation for the service at `origin` from the user's delegation. */
  mintInvocation(origin: string, capability: { readonly can: string; readonly with: string }): Promise<Result<string>>;
  /**
   * Verifies an invocation that a third party issued to the user's client for this oracle: signatures, chain, time, audience, and
   * that it grants this capability. The caller must remember used invocations by their `cid`.
   */
  verifyInvocation(
    token: string,
    capability: { readonly can: string; readonly with: string },
  ): Promise<Result<VerifiedInvocation>>;
}

export interface VerifiedInvocation {
  /** CID of the token's root block: equal tokens have equal CIDs. */
  readonly cid: string;
  readonly issuer: string;
  /** The issuer of the first delegation in the chain, or the token's issuer if there is none. */
  readonly root: string;
  /** Unix seconds of the earliest expiry in the chain. */
  readonly expiration: number;
  /** The token's own expiry, fixed by its `cid`: a record of its use can be deleted then. */
  readonly ownExpiration: number;
}
