/** What `GET /user-preferences` answers (contract/oracle.md section 9); the route around it is the oracle surface's. */
import type { JsonObject } from "../../../platform/json.ts";
import { createLogger, type Logger } from "../../../platform/log.ts";
import { describeStored, loadPreferences } from "./store.ts";

/** Only the set fields, with `updatedAt` (ISO 8601); `{}` when none is set. Throws when the database is unreachable. */
export async function readPreferences(
  env: Pick<Env, "DATABASE">,
  userDid: string,
  oracleDid: string,
  log: Logger = createLogger({ surface: "oracle", plugin: "user-preferences" }),
): Promise<JsonObject> {
  return describeStored(await loadPreferences(env.DATABASE, { userDid, oracleDid }, log));
}
