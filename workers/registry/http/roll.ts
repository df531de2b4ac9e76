/** The voter roll for a request, with the keys that are valid in this deployment. */
import type { RollContext } from "../commands/roll.ts";
import type { RegistryContext } from "../context.ts";
import { configuredVoters } from "../keys/caller-of-key.ts";

export function rollOf(c: RegistryContext): RollContext {
  const { database, config, clock } = c.var.runtime;
  const speakers = { environment: config.REGISTRY_KEY_ENVIRONMENT, configured: configuredVoters(config), now: clock() };
  return { database, speakers };
}
