/** The registry's real port over its tables in memory, as the query gateway asks it. */
import type { EntitySource } from "../../../platform/ports.ts";
import { createLogger } from "../../../platform/log.ts";
import type { DomainRecord } from "../../../workers/registry/domain/domain.ts";
import { createDomainDirectory } from "../../../workers/registry/port.ts";
import { registryInNode } from "../registry/registry-in-node.ts";

export interface EntitiesInNode extends EntitySource {
  /** The number of the newest change, of whatever domain, is this from here on. */
  moveTo(revision: number): void;
  /** The registry's tables are gone: every question to it fails. */
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

  for (const record of records) store(record);
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
