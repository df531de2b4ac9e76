/**
 * The real domain registry as the phone gateway asks it. A test stores domains in the registry's own tables, and makes the
 * registry slow or unreachable: that wraps the real port, at the seam of platform/ports.ts. What was asked shows in
 * the statements that the database ran.
 */
import { fail } from "../../../platform/failure.ts";
import type { DomainDirectory } from "../../../platform/ports.ts";
import type { Result } from "../../../platform/result.ts";
import type { DomainRecord } from "../../../workers/registry/domain/domain.ts";
import { millisecondsOf } from "../../../workers/registry/domain/time.ts";
import { stepStatements } from "../../../workers/registry/store/domain-steps.ts";
import { domainRecord } from "./domain-records.ts";

export interface SlowedDomains {
  readonly directory: DomainDirectory;
  isDown: boolean;
  /** Holds every answer back until it is called off. */
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

/** Those that storing a domain writes to. */
export const domainTables = ["domains", "domain_controllers", "domain_history", "domain_search", "changes"];

/** These are the registry's domains now, in place of those that it had. */
export async function replaceDomains(database: D1Database, records: readonly DomainRecord[]): Promise<void> {
  await database.batch([
    ...domainTables.map((table) => database.prepare(`DELETE FROM ${table}`)),
    ...records.flatMap((after) => {
      const step = { before: undefined, after, action: "created", actor: "system" } as const;
      return stepStatements(database, step, millisecondsOf(after.createdAt));
    }),
  ]);
}
