/** The voter roll as a request sees it, with the keys that count in this deployment. */
import type { RollContext } from "../commands/roll.ts";
import type { RegistryContext } from "../context.ts";
import { configuredVoters } from "../keys/caller-of-key.ts";

export function rollOf(c: RegistryContext): RollContext {
  const { database, config, clock } = c.var.runtime;
  const speakers = { environment: config.REGISTRY_KEY_ENVIRONMENT, configured: configuredVoters(config), now: clock() };
  return { database, speakers };
}
