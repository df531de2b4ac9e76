/**
 * The plugin user-preferences, on by default (contract/oracle.md section 9): loads how the user wants to be answered
 * before the agent is built, and gives the model the tool that changes it. The route is the oracle surface's.
 */
import type { OraclePlugin, RunContext } from "../../../../durable-objects/chat-session/plugin.ts";
import { agentNameOf, promptSection } from "./preferences.ts";
import { loadPreferences, mergePreferences, type PreferencesKey } from "./store.ts";
import { createPreferencesTool, TOOL_NAME } from "./tool.ts";

export const userPreferences: OraclePlugin = {
  name: "user-preferences",
  version: "1.0.0",
  manifest: {
    title: "User preferences",
    summary: "Remembers how the user wants to be answered: name, language, tone, length, format, formality and notes.",
    whenToUse: [
      "The user asks for a lasting change in how to answer",
      "The user says what to call the agent, or how they want to be addressed",
    ],
    whenNotToUse: ["The user states a fact about themselves", "The user wants one answer only in a certain form"],
    examples: [
      {
        user: "From now on answer in German, please.",
        thought: "A lasting change of language.",
        tool: TOOL_NAME,
        args: { language: "German" },
      },
      {
        user: "Call yourself Juno and keep it short.",
        thought: "Two lasting changes, which one call can store.",
        tool: TOOL_NAME,
        args: { agentName: "Juno", length: "short answers, a few sentences at most" },
      },
    ],
    tags: ["preferences", "personalisation"],
    category: "personalisation",
    visibility: "always",
    stability: "stable",
  },

  async getSharedState(env, context) {
    const stored = await loadPreferences(env.DATABASE, keyOf(context), context.logger);
    if (stored === undefined) return {};
    const agentName = agentNameOf(stored.preferences);
    return {
      promptSection: promptSection(stored.preferences),
      ...(agentName === undefined ? {} : { agentName }),
    };
  },

  getTools(env, context) {
    const { logger: log } = context;
    return [
      createPreferencesTool({
        save: (change) => mergePreferences(env.DATABASE, keyOf(context), change, Date.now(), log),
        log,
      }),
    ];
  },
};

function keyOf({ user, oracleDid }: RunContext): PreferencesKey {
  return { userDid: user.did, oracleDid };
}
