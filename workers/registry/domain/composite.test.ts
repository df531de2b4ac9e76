/** Merging along a chain of classes, compared with a slow reference implementation. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { ANCESTORS, classChain, compositeDocument } from "./composite.ts";
import { createDomain } from "./creation.ts";
import type { DomainRecord } from "./domain.ts";

const numRuns = Number(process.env["PROPERTY_RUNS"] ?? 100);

const birth = { id: `did:ixo:entity:${"0".repeat(32)}`, creator: "did:a:b", at: 0, relayerNode: undefined };
const made = await createDomain({ type: "t", class: "did:a:b" }, birth);
if (!made.ok) throw new Error(made.error.message);
const blank = made.value.after;

const domain = (at: number, classOf: number, entities: readonly object[] = []): DomainRecord => ({
  ...blank,
  id: `did:x:${at}`,
  class: `did:x:${classOf}`,
  document: { ...blank.document, linkedEntity: entities as DomainRecord["document"]["linkedEntity"] },
});

test("following classes ends at an unknown class, at a domain met before, or after 20 [RG-59]", () => {
  const graph = fc.array(fc.nat({ max: 40 }), { minLength: 1, maxLength: 40 });
  fc.assert(
    fc.property(graph, (classes) => {
      const domains = classes.map((classOf, at) => domain(at, classOf));
      const stored = new Map(domains.map((each) => [each.id, each]));
      const [start = blank] = domains;
      const { domains: ancestors, inheritance, truncated, cycle } = classChain(start, stored);
      // Slow reference: follow the classes one by one and compare with all earlier ones.
      const walked = [start.id];
      for (;;) {
        const next: string = stored.get(walked.at(-1) ?? "")?.class ?? "";
        if (!stored.has(next) || walked.includes(next) || walked.length > ANCESTORS) break;
        walked.push(next);
      }
      expect(ancestors.map(({ id }) => id)).toEqual(walked.slice(1));
      const end = ancestors.at(-1)?.class ?? start.class;
      expect(cycle).toBe(walked.includes(end));
      expect(truncated).toBe(!cycle && stored.has(end));
      expect(inheritance.filter(({ found }) => !found)).toHaveLength(stored.has(end) ? 0 : 1);
    }),
    { numRuns },
  );
});

test("of items with one name, the nearest is kept; items without a name are all kept [RG-57]", () => {
  const entity = fc.record({
    id: fc.constantFrom("", "#a", "did:x:9#a", "b", "#b", "c#"),
    type: fc.constantFrom("t", "u"),
  });
  fc.assert(
    fc.property(fc.array(fc.array(entity, { maxLength: 4 }), { minLength: 1, maxLength: 4 }), (levels) => {
      const [own = blank, ...ancestors] = levels.map((entities, at) => domain(at, at + 1, entities));
      const { linkedEntity } = compositeDocument(own, ancestors) as unknown as {
        linkedEntity: readonly { id: string; type: string; inheritedFrom?: string }[];
      };
      const key = (id: string): string => (id.includes("#") ? id.slice(id.indexOf("#") + 1) : id);
      const keys = linkedEntity.map(({ id }) => key(id)).filter((each) => each !== "");
      expect(new Set(keys).size).toBe(keys.length);
      const all = levels.flatMap((entities, level) => entities.map((each) => ({ ...each, level })));
      for (const wanted of new Set(all.map(({ id }) => key(id)))) {
        const candidates = all.filter(({ id }) => key(id) === wanted);
        const kept = linkedEntity.filter(({ id }) => key(id) === wanted);
        expect(kept).toHaveLength(wanted === "" ? candidates.length : 1);
        const [nearest] = candidates;
        expect(kept[0]).toMatchObject({ id: nearest?.id, type: nearest?.type });
        expect(kept[0]?.inheritedFrom).toBe(nearest?.level === 0 ? undefined : `did:x:${nearest?.level}`);
      }
    }),
    { numRuns },
  );
});
