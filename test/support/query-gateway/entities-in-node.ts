/** The registry's real port over its tables in memory, as the query gateway uses it. */
import type { EntitySource } from "../../../platform/ports.ts";
import { createLogger } from "../../../platform/log.ts";
import type { DomainRecord } from "../../../workers/registry/domain/domain.ts";
import { createDomainDirectory } from "../../../workers/registry/port.ts";
import { registryInNode } from "../registry/registry-in-node.ts";

export interface EntitiesInNode extends EntitySource {
  /** Sets the number of the newest change of any domain. */
  moveTo(revision: number): void;
  /** Drops the registry's tables: every query to it fails. */
  breakDown(): void;
}

export function entitiesInNode(records: readonly DomainRecord[] = [], revision = 7): EntitiesInNode {
  const { d1, store } = registryInNode();
  const run = (text: string): void => void d1.prepare(text).run();
  const {
    isPublic,
    entity,
    entities,
    revision: newest,
    anonymous,
  } = createDomainDirectory({
    database: d1,
    clock: Date.now,
    log: createLogger({}, () => undefined),
  });

  function moveTo(seq: number): void {
    run("DELETE FROM changes");
    if (seq > 0) run(`INSERT INTO changes (seq, domain_id, version) VALUES (${seq}, 'did:ixo:entity:changed', 1)`);
  }

  for (const record of records) void store(record);
  moveTo(revision);
  return {
    isPublic,
    entity,
    entities,
    revision: newest,
    anonymous,
    moveTo,
    breakDown() {
      for (const table of ["changes", "domains"]) run(`DROP TABLE ${table}`);
    },
  };
}
