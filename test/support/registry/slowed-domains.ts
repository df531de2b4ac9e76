/**
 * The real domain registry in the phone gateway's view. A test stores domains in the registry's own tables, and makes the registry
 * slow or unreachable by wrapping the real port, at the seam of platform/ports.ts. The database's executed statements show what was
 * requested.
 */
import type { Database } from "../../../platform/database/database.ts";
import { fail } from "../../../platform/failure.ts";
import type { DomainDirectory } from "../../../platform/ports.ts";
import type { Result } from "../../../platform/result.ts";
import type { DomainRecord } from "../../../workers/registry/domain/domain.ts";
import { stepStatements } from "../../../workers/registry/store/domain-steps.ts";
import { domainRecord } from "./domain-records.ts";

export interface SlowedDomains {
  readonly directory: DomainDirectory;
  isDown: boolean;
  /** Withholds every answer until the returned function is called. */
  hold(): () => void;
}

export function slowedDomains(real: DomainDirectory): SlowedDomains {
  let held: Promise<void> = Promise.resolve();
  const state: Omit<SlowedDomains, "directory"> = {
    isDown: false,
    hold() {
      const { promise, resolve } = Promise.withResolvers<void>();
      held = promise;
      return resolve;
    },
  };

  async function answer<Value>(ask: () => Promise<Result<Value>>): Promise<Result<Value>> {
    await held;
    return state.isDown ? fail("unavailable", "The registry cannot be reached") : ask();
  }

  const directory: DomainDirectory = {
    get: (id, askers) => answer(() => real.get(id, askers)),
    document: (id) => answer(() => real.document(id)),
    listByControllers: (controllers, limit) => answer(() => real.listByControllers(controllers, limit)),
    findBySuffix: (suffix, limit, askers) => answer(() => real.findBySuffix(suffix, limit, askers)),
    search: (text, limit) => answer(() => real.search(text, limit)),
    page: (limit, cursor) => answer(() => real.page(limit, cursor)),
    count: () => answer(() => real.count()),
    revision: () => answer(() => real.revision()),
  };
  return Object.assign(state, { directory });
}

/** A verified stove whose id ends in the six digits. */
export function domainEnding(digits: string, controllers: readonly string[] = ["did:key:nobody"]): DomainRecord {
  return domainRecord(0, {
    id: `did:ixo:entity:${digits.padStart(32, "0")}`,
    type: "project",
    verificationStatus: "Verified",
    name: `Stove ${digits}`,
    metadata: { name: `Stove ${digits}` },
    validUntil: "2027-01-01T00:00:00Z",
    controllers,
  });
}

/** The tables that storing a domain writes to. */
export const domainTables = ["domains", "domain_controllers", "domain_history", "domain_search", "changes"];

/** Replaces the registry's domains with these. */
export async function replaceDomains(database: Database, records: readonly DomainRecord[]): Promise<void> {
  await database.batch([
    ...domainTables.map((table) => database.prepare(`DELETE FROM ${table}`)),
    ...records.flatMap((after) => {
      const step = { before: undefined, after, action: "created", actor: "system" } as const;
      return stepStatements(database, step);
    }),
  ]);
}
