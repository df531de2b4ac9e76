/**
 * The tool `set_user_preferences` (contract/oracle.md section 9; decisions 3.5). Whatever goes wrong comes back as text
 * that the model can act on or tell the user; nothing is thrown.
 */
import type { PluginTool } from "../../../../durable-objects/chat-session/plugin.ts";
import { describeThrown, type Logger } from "../../../platform/log.ts";
import { changeJsonSchema, parseChange, type Preferences } from "./preferences.ts";
import { describeStored, type StoredPreferences } from "./store.ts";

export const TOOL_NAME = "set_user_preferences";

const DESCRIPTION = [
  "Stores how the user wants you to respond, for this and every later conversation.",
  "Call it when the user asks for a lasting change in how you answer: what to call you or them, language, tone, length, format, formality, or anything else that should hold from now on.",
  'Give only the fields that change; the others stay as they are. An empty string ("") removes a field.',
  "Write self-contained, specific text that makes sense without this conversation. When in doubt, take the more specific reading.",
  "customInstructions is replaced as a whole: repeat the existing text, as far as it still holds, and add to it.",
  "userName is a form of address: set it only when the user asks to be addressed so, not when they merely say who they are.",
  "The change takes effect from the next message; say so if it matters.",
  "Do not call it for facts about the user, such as where they live or what they do, and not for formatting wanted in one answer only: just answer that way.",
].join("\n");

export interface PreferencesToolParts {
  /** Merges the change into what is stored and answers with all of it; may throw. */
  readonly save: (change: Preferences) => Promise<StoredPreferences>;
  readonly log: Logger;
}

/** The output is a text: `Preferences saved: <JSON>` or `[Preferences not saved: <reason>]`. */
export function createPreferencesTool({ save, log }: PreferencesToolParts): PluginTool {
  return {
    name: TOOL_NAME,
    description: DESCRIPTION,
    // As JSON Schema, which guides the model but refuses nothing: refusals are worded here.
    inputSchema: changeJsonSchema,
    async execute(input) {
      const change = parseChange(input);
      if (!change.ok) return notSaved(change.error);
      try {
        return `Preferences saved: ${JSON.stringify(describeStored(await save(change.value)))}`;
      } catch (thrown) {
        log.error("preferences-save-failed", { plugin: "user-preferences", reason: describeThrown(thrown) });
        return notSaved("the preferences cannot be stored at the moment");
      }
    },
  };
}

function notSaved(reason: string): string {
  return `[Preferences not saved: ${reason}]`;
}
