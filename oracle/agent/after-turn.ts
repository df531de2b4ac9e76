/**
 * Notifies plugins after the run: `afterTurn` for a finished run, `afterTitle` for a session's title. Both get a context that does
 * not depend on the run. `coversTitle` of each plugin decides first whether a model may be asked for a title.
 */
import type { EndedTurn, EndedTurnContext } from "../framework/ended-turn.ts";
import { describeThrown } from "../../platform/log.ts";
import type { After } from "../runs/frames.ts";
import { TITLE_CLIENT } from "../runs/run-reports.ts";
import type { LoadedPlugin, OracleSettings } from "../settings.ts";
import { ADMISSION_TIME_LIMIT_MS } from "./admission.ts";
import { identityOf, modelFacts } from "./request-context.ts";
import { createKeptReads, ownParts, type ContextFacts, type OwnFacts } from "./run-context.ts";

export type AfterTurnFacts = Pick<ContextFacts, "env" | "owner"> & Pick<OwnFacts, "storageOf" | "background" | "log">;

/** Rejects if the plugin throws. A plugin that is no longer loaded is skipped. */
export async function callAfterTurn(
  settings: OracleSettings,
  name: string,
  ended: EndedTurn,
  facts: AfterTurnFacts,
): Promise<void> {
  const loaded = settings.plugins.find(({ plugin }) => plugin.name === name);
  if (loaded === undefined) return;
  const { plugin } = loaded;
  const context = endedTurnContext(settings, loaded, ended, facts);
  try {
    if (ended.client === TITLE_CLIENT) await plugin.afterTitle?.(ended, context);
    else await plugin.afterTurn?.(ended, context);
  } catch (thrown) {
    settings.onError?.(thrown, `plugin:${name}`);
    throw thrown;
  }
}

/** The plugins that receive a title's usage. */
export function titleReportersOf({ plugins }: Pick<OracleSettings, "plugins">): readonly string[] {
  return plugins.filter(({ plugin }) => plugin.afterTitle !== undefined).map(({ plugin }) => plugin.name);
}

/** Whether every plugin permits a title by a model. A plugin that throws or takes too long does not. */
export async function coversTitle(
  settings: OracleSettings,
  title: EndedTurn,
  facts: AfterTurnFacts,
  after: After,
): Promise<boolean> {
  for (const loaded of settings.plugins) {
    const { plugin } = loaded;
    if (plugin.coversTitle === undefined) continue;
    const late = Promise.withResolvers<never>();
    const callOff = after(ADMISSION_TIME_LIMIT_MS, () => late.reject(new Error("coversTitle took too long")));
    try {
      const asked = plugin.coversTitle(title, endedTurnContext(settings, loaded, title, facts));
      const isCovered: unknown = await Promise.race([asked, late.promise]);
      if (isCovered !== true) return false;
    } catch (thrown) {
      facts.log.error("title-cover-failed", { plugin: plugin.name, reason: describeThrown(thrown) });
      settings.onError?.(thrown, `plugin:${plugin.name}`);
      return false;
    } finally {
      callOff();
    }
  }
  return true;
}

function endedTurnContext(
  settings: OracleSettings,
  { plugin, config }: LoadedPlugin,
  ended: EndedTurn,
  { env, owner, storageOf, background, log }: AfterTurnFacts,
): EndedTurnContext {
  const { plugins, models, profile } = settings;
  const ownFacts = { storageOf, keptReads: createKeptReads(Date.now), background, log };
  const {
    onTurnEnd: _,
    remembered: _read,
    ...own
  } = ownParts({ signal: AbortSignal.abort() }, ownFacts, settings)(plugin.name);
  return {
    ...own,
    env,
    config,
    identity: identityOf(profile),
    availablePlugins: new Set(plugins.map(({ plugin: each }) => each.name)),
    logger: log,
    user: { did: owner, payer: ended.payer ?? owner },
    modelOf: (id) => modelFacts(models, id),
  };
}
