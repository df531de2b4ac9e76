/**
 * The plugin user-preferences, on by default: loads the user's preferences for answers at the start of each run, gives the model a
 * tool to change them, and serves them at `GET /user-preferences`.
 */
import { databaseOf } from "../../../platform/database/database-of.ts";
import { isDatabaseFull } from "../../../platform/database/database-size.ts";
import * as z from "zod";
import type { RequestContext } from "../../framework/context.ts";
import { defineOraclePlugin } from "../../framework/plugin.ts";
import type { PluginRoute } from "../../framework/plugin-routes.ts";
import type { PluginKv } from "../../framework/storage.ts";
import type { PluginTool } from "../../framework/tools.ts";
import { preferencesRecord } from "../../../protocol/records.ts";
import { type Logger, describeThrown } from "../../../platform/log.ts";
import {
  type Preferences,
  type PreferencesKey,
  type StoredPreferences,
  agentNameOf,
  changeJsonSchema,
  describeStored,
  erasePreferences,
  loadPreferences,
  mergePreferences,
  parseChange,
  promptSection,
  usersWithPreferences,
} from "./preferences.ts";

const TOOL_NAME = "set_user_preferences";

const DESCRIPTION = [
  "Stores how the user wants you to respond, for this and every later conversation.",
  "Call it when the user asks for a lasting change in how you answer: what to call you or them, language, tone, length, format, formality, or anything else that should apply from now on.",
  'Give only the fields that change; the others stay as they are. An empty string ("") removes a field.',
  "Write self-contained, specific text that makes sense without this conversation. When in doubt, take the more specific reading.",
  "customInstructions is replaced as a whole: repeat the parts of the existing text that still apply, and add to them.",
  "userName is a form of address: set it only when the user asks to be addressed so, not when they merely say who they are.",
  "The change takes effect from the next message; say so if it matters.",
  "Do not call it for facts about the user, such as where they live or what they do, and not for formatting wanted in one answer only: just answer that way.",
].join("\n");

export interface PreferencesToolOptions {
  /** Merges the change into the stored preferences and returns all of them; may throw. */
  readonly save: (change: Preferences) => Promise<StoredPreferences>;
  readonly log: Logger;
}

/**
 * The output is a text, `Preferences saved: <JSON>` or `[Preferences not saved: <reason>]`: the model can always act on it or
 * report it to the user.
 */
export function createPreferencesTool({ save, log }: PreferencesToolOptions): PluginTool {
  const notSaved = (reason: string): string => `[Preferences not saved: ${reason}]`;
  return {
    name: TOOL_NAME,
    description: DESCRIPTION,
    // The complete schema guides the model, but validation accepts everything: refusals are worded here.
    schema: z.looseObject({}).meta(changeJsonSchema),
    needsApproval: "foreign-text",
    async handler(args) {
      const change = parseChange(args);
      if (!change.ok) return notSaved(change.error);
      try {
        return `Preferences saved: ${JSON.stringify(describeStored(await save(change.value)))}`;
      } catch (thrown) {
        log.error("preferences-save-failed", { plugin: "user-preferences", reason: describeThrown(thrown) });
        return notSaved(
          isDatabaseFull(thrown)
            ? "the database of this service is full; earlier preferences still apply"
            : "the preferences cannot be stored at the moment",
        );
      }
    },
  };
}

const readRoute: PluginRoute = {
  method: "get",
  path: "/user-preferences",
  id: "readUserPreferences",
  summary: "Get the user's preferences",
  description: "Set by the user in conversation; `{}` when nothing is set.",
  tag: "Preferences",
  responses: {
    200: {
      description: "Only the fields that are set",
      schema: preferencesRecord,
      example: { agentName: "Juno", language: "German", updatedAt: "2026-11-21T09:00:00.000Z" },
    },
  },
  async handler(_request, { env, user, identity, logger }) {
    // There is no caller, and therefore no preferences, only if an operator excludes the route from authentication.
    if (user === undefined) return Response.json({});
    const stored = await loadPreferences(databaseOf(env), { userDid: user.did, oracleDid: identity.did }, logger);
    return Response.json(describeStored(stored));
  },
};

export const userPreferences = defineOraclePlugin({
  name: "user-preferences",
  version: "1.0.0",
  manifest: {
    title: "User preferences",
    summary: "How the user wants to be answered, in this and every later conversation.",
    whenToUse: ["the user asks for a lasting change in how you answer"],
    whenNotToUse: ["facts about the user", "formatting wanted in one answer only"],
    examples: [
      { user: "Call me Ada.", tool: "set_user_preferences", args: { userName: "Ada" } },
      { user: "Always answer in Kiswahili.", tool: "set_user_preferences", args: { language: "Kiswahili" } },
    ],
    visibility: "always",
  },
  requires: ["database"],

  async getSharedState(context) {
    if (!context.user.isPersonal) return {};
    const stored = await context.remembered("preferences", () =>
      loadPreferences(databaseOf(context.env), keyOf(context), context.logger),
    );
    if (stored === undefined) return {};
    const agentName = agentNameOf(stored.preferences);
    return {
      promptSection: promptSection(stored.preferences),
      ...(agentName === undefined ? {} : { agentName }),
    };
  },

  getTools(context) {
    const { env, kv, user, logger: log } = context;
    if (!user.isPersonal) return [];
    const save = async (change: Preferences): Promise<StoredPreferences> => {
      const stored = await mergePreferences(databaseOf(env), keyOf(context), change, Date.now(), log);
      await tellSessions(kv, stored.updatedAt, log);
      return stored;
    };
    return [createPreferencesTool({ save, log })];
  },

  async userErased(userDid, { env, identity }) {
    await erasePreferences(databaseOf(env), { userDid, oracleDid: identity.did });
    return [];
  },

  storedUsers: (after, { env }) => usersWithPreferences(databaseOf(env), after),

  async *exportUser(userDid, { env, identity, logger }) {
    yield describeStored(await loadPreferences(databaseOf(env), { userDid, oracleDid: identity.did }, logger));
  },

  getRoutes: () => [readRoute],
});

/** A write to `kv` invalidates other sessions' cached preferences. Without it, they would expire within a minute. */
async function tellSessions(kv: PluginKv, updatedAt: string, log: Logger): Promise<void> {
  try {
    await kv.set("changed-at", updatedAt);
  } catch (thrown) {
    log.warn("preferences-seen-late", { plugin: "user-preferences", reason: describeThrown(thrown) });
  }
}

function keyOf({ user, identity }: RequestContext): PreferencesKey {
  return { userDid: user.did, oracleDid: identity.did };
}
