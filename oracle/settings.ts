/** The settings of an oracle's chat sessions: built by the oracle surface, injected by `workers/index.ts`. */
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
  /** The oracle-wide members of a plugin's context, by plugin name. */
  readonly oracleParts: (plugin: string) => Pick<PluginContext, "oracleKv" | "sealing">;
  readonly mint: Mint;
  readonly verify: VerifyInvocation;
  readonly limits: RunLimits;
  /** How long the next prompt to re-authorise is suppressed after one, seconds. */
  readonly promptThrottleSeconds: number;
  /** Daily token limits (UTC) of a user and of all users together; 0 means no limit. */
  readonly tokensPerDay: { readonly ofUser: number; readonly ofAll: number };
  /** The author's own hook for errors that a plugin throws in a run; never throws. */
  readonly onError?: (error: unknown, source: `plugin:${string}`) => void;
  /** Authenticates sockets as the HTTP routes do. */
  readonly authenticator: SocketAuthenticator;
}

/**
 * Limits of one run. Exceeding one of the first four ends the run; a call above one of the others is refused and the run continues.
 */
export interface RunLimits {
  /** Input and output tokens of all its model calls. */
  readonly maxTokens: number;
  readonly maxToolCalls: number;
  /** Maximum steps of each agent, counted for a sub-agent per task, which ends with them. */
  readonly maxSteps: number;
  /** From its start, without the time spent waiting for approvals. */
  readonly timeoutMs: number;
  /** How often one call may succeed with the same tool and arguments. */
  readonly maxIdenticalWrites: number;
  readonly maxIdenticalReads: number;
}

export interface LoadedPlugin {
  readonly plugin: PluginDefinition;
  readonly config: unknown;
  /** The plugin's hooks that a run calls, known at boot. */
  readonly turnHooks: readonly TurnHook[];
}

/** The oracle's profile, with the DIDs that tokens are addressed to. */
export interface OracleProfile extends OracleProfileOptions {
  readonly did: string;
  /** The DID of the oracle's entity; equal to `did` if it has none. */
  readonly entityDid: string;
}

export type Capability = Delegation["capabilities"][number];

/** Mints an invocation for the service at `origin` with the user's delegation as its proof. */
export type Mint = (origin: string, capability: Capability, delegation: Delegation) => Promise<Result<string>>;

/** Verifies an invocation that was issued to the user's client for this oracle. */
export type VerifyInvocation = RunAuthority["verifyInvocation"];

/** How the sockets of the session are kept. */
export interface ChannelSettings {
  /** After how long without a packet a client is pinged, milliseconds; each ping wakes the object. */
  readonly pingIntervalMs: number;
  readonly pingTimeoutMs: number;
  /** Origins of pages that may connect. */
  readonly origins: "*" | readonly string[];
}

/** The tokens that a handshake contained. */
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
