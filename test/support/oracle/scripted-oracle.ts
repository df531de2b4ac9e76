/** The settings of `ScriptedChatSession`. Tests and objects share one isolate, so a test sets them before it calls an object. */
import type { OracleSettings, ChannelSettings } from "../../../oracle/settings.ts";
import { chatModels, chatSettings, type SettingsChange } from "./chat-settings.ts";
import { createScriptedModel, type Beat, type ScriptedModel } from "../../../workers/oracle/testing/scripted-model.ts";

/** Without settings, the object's configuration is invalid. */
export const scriptedOracle: { settings: OracleSettings | undefined; channel: ChannelSettings } = {
  settings: chatSettings(),
  channel: {
    pingIntervalMs: 180_000,
    pingTimeoutMs: 60_000,
    origins: ["https://page.test"],
  },
};

/** From now on, the oracle's model plays these steps, and its plugins are those of `change`. */
export function scriptOracle(steps: readonly (readonly Beat[])[], change: SettingsChange = {}): ScriptedModel {
  const model = createScriptedModel();
  model.plays(...steps);
  scriptedOracle.settings = chatSettings({ models: chatModels(model), ...change });
  return model;
}
