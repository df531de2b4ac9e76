/** Tells a plugin that a run is over: its `afterTurn` with what it may use then. Nothing of the run itself is left. */
import type { EndedTurn } from "../framework/ended-turn.ts";
import type { OracleSettings } from "../settings.ts";
import { identityOf, modelFacts } from "./request-context.ts";
import { createKeptReads, ownParts, type ContextFacts, type OwnFacts } from "./run-context.ts";

/** Rejects with what the plugin throws. A plugin that is not there any more has nothing to settle. */
export async function callAfterTurn(
  settings: OracleSettings,
  name: string,
  turn: EndedTurn,
  facts: Pick<ContextFacts, "env" | "owner"> & Pick<OwnFacts, "storageOf" | "background" | "log">,
): Promise<void> {
  const { plugins, models, profile, onError } = settings;
  const loaded = plugins.find(({ plugin }) => plugin.name === name);
  if (loaded?.plugin.afterTurn === undefined) return;
  const { storageOf, background, log } = facts;
  const ownFacts = { storageOf, keptReads: createKeptReads(Date.now), background, log };
  const {
    onTurnEnd: _,
    remembered: _read,
    ...own
  } = ownParts({ signal: AbortSignal.abort() }, ownFacts, settings)(name);
  try {
    await loaded.plugin.afterTurn(turn, {
      ...own,
      env: facts.env,
      config: loaded.config,
      identity: identityOf(profile),
      availablePlugins: new Set(plugins.map(({ plugin }) => plugin.name)),
      logger: facts.log,
      user: { did: facts.owner, payer: turn.payer ?? facts.owner },
      modelOf: (id) => modelFacts(models, id),
    });
  } catch (thrown) {
    onError?.(thrown, `plugin:${name}`);
    throw thrown;
  }
}
