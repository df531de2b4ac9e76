/**
 * The settings of the oracle's chat sessions: models, plugins, profile, authenticator, minting, and each plugin's
 * oracle-wide storage; and the settings of their sockets.
 */
import type { ChannelSettings, LoadedPlugin, Mint, OracleProfile, OracleSettings } from "../../oracle/settings.ts";
import type { LanguageModelV4 } from "@ai-sdk/provider";
import type { ModelProvider } from "../../oracle/models/model-port.ts";
import type { ErrorSource } from "../../oracle/framework/app-options.ts";
import { createAudienceDiscovery } from "../../platform/auth/audience-discovery.ts";
import { mintInvocation, type WantedCapability } from "../../platform/auth/downstream-invocation.ts";
import { fail } from "../../platform/failure.ts";
import { readEdgePolicy } from "../../platform/http/cors.ts";
import { parseOracleConfig, readOracleConfig, type OracleConfig } from "./config.ts";
import { createSocketAuthenticator } from "./http/authentication.ts";
import { createModelProvider } from "../../oracle/models/provider.ts";
import { systemTimers } from "../../oracle/models/timeouts.ts";
import { audiencesOf, type OraclePlatform, type OracleRuntime } from "./runtime.ts";
import { oracleSeed } from "../../platform/auth/oracle-signer.ts";
import { ORACLE_STORE } from "../../platform/object-names.ts";
import type { PluginContext } from "../../oracle/framework/context.ts";
import { createPluginKv } from "../../oracle/framework/storage.ts";
import { createSealing } from "../../oracle/framework/sealed-texts.ts";
import { userVault } from "./objects.ts";

export interface SessionSettingsOptions extends OraclePlatform {
  readonly env: Env;
  readonly runtime: OracleRuntime;
  readonly profile: Omit<OracleProfile, "did" | "entityDid">;
  readonly plugins: readonly LoadedPlugin[];
  readonly oracleParts: OracleSettings["oracleParts"];
  /** The author's own choice of a model; undefined leaves it to the configuration. */
  readonly resolveModel?: (id: string | undefined) => LanguageModelV4 | undefined;
  readonly onError?: (error: unknown, source: ErrorSource) => void;
}

export function createSessionSettings(options: SessionSettingsOptions): OracleSettings {
  const { env, runtime, plugins, oracleParts, profile, clock } = options;
  const { name, config, identity } = runtime;
  const models = createModelProvider(config.models, {
    fetch: (input, init) => fetch(input, init),
    timers: systemTimers,
    now: clock,
    mintId: () => crypto.randomUUID(),
    ...(env.AI === undefined ? {} : { ai: env.AI }),
  });
  return {
    models: withOwnModels(models, options),
    plugins,
    oracleParts,
    profile: { ...profile, name, did: identity.did, entityDid: identity.entityDid },
    mint: createMint(options),
    verify: runtime.authenticator.verifyInvocation,
    authenticator: createSocketAuthenticator(runtime),
    ...(options.onError === undefined ? {} : { onError: options.onError }),
    limits: {
      maxTokens: config.TURN_MAX_TOKENS,
      maxToolCalls: config.TURN_MAX_TOOL_CALLS,
      maxSteps: config.ORACLE_MAX_STEPS,
      timeoutMs: config.TURN_TIMEOUT_MS,
      maxIdenticalWrites: config.TURN_MAX_IDENTICAL_WRITES,
      maxIdenticalReads: config.TURN_MAX_IDENTICAL_READS,
    },
    tokensPerDay: { ofUser: config.ORACLE_USER_TOKENS_PER_DAY, ofAll: config.ORACLE_TOTAL_TOKENS_PER_DAY },
    promptThrottleSeconds: config.UCAN_REAUTH_PROMPT_THROTTLE_SECONDS,
  };
}

/** A choice that throws counts as undefined. */
function withOwnModels(
  models: ModelProvider,
  { resolveModel, onError }: Pick<SessionSettingsOptions, "resolveModel" | "onError">,
): ModelProvider {
  if (resolveModel === undefined) return models;
  const chosen = (id: string | undefined): LanguageModelV4 | undefined => {
    try {
      return resolveModel(id);
    } catch (thrown) {
      onError?.(thrown, "resolveModel");
      return undefined;
    }
  };
  return { ...models, model: (id) => chosen(id) ?? models.model(id) };
}

function createMint({ runtime: { identity }, fetch, clock }: SessionSettingsOptions): Mint {
  const { signer } = identity;
  if (signer === undefined) return async () => fail("unavailable", "This oracle has no signing key");
  const discover = createAudienceDiscovery({ fetch, clock });
  return async (origin, capability, delegation) => {
    const audience = await discover(origin);
    if (!audience.ok) return audience;
    const minted = await mintInvocation(signer, audiencesOf(identity), {
      audience: audience.value,
      capability: capability as WantedCapability,
      delegation,
      now: Math.floor(clock() / 1000),
      nonce: crypto.randomUUID(),
    });
    return minted.ok ? minted : fail("forbidden", `The delegation cannot be used there: ${minted.error}`);
  };
}

/**
 * Heartbeat and origins. While the configuration is invalid, connections are rejected individually, with the default
 * heartbeat.
 */
export function channelSettings(env: Env): ChannelSettings {
  const config = readOracleConfig(env);
  const { SOCKET_PING_INTERVAL_MS, SOCKET_PING_TIMEOUT_MS } = config.ok ? config.value : defaults();
  const { origins } = readEdgePolicy(env);
  return { pingIntervalMs: SOCKET_PING_INTERVAL_MS, pingTimeoutMs: SOCKET_PING_TIMEOUT_MS, origins };
}

function defaults(): OracleConfig {
  const config = parseOracleConfig({ ORACLE_DID: "did:key:none" });
  if (!config.ok) throw new Error("the defaults are not a valid configuration");
  return config.value;
}

export type OracleParts = Pick<PluginContext, "oracleKv" | "sealing">;

/**
 * Storage in a separate object, and sealing, by the name of the plugin, shared by all its hooks. Nothing is read before
 * a hook asks for it.
 */
export function createOracleParts(env: Env): (plugin: string) => OracleParts {
  async function seed(): Promise<Uint8Array | undefined> {
    const config = readOracleConfig(env);
    if (!config.ok) throw new Error("The oracle is not configured correctly; see the log");
    return oracleSeed(config.value.ORACLE_SIGNING_SEED, config.value.ORACLE_MNEMONIC);
  }

  const known = new Map<string, OracleParts>();
  return (plugin) => {
    const parts = known.get(plugin) ?? {
      oracleKv: createPluginKv(() => userVault(env, ORACLE_STORE), plugin),
      sealing: createSealing(seed, plugin),
    };
    known.set(plugin, parts);
    return parts;
  };
}
