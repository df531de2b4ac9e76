/** The plugin user-preferences with its route (contract/oracle.md section 9): what the oracle's app loads. */
import { signedInRefusals } from "../../description.ts";
import { preferencesRecord } from "../../../../protocol/records.ts";
import type { OracleSurfacePlugin, PluginRoute } from "../route-plugin.ts";
import { userPreferences } from "./plugin.ts";
import { readPreferences } from "./routes.ts";

const readRoute: PluginRoute = {
  operation: {
    method: "get",
    path: "/user-preferences",
    id: "readUserPreferences",
    summary: "Read how the user wants to be answered",
    description: "Set by the user in conversation; `{}` when nothing is set.",
    tag: "Preferences",
    responses: {
      200: {
        description: "Only the fields that are set",
        content: {
          schema: preferencesRecord,
          example: { agentName: "Juno", language: "German", updatedAt: "2026-11-21T09:00:00.000Z" },
        },
      },
      ...signedInRefusals(),
    },
  },
  async handle({ env, caller, oracleDid, log }) {
    // Open to everybody only if an operator excludes the route from authentication: then there is nobody to tell of.
    if (caller === undefined) return Response.json({});
    return Response.json(await readPreferences(env, caller.did, oracleDid, log));
  },
};

export const userPreferencesSurface: OracleSurfacePlugin = { ...userPreferences, getRoutes: () => [readRoute] };
