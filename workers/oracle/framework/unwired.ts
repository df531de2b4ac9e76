/** What the framework declares and does not have yet; gone before the plugins that need it are done. */
import type { PluginKv, PluginTexts, Sealing } from "./storage.ts";
import type { Turns } from "./turns.ts";

function missing(): never {
  throw new Error("not wired yet");
}

export const unwiredKv: PluginKv = { get: missing, set: missing, setIfAbsent: missing, delete: missing, list: missing };
export const unwiredTexts: PluginTexts = {
  put: missing,
  get: missing,
  search: missing,
  list: missing,
  delete: missing,
  clear: missing,
};
export const unwiredSealing: Sealing = { seal: missing, open: missing };
export const unwiredTurns: Turns = { start: missing };
export const unwired: () => never = missing;
