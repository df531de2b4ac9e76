/** The oracle's users for another surface of this Worker, which has established who they are. */
import type { OracleUsers } from "../../../platform/ports.ts";
import { requestErasure, type EraseParts } from "./erase-user.ts";
import { recordsOf } from "./user-copy.ts";

export function oracleUsers(parts: EraseParts): OracleUsers {
  return {
    async erase(did) {
      const outcome = await requestErasure(parts, did);
      return outcome.state === "erased" ? outcome.kept : undefined;
    },
    records: (did) => recordsOf(parts, did),
  };
}
