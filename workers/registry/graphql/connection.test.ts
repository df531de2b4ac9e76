/** Pages compared with slices of a sorted list in memory: any domains, any order, any position, over a real database. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { freeMeter } from "../../../test/support/registry/unlimited-meter.ts";
import { registryInNode } from "../../../test/support/registry/registry-in-node.ts";
import { anyDomains, domainId, domainRecord } from "../../../test/support/registry/domain-records.ts";
import { compareTexts, referenceFilter } from "../../../test/support/registry/reference-filter.ts";
import type { DomainRecord } from "../domain/domain.ts";
import { typeKeyOf } from "../domain/known-types.ts";
import { millisecondsOf } from "../domain/time.ts";
import { accessPaths } from "../lists/access-paths.ts";
import { entityFilterColumns } from "../lists/columns.ts";
import { cursorOf } from "../lists/cursor.ts";
import { keptCount } from "../lists/domain-counts.ts";
import { compileFilter, type FilterInput } from "../lists/filter/compile.ts";
import { entityOrders, orderingOf } from "../lists/order.ts";
import { STATEMENT_UNITS } from "../lists/row-budget.ts";
import { domainColumns } from "../store/domain-rows.ts";
import { createAnswerBudget } from "./answer-budget.ts";
import { openConnection } from "./connection.ts";
import { pageRequest, type PageArguments } from "./paging.ts";

const numRuns = Number(process.env["PROPERTY_RUNS"] ?? 100);
/** Milliseconds; thousands of runs take longer than the default timeout. */
const PATIENCE = 120_000;
const sizes = { usual: 10, greatest: 100 };
const registry = registryInNode();

interface Reading {
  readonly filter?: FilterInput;
  /** Units per row: a high number makes windows of few rows. */
  readonly units?: number;
}

function open(asked: PageArguments, orderBy: readonly string[] = [], { filter, units = 1 }: Reading = {}) {
  const ordering = orderingOf(orderBy);
  const cursor = cursorOf([orderBy, filter]);
  return openConnection({
    database: registry.d1,
    budget: createAnswerBudget(),
    meter: freeMeter(),
    kept: keptCount(filter, undefined),
    content: domainColumns,
    weight: { units, fixed: 0, jsonReads: 0 },
    paths: accessPaths(filter, undefined),
    ordering,
    cursor,
    page: pageRequest(asked, { ordering, cursor }, sizes),
    where: (bindings) => compileFilter(filter, entityFilterColumns, bindings),
  });
}

async function read(asked: PageArguments, orderBy: readonly string[] = [], reading: Reading = {}) {
  const connection = open(asked, orderBy, reading);
  const entries = await connection.entries();
  return {
    ids: entries.map(({ domain }) => domain.id),
    cursors: entries.map(({ cursor }) => cursor()),
    next: await connection.hasNextPage(),
    previous: await connection.hasPreviousPage(),
    total: await connection.totalCount(),
  };
}

async function store(domains: readonly DomainRecord[]): Promise<void> {
  await registry.clear();
  for (const domain of domains) await registry.store(domain);
}

const time = (text: string | null) => (text === null ? null : millisecondsOf(text));
const keys: Readonly<Record<string, (domain: DomainRecord) => string | number | null>> = {
  NATURAL: () => 0,
  PRIMARY_KEY: ({ id }) => id,
  ID: ({ id }) => id,
  TYPE: ({ type }) => typeKeyOf(type),
  NAME: ({ name }) => name,
  START_DATE: ({ validFrom }) => time(validFrom),
  END_DATE: ({ validUntil }) => time(validUntil),
  STATUS: ({ status }) => status,
  RELAYER_NODE: ({ relayerNode }) => relayerNode,
  ENTITY_VERIFIED: ({ verificationStatus }) => Number(verificationStatus === "Verified"),
  EXTERNAL_ID: ({ externalId }) => externalId,
  OWNER: ({ owner }) => owner,
  CREATED_AT: ({ createdAt }) => time(createdAt),
  UPDATED_AT: ({ updatedAt }) => time(updatedAt),
};

/** Nulls last in both directions; equal rows by id in the direction of the last term. */
function sorted(domains: readonly DomainRecord[], orderBy: readonly string[]): readonly string[] {
  const terms = [
    ...orderBy,
    orderBy.findLast((name) => name !== "NATURAL")?.endsWith("_DESC") === true ? "ID_DESC" : "ID_ASC",
  ];
  return domains
    .toSorted((one, other) => {
      for (const name of terms) {
        const key = keys[name.replace(/_(ASC|DESC)$/, "")];
        const [a, b] = [key?.(one) ?? null, key?.(other) ?? null];
        if (a === b) continue;
        if (a === null || b === null) return a === null ? 1 : -1;
        const order = typeof a === "string" ? compareTexts(a, String(b)) : a - Number(b);
        if (order !== 0) return name.endsWith("_DESC") ? -order : order;
      }
      return 0;
    })
    .map(({ id }) => id);
}

const anyOrder = fc.array(fc.constantFrom(...entityOrders), { maxLength: 3 });
/** No filter, and filters that an index answers fully, in part, or not at all. */
const anyFilter: fc.Arbitrary<FilterInput> = fc.constantFrom<FilterInput>(
  {},
  { type: { equalTo: "project" } },
  { type: { equalTo: "PROJECT" }, status: { notEqualTo: "deactivated" } },
  { owner: { in: ["did:key:owner", "did:key:other"] } },
  { controller: { anyEqualTo: "did:key:controller" } },
  { not: { type: { in: ["organisation"] } } },
  { name: { startsWith: "b" } },
  { verificationStatus: { in: ["Verified", "rejected"] }, status: { notEqualTo: "suspended" } },
);
/** Rows of a window: many, two, one. */
const anyUnits = fc.constantFrom(1, STATEMENT_UNITS / 2, STATEMENT_UNITS);
const base64 = (position: number) => btoa(`arrayconnection:${position}`);

test(
  "any page equals the slice between its ends, and reports whether there is more on each side",
  () =>
    fc.assert(
      fc.asyncProperty(
        anyDomains(7),
        anyOrder,
        fc.record({ filter: anyFilter, units: anyUnits }),
        fc.record({
          size: fc.integer({ min: 0, max: 8 }),
          backwards: fc.boolean(),
          after: fc.option(fc.nat({ max: 8 })),
          before: fc.option(fc.nat({ max: 8 })),
          byPosition: fc.boolean(),
        }),
        async (domains, orderBy, reading, { size, backwards, after, before, byPosition }) => {
          await store(domains);
          const matching = domains.filter((domain) => referenceFilter(domain, reading.filter) === true);
          const all = sorted(matching, orderBy);
          // Without an index for the order, more rows than a statement may sort are refused.
          const hasIndex =
            orderBy.filter((name) => name !== "NATURAL").length <= 1 &&
            !/RELAYER|EXTERNAL|VERIFIED/.test(orderBy.join());
          fc.pre(reading.units === 1 || hasIndex);
          const { cursors } = await read({ first: 100 }, orderBy, reading);
          expect(cursors).toHaveLength(all.length);
          const cursorAt = (position: number | null) =>
            position === null ? null : byPosition ? base64(position) : cursors[position];
          fc.pre(byPosition || [after, before].every((place) => place === null || place < all.length));

          const from = after === null ? 0 : after + 1;
          const to = Math.max(from, Math.min(before ?? all.length, all.length));
          const window = all.slice(from, to);
          const expected = backwards ? window.slice(Math.max(0, window.length - size)) : window.slice(0, size);
          const page = await read(
            {
              ...(backwards ? { last: size } : { first: size }),
              after: cursorAt(after) ?? null,
              before: cursorAt(before) ?? null,
            },
            orderBy,
            reading,
          );
          expect(page.ids).toEqual(expected);
          expect(page.total).toBe(all.length);
          const [first, last] = [expected.at(0), expected.at(-1)];
          // Around an empty page any values are allowed.
          const previous = first === undefined ? page.previous : all.indexOf(first) > 0;
          const next = last === undefined ? page.next : all.indexOf(last) < all.length - 1;
          expect([page.previous, page.next]).toEqual([previous, next]);
        },
      ),
      { numRuns },
    ),
  PATIENCE,
);

describe("forty domains", () => {
  const ids = Array.from({ length: 40 }, (_, at) => domainId(at));
  const storeForty = () => store(ids.map((_, at) => domainRecord(at)));

  test("a walk meets each domain once, even if others are added and removed during it", async () => {
    await storeForty();
    const met: string[] = [];
    let after: string | null = null;
    for (let page = 0; page < 5; page += 1) {
      const { ids: some, cursors } = await read({ first: 10, after }, ["CREATED_AT_DESC"]);
      met.push(...some);
      after = cursors.at(-1) ?? after;
      await registry.store(domainRecord(100 + page));
    }
    expect(met).toEqual(ids.toReversed());
  });

  test("reads only selected fields", async () => {
    await storeForty();
    registry.texts.length = 0;
    const connection = open({ first: 1 });
    expect(registry.texts).toEqual([]);
    await Promise.all([connection.totalCount(), connection.totalCount()]);
    expect(registry.texts).toHaveLength(1);
    await Promise.all([connection.entries(), connection.entries(), connection.hasNextPage()]);
    expect(registry.texts).toHaveLength(2);
  });
});
