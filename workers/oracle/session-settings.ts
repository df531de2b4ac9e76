/** What the oracle's chat sessions are made of: its models, its loaded plugins, its profile and its way to mint. */
import type { LoadedPlugin, OracleSettings, Mint, OracleProfile } from "../../durable-objects/chat-session/settings.ts";
import { createAudienceDiscovery } from "../platform/auth/audience-discovery.ts";
import { mintInvocation, type WantedCapability } from "../platform/auth/downstream-invocation.ts";
import type { Authenticator } from "../platform/auth/authenticator.ts";
import type { Fetch } from "../platform/auth/fetch-json.ts";
import { fail } from "../platform/failure.ts";
import type { AttemptLimit } from "../platform/http/attempt-limit.ts";
import type { OracleConfig } from "./config.ts";
import { createDoor } from "./door.ts";
import { audiencesOf, type OracleIdentity } from "./identity.ts";
import { createModelProvider } from "./models/provider.ts";
import { systemTimers } from "./models/timers.ts";

export interface SettingsParts {
  readonly env: Env;
  readonly config: OracleConfig;
  readonly identity: OracleIdentity;
  readonly authenticator: Authenticator;
  readonly attempts: AttemptLimit | undefined;
  readonly profile: Omit<OracleProfile, "did">;
  readonly plugins: readonly LoadedPlugin[];
  readonly fetch: Fetch;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
}

export function makeSessionSettings(parts: SettingsParts): OracleSettings {
  const { env, config, identity, clock } = parts;
  return {
    models: createModelProvider(config.models, {
      fetch: (input, init) => fetch(input, init),
      timers: systemTimers,
      now: clock,
      mintId: () => crypto.randomUUID(),
      ...(env.AI === undefined ? {} : { ai: env.AI }),
    }),
    plugins: parts.plugins,
    profile: { ...parts.profile, did: identity.did },
    mint: makeMint(parts),
    authenticator: createDoor(parts),
    hasTokenBudget: config.ORACLE_TOTAL_TOKENS_PER_DAY > 0,
    promptThrottleSeconds: config.UCAN_REAUTH_PROMPT_THROTTLE_SECONDS,
  };
}

function makeMint({ identity, fetch, clock }: SettingsParts): Mint {
  const { signer } = identity;
  if (signer === undefined) return async () => fail("unavailable", "This oracle has no key to sign with");
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
