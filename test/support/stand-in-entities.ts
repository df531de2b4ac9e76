/** Entities in memory behind the registry's port, sorted by id as the registry has them; `asked` tells what was read. */
import type { DomainEntity, EntitySource } from "../../workers/platform/ports.ts";
import { success } from "../../workers/platform/result.ts";

export interface StandInEntities extends EntitySource {
  readonly asked: string[];
  /** A test moves it. */
  state: { revision: number };
}

export function standInEntities(entities: readonly DomainEntity[] = [], revision = 7): StandInEntities {
  const sorted = entities.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const asked: string[] = [];
  const state = { revision };
  const at = <Value>(value: Value) => success({ value, revision: state.revision });
  return {
    asked,
    state,
    async entity(id) {
      asked.push(id);
      return at(sorted.find((each) => each.id === id));
    },
    async entities({ from, offset, limit, reverse, count }) {
      asked.push(`page ${from ?? ""} ${offset} ${limit} ${reverse} ${count}`);
      const ordered = reverse ? sorted.toReversed() : sorted;
      const isIn = ({ id }: DomainEntity) => from === undefined || (reverse ? id <= from : id >= from);
      const rest = ordered.filter(isIn).slice(offset);
      const next = rest[limit]?.id;
      return at({
        entities: rest.slice(0, limit),
        ...(next !== undefined && { next }),
        ...(count && { total: sorted.length }),
      });
    },
    revision: async () => success(state.revision),
  };
}

export function entityWith(more: Partial<DomainEntity>): DomainEntity {
  const time = "2026-01-02T03:04:05.000Z";
  return {
    id: "did:ixo:entity:a",
    type: "asset",
    class: "did:ixo:protocol",
    status: "active",
    isVerified: false,
    validFrom: null,
    validUntil: null,
    controllers: [],
    relayerNode: null,
    credentials: [],
    accounts: [],
    items: {},
    texts: {},
    versionId: "v",
    createdAt: time,
    updatedAt: time,
    ...more,
  };
}
