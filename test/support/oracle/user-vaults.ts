/** User vaults inside workerd, at a clock of the year 2100. */
import type { Delegation } from "../../../oracle/framework/delegation.ts";
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import type { SessionRecord } from "../../../protocol/records.ts";

/** So far ahead that no alarm runs automatically: the runtime uses its own clock. */
export const START = Date.UTC(2100, 0, 1);

export const NOW_SECONDS = START / 1000;
export const RATE = 120;

export function vault() {
  return env.USER_VAULT.getByName(`did:key:${crypto.randomUUID()}`);
}

export function tablesOf(stub: ReturnType<typeof vault>): Promise<number> {
  return runInDurableObject(stub, (_object, state) => {
    return state.storage.sql.exec("SELECT 1 FROM sqlite_master WHERE name NOT LIKE '\\_cf\\_%' ESCAPE '\\'").toArray()
      .length;
  });
}

export function record(sessionId: string, updatedSecond: number): SessionRecord {
  return {
    sessionId,
    title: "Untitled",
    createdAt: new Date(START).toISOString(),
    lastUpdatedAt: new Date(START + updatedSecond * 1000).toISOString(),
    oracleName: "Oracle",
    oracleDid: "did:ixo:oracle",
    oracleEntityDid: "did:ixo:entity:oracle",
  };
}

export function delegation(change: Partial<Delegation> = {}): Delegation {
  return {
    token: "b64",
    expiration: NOW_SECONDS + 60,
    capabilities: [{ can: "memory/*", with: "ixo:memory" }],
    ...change,
  };
}

/** Requests that arrive together are written together: a moment later, or earlier if the alarm fires. */
export async function journalled(stub: ReturnType<typeof vault>): Promise<void> {
  await runInDurableObject(stub, (object) => object.alarm());
}
