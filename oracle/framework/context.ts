/** What the hooks of a plugin are given: at boot, before a turn is accepted, and in a turn. */
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

/** What every hook is given, at boot nothing more. */
export interface PluginContext<Config = unknown> {
  /** The Worker's environment: bindings and variables. Secrets in it never go into a prompt or a log. */
  readonly env: Env;
  /** The parsed value of the plugin's `configSchema`; undefined without one. */
  readonly config: Config;
  readonly identity: OracleIdentity;
  /** The plugins that this oracle runs. */
  readonly availablePlugins: ReadonlySet<string>;
  readonly logger: Logger;
  /** What this plugin keeps for the oracle as a whole, in one object: for what changes rarely, never for every turn. */
  readonly oracleKv: PluginKv;
  /** Encrypts what must not lie in storage as it is, such as a token. */
  readonly sealing: Sealing;
}

/** What the oracle says that it is. */
export interface OracleIdentity {
  readonly name: string;
  readonly org?: string;
  readonly description?: string;
}

/** The same with the DIDs that tokens are addressed to. */
export interface ResolvedIdentity extends OracleIdentity {
  readonly did: string;
  readonly entityDid: string;
}

/** A request that asks for a turn. */
export interface RequestContext<Config = unknown> extends PluginContext<Config> {
  readonly identity: ResolvedIdentity;
  readonly user: {
    readonly did: string;
    /** Whether the user is one person. Several people speak in a place such as a thread of a channel: nothing personal is read or kept for it. */
    readonly isPersonal: boolean;
    /** The DID whose limits and credits the turn counts against: the user's own, or that of the person who speaks in a shared place. */
    readonly payer: string;
    /** IANA name. */
    readonly timezone?: string;
    /** ISO 8601, in UTC. */
    readonly currentTime: string;
  };
  readonly session: {
    readonly id: string;
    /** `portal` (HTTP), `slack` or `ussd`: for logs. Rules depend on `capabilities`. */
    readonly client: string;
    /** What the client can do. */
    readonly capabilities: ClientCapabilities;
    readonly requestId: string;
    /** The turn that the request asks for; the same when the request is repeated after a loss. */
    readonly runId: string;
  };
  readonly request: {
    readonly message: string;
    readonly attachments: readonly AttachmentRequest[];
    readonly tools: readonly ClientTool[];
    readonly agActions: readonly ClientTool[];
    readonly metadata: JsonObject;
    readonly answerStyle?: string;
    /** Name of an MCP tool to the invocation that permits its call, base64 of a CAR, as the client sent it. */
    readonly mcpInvocations: Readonly<Record<string, string>>;
    /** The user's Matrix homeserver, as the client named it. */
    readonly homeServer?: string;
    /** The user's Matrix token. Never stored, so a turn that was recovered has none. */
    readonly matrixAccessToken?: string;
  };
  /** The model that answers unless middleware asks another one. */
  readonly model: ModelFacts;
  /** The model of that id; the default one for an unknown id or none. */
  modelOf(id: string | undefined): ModelFacts;
  readonly ucan: RunAuthority;
}

/** What is known of a model. */
export interface ModelFacts extends Pick<ModelRecord, "id" | "vision" | "pricing"> {
  /** Tokens that it reads at once, its answer included. */
  readonly contextTokens: number;
}

/** A turn that has been accepted. */
export interface RuntimeContext<Config = unknown, State extends Shareable = Shareable> extends RequestContext<Config> {
  /** What the plugin's own `getSharedState` returned; empty before it has, when it failed, and when there is none. */
  readonly state: Partial<State & SharedState>;
  readonly history: History;
  /** Plugins that this session has loaded with `load_capability`. */
  readonly loadedPlugins: ReadonlySet<string>;
  /** Fires when the turn has ended, however it ended. */
  readonly abortSignal: AbortSignal;
  /**
   * Whether the model reads text in this turn that the user did not write: an attachment, the result of a tool that is `foreign`,
   * text selected in the page, or words of others in a shared place. Text of earlier turns counts
   * while the model reads it, and in their summary. Ask again before each use: a call may bring such text. While plugins give their
   * tools and middleware, each result of an earlier turn counts as such text.
   */
  holdsForeignText(): boolean;
  /** What this plugin keeps for this user. */
  readonly kv: PluginKv;
  /** Large values of this plugin for this user; undefined unless the R2 bucket `BLOBS` is bound. */
  readonly blobs: PluginBlobs | undefined;
  /** Texts of this plugin for this user, found by their words. */
  readonly texts: PluginTexts;
  /**
   * What `read` comes to; or came to under that key in an earlier turn of this session, while this process lives, for up to a
   * minute, and only as long as no plugin has written to `kv` or `texts` for this user since. Whoever keeps something
   * elsewhere writes to `kv` after each change of it. What it resolves with must not be changed.
   */
  remembered<Value>(key: string, read: () => Promise<Value>): Promise<Value>;
  /** What the prompt of a request to a model costs before its service has counted it, tokens; files in it included. */
  estimateTokens(request: Pick<ModelCallRequest, "system" | "messages" | "tools">): number;
  /**
   * Counts tokens of a model that the plugin asks by itself, such as one that embeds a text: as input of the turn's model, towards
   * the limits of the turn and of the day, and its cost. Call it before the request, and ask only if it resolves with
   * true: otherwise too few are left.
   */
  spendTokens(tokens: number): Promise<boolean>;
  /** Notifies the user, once, of something that does not end the turn. `detail` is one word for programs. */
  notice(message: string, detail: string): void;
  /** Sends an event to every socket of the session, in the form that its clients know. */
  emit<Name extends RoomEventName>(name: Name, payload: PluginEvents[Name]): void;
  /**
   * Calls a tool that this request's client brought. Resolves with its result, or with an object whose `code` is
   * `FRONTEND_OUTCOME_UNKNOWN` when it may have run and nobody knows; rejects with a sentence when it failed or could
   * not be sent.
   */
  callBrowserTool(name: string, args: JsonObject): Promise<JsonValue>;
  /** The same for an AG-UI action. */
  callAction(name: string, args: JsonObject): Promise<JsonValue>;
  /**
   * Asks the user something that their client need not have announced: an `action_call` of that name, which clients show as
   * they know it. Resolves with the result, or with undefined when nobody answered in time; rejects as `callAction` does.
   */
  askUser(name: string, args: JsonObject, options: { readonly timeoutMs: number }): Promise<JsonValue | undefined>;
  /** Lets work go on after the turn; a rejection is logged. */
  background(work: Promise<unknown>): void;
  /**
   * Calls `work` after the turn has ended, at once if it has; nothing waits for it. It is lost with the process of the turn.
   */
  onTurnEnd(work: () => Promise<void> | void): void;
}

export interface History {
  /** The turns before this one, oldest first, as far as the model is given them. */
  readonly messages: readonly MessageRecord[];
  /** The newest `count` of them. */
  recent(count: number): readonly MessageRecord[];
  /** Whether one of them has attachments; cheaper than to look through them. */
  readonly hasAttachments: boolean;
}

/** What a plugin keeps for one user. */
export interface UserStorage {
  readonly kv: PluginKv;
  readonly texts: PluginTexts;
  readonly blobs: PluginBlobs | undefined;
}

/** What runs outside of a turn: a route, a schedule. */
export interface OutsideContext<Config = unknown> extends PluginContext<Config> {
  readonly identity: ResolvedIdentity;
  /**
   * What this plugin keeps for that user. Only for a DID that something has proven: the signature of a request, a text that
   * was sealed before. Never for one that a request names.
   */
  storageOf(did: string): UserStorage;
  /** Starts turns. */
  readonly turns: Turns;
  /** Lets work go on after the response, for up to 30 seconds; a rejection is logged. */
  background(work: Promise<unknown>): void;
}

/** One run of a plugin's schedule. */
export interface ScheduleContext<Config = unknown> extends OutsideContext<Config> {
  /** Unix milliseconds. */
  readonly scheduledTime: number;
}

/** The user's delegation, as far as the turn may use it. Asking for a missing one prompts the user to re-authorise. */
export interface RunAuthority {
  /** The delegation that the turn would use, if the user has given one. */
  delegation(): Promise<Pick<Delegation, "expiration" | "capabilities"> | undefined>;
  hasCapability(can: string, resource: string): Promise<boolean>;
  /** A failure whose message says to the model that permission is missing, after the prompt to re-authorise. */
  requireCapability(can: string, resource: string): Promise<Result<null>>;
  /** Mints an invocation for another service at `origin` from the user's delegation. */
  mintInvocation(origin: string, capability: { readonly can: string; readonly with: string }): Promise<Result<string>>;
  /**
   * Verifies an invocation that somebody gave the user's client for this oracle: signatures, chain, time, audience, and that
   * it is for this capability. Whether it was used before is for the caller to remember, by its `cid`.
   */
  verifyInvocation(
    token: string,
    capability: { readonly can: string; readonly with: string },
  ): Promise<Result<VerifiedInvocation>>;
}

export interface VerifiedInvocation {
  /** Of the token's root block: the same token, the same CID. */
  readonly cid: string;
  readonly issuer: string;
  /** The issuer of the first delegation in the chain; the issuer itself when there is none. */
  readonly root: string;
  /** Unix seconds of the earliest expiry in the chain. */
  readonly expiration: number;
  /** The token's own, which its `cid` fixes: whoever remembers that it was used remembers it until then. */
  readonly ownExpiration: number;
}
