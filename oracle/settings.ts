/** What an oracle's chat sessions are made of: `workers/index.ts` injects it, the oracle surface builds it. */
import type { OracleProfileOptions } from "./framework/app-options.ts";
import type { Logger } from "../platform/log.ts";
import type { Result } from "../platform/result.ts";
import type { ModelProvider } from "./models/model-port.ts";
import type { PluginContext } from "./framework/context.ts";
import type { PluginDefinition } from "./framework/plugin.ts";
import type { RunAuthority } from "./framework/context.ts";
import type { Delegation } from "./framework/delegation.ts";
import type { TurnHook } from "./framework/turn-hooks.ts";

export interface OracleSettings {
  readonly models: ModelProvider;
  /** The loaded plugins with their parsed settings, dependencies first. */
  readonly plugins: readonly LoadedPlugin[];
  readonly profile: OracleProfile;
  /** What a plugin, by its name, has of the oracle as a whole. */
  readonly oracleParts: (plugin: string) => Pick<PluginContext, "oracleKv" | "sealing">;
  readonly mint: Mint;
  readonly verify: VerifyInvocation;
  readonly limits: RunLimits;
  /** How long after a prompt to re-authorise the next one is suppressed, seconds. */
  readonly promptThrottleSeconds: number;
  /** What a user, and all together, may use in a day (UTC); 0 means no limit. */
  readonly tokensPerDay: { readonly ofUser: number; readonly ofAll: number };
  /** The author's own hook for what a plugin throws in a run; never throws. */
  readonly onError?: (error: unknown, source: `plugin:${string}`) => void;
  /** Authenticates sockets as the HTTP routes do. */
  readonly authenticator: SocketAuthenticator;
}

/** The most that one run may use. The first four end it; a call above the others is refused and the run continues. */
export interface RunLimits {
  /** Input and output tokens of all its model calls. */
  readonly maxTokens: number;
  readonly maxToolCalls: number;
  /** How often each agent may ask its model, a sub-agent for each task: its end is that of the task. */
  readonly maxSteps: number;
  /** From its start, without the time that it waited for approvals. */
  readonly timeoutMs: number;
  /** How often the same call may succeed: same tool, same arguments. */
  readonly maxIdenticalWrites: number;
  readonly maxIdenticalReads: number;
}

export interface LoadedPlugin {
  readonly plugin: PluginDefinition;
  readonly config: unknown;
  /** What a run calls of it, known at boot. */
  readonly turnHooks: readonly TurnHook[];
}

/** What the oracle is and how it speaks, with the DIDs that tokens are addressed to. */
export interface OracleProfile extends OracleProfileOptions {
  readonly did: string;
  /** The DID of the oracle's entity; the same as `did` when it has none. */
  readonly entityDid: string;
}

export type Capability = Delegation["capabilities"][number];

/** Mints an invocation for the service at `origin` with the user's delegation as its proof. */
export type Mint = (origin: string, capability: Capability, delegation: Delegation) => Promise<Result<string>>;

/** Verifies an invocation that was given to the user's client for this oracle. */
export type VerifyInvocation = RunAuthority["verifyInvocation"];

/** How the sockets of the session are kept. */
export interface ChannelSettings {
  /** After how long without a packet a client is pinged, milliseconds; each ping wakes the object. */
  readonly pingIntervalMs: number;
  readonly pingTimeoutMs: number;
  /** Origins of pages that may connect. */
  readonly origins: "*" | readonly string[];
}

/** The tokens that a handshake brought. */
export interface HandshakeTokens {
  readonly invocation: string | undefined;
  readonly delegation: string | undefined;
}

export interface SocketCaller {
  readonly did: string;
  /** When a delegation alone proves the caller: its expiry in Unix seconds, null for one that does not expire. */
  readonly delegationExpiry?: number | null;
}

export interface SocketAuthenticator {
  /**
   * The caller that the tokens prove. `address` is the client's, for the limit on failed attempts. Failures:
   * `unauthenticated` with one of the messages of a 401, `rate_limited`, `unavailable`.
   */
  verify(tokens: HandshakeTokens, address: string, log: Logger): Promise<Result<SocketCaller>>;
  /** How many requests a user may make in a minute; a connection counts as one. */
  readonly requestsPerMinute: number;
}
