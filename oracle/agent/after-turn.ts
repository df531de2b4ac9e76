/** Tells a plugin that a turn is over: its `afterTurn` with what it may use then. Nothing of the turn itself is left. */
import type { EndedTurn } from "../framework/ended-turn.ts";
import type { OracleSettings } from "../settings.ts";
import { identityOf, isNotified, modelFacts } from "./admission.ts";
import { createKeptReads } from "./kept-reads.ts";
import { ownParts, type RunFacts } from "./run-context.ts";

/** Rejects with what the plugin throws. A plugin that is not there any more has nothing to settle. */
export async function callAfterTurn(
  settings: OracleSettings,
  name: string,
  turn: EndedTurn,
  facts: Pick<RunFacts, "env" | "owner" | "storageOf" | "background" | "log">,
): Promise<void> {
  const { plugins, models, profile, onError } = settings;
  const loaded = plugins.find(({ plugin }) => plugin.name === name);
  if (loaded?.plugin.afterTurn === undefined) return;
  const keptReads = createKeptReads(Date.now);
  const {
    onTurnEnd: _,
    remembered: _read,
    ...own
  } = ownParts({ signal: AbortSignal.abort() }, { ...facts, keptReads }, settings)(name);
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

/** The plugins that are to be notified of a turn of that client. */
export function reportersOf({ plugins }: Pick<OracleSettings, "plugins">, client: string): readonly string[] {
  return plugins.filter(({ plugin }) => isNotified(plugin, client)).map(({ plugin }) => plugin.name);
}
