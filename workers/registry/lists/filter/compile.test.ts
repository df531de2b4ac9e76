/**
 * The filter compiler compared with a slow evaluation in memory, over a real database: every operator, hostile texts,
 * null logic.
 */
import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { registryInNode } from "../../../../test/support/registry/registry-in-node.ts";
import {
  anyDomain,
  anyDomains,
  anyJson,
  anyText,
  domainId,
  domainRecord,
  hostileTexts,
  someDid,
  someTime,
  someType,
  storedText,
} from "../../../../test/support/registry/domain-records.ts";
import { isPostgres } from "../../../../test/support/storage/engine.ts";
import { referenceFilter } from "../../../../test/support/registry/reference-filter.ts";
import { entityFilterColumns, iidFilterColumns, type Column } from "../columns.ts";
import { createBindings, PARAMETERS } from "../../store/sql.ts";
import { millisecondsOf } from "../../domain/time.ts";
import { numberOperators } from "./comparison.ts";
import { compileCondition, compileFilter, FILTER_DEPTH, FILTER_OPERATORS, type FilterInput } from "./compile.ts";
import { CONTAINS_DEPTH, CONTAINS_LEAVES, jsonOperators } from "./json.ts";
import { GLOB_BYTES, textOperators } from "./text.ts";
import { textListOperators } from "./text-list.ts";

const numRuns = Number(process.env["PROPERTY_RUNS"] ?? 100);
/** Milliseconds; thousands of runs take longer than the default timeout. */
const PATIENCE = 120_000;
const registry = registryInNode();

async function judge(filter: FilterInput | null): Promise<ReadonlyMap<string, boolean | null>> {
  const bindings = createBindings();
  return registry.judge(compileFilter(filter, entityFilterColumns, bindings), bindings.values);
}

async function matches(filter: FilterInput | null): Promise<readonly string[]> {
  return [...(await judge(filter))].filter(([, holds]) => holds === true).map(([id]) => id);
}

/**
 * Operands of text operators: values that columns contain, and texts with a meaning elsewhere. GLOB takes few bytes.
 */
const needle = fc
  .oneof(
    anyText,
    storedText,
    someDid,
    someType,
    fc.constantFrom("ACTIVE", "Suspended", "verified", "UnderVote", domainId(0)),
  )
  .map((text) => text.slice(0, GLOB_BYTES / 4));
const needles = fc.array(needle, { maxLength: 3 });
const oneOperator = (operators: readonly string[], operand: fc.Arbitrary<unknown>) =>
  fc.tuple(fc.constantFrom(...operators), operand).map(([operator, value]) => ({ [operator]: value }));
const isNull = fc.boolean().map((wanted) => ({ isNull: wanted }));
const numbers = (operand: fc.Arbitrary<unknown>) =>
  fc.oneof(
    oneOperator(numberOperators.single, operand),
    oneOperator(numberOperators.list, fc.array(operand, { maxLength: 3 })),
    isNull,
  );

const operatorsOn: Readonly<Record<Column["kind"], fc.Arbitrary<object>>> = {
  text: fc.oneof(oneOperator(textOperators.text, needle), oneOperator(textOperators.list, needles), isNull),
  integer: numbers(fc.integer({ min: -1, max: 4 })),
  time: numbers(someTime.map(millisecondsOf)),
  boolean: numbers(fc.boolean()),
  json: fc.oneof(
    oneOperator(jsonOperators.value, anyJson),
    oneOperator(jsonOperators.list, fc.array(anyJson, { maxLength: 3 })),
    oneOperator(jsonOperators.name, anyText),
    oneOperator(jsonOperators.names, fc.array(anyText, { maxLength: 3 })),
  ),
  "text-list": fc.oneof(
    oneOperator(textListOperators.list, fc.array(fc.oneof(someDid, anyText), { maxLength: 3 })),
    oneOperator(textListOperators.text, fc.oneof(someDid, anyText)),
  ),
};

const columnFilters = (columns: Readonly<Record<string, Column>>) =>
  Object.entries(columns).map(([name, { kind }]) =>
    operatorsOn[kind].map((operator): FilterInput => ({ [name]: operator })),
  );

const anyFilter = fc.letrec<{ filter: FilterInput }>((tie) => ({
  filter: fc.oneof(
    { maxDepth: 3, depthSize: "small" },
    ...columnFilters(entityFilterColumns),
    fc.oneof(...columnFilters(iidFilterColumns)).map((iidById): FilterInput => ({ iidById })),
    fc.constantFrom<FilterInput>({}, { name: {} }, { name: { equalTo: null } }, { and: [] }, { or: [] }, { not: {} }),
    fc.array(tie("filter"), { maxLength: 3 }).map((and): FilterInput => ({ and })),
    fc.array(tie("filter"), { maxLength: 3 }).map((or): FilterInput => ({ or })),
    tie("filter").map((not): FilterInput => ({ not })),
    fc.tuple(tie("filter"), tie("filter")).map(([one, other]): FilterInput => ({ ...one, ...other })),
  ),
})).filter;

test(
  "any filter on any domains gives the result of an evaluation in memory [RG-118]",
  async () => {
    await fc.assert(
      fc.asyncProperty(
        anyDomains(4),
        fc.array(anyFilter, { minLength: 5, maxLength: 10 }),
        async (domains, filters) => {
          await registry.clear();
          for (const domain of domains) await registry.store(domain);
          for (const filter of filters) {
            const judged = await judge(filter);
            for (const domain of domains) {
              const expected = referenceFilter(domain, filter);
              expect(judged.get(domain.id), JSON.stringify({ filter, domain })).toBe(expected);
            }
          }
        },
      ),
      { numRuns },
    );
  },
  PATIENCE,
);

test(
  "contains matches content of a domain, and requires all of its parts",
  async () => {
    await fc.assert(
      fc.asyncProperty(anyDomain(0), anyJson, async (domain, other) => {
        await registry.clear();
        await registry.store(domain);
        expect(await matches({ metadata: { equalTo: domain.metadata } })).toEqual([domain.id]);
        const filter = { metadata: { contains: other } };
        expect((await judge(filter)).get(domain.id)).toBe(referenceFilter(domain, filter));
      }),
      { numRuns },
    );
  },
  PATIENCE,
);

describe("hostile texts", () => {
  const domains = hostileTexts.map((text, at) =>
    domainRecord(at, {
      externalId: text.replaceAll("\0", ""),
      metadata: { [text]: text, list: [text] },
      credentials: [{ id: text, type: "x", status: "active" }],
    }),
  );
  beforeAll(async () => {
    await registry.clear();
    for (const domain of domains) await registry.store(domain);
  });
  /** Domains for which the database and memory disagree, with the filter. */
  async function disputed(filters: readonly FilterInput[]) {
    const found: object[] = [];
    for (const filter of filters) {
      const judged = await judge(filter);
      const others = domains.filter((domain) => judged.get(domain.id) !== referenceFilter(domain, filter));
      found.push(...others.map(({ externalId }) => ({ filter, externalId })));
    }
    return found;
  }

  test.each(textOperators.text)("as data in %s", async (operator) => {
    // U+0000 comes last on PostgreSQL (docs/decisions/019-databases.md), and no stored text contains it.
    const isOrder = /^(?:less|greater)Than/.test(operator);
    const texts = hostileTexts.filter((text) => !(isPostgres && isOrder && text.includes("\0")));
    expect(await disputed(texts.map((text) => ({ externalId: { [operator]: text } })))).toEqual([]);
  });

  test.each(textOperators.list)("as data in %s", async (operator) => {
    expect(await disputed(hostileTexts.map((text) => ({ externalId: { [operator]: [text, "a"] } })))).toEqual([]);
  });

  test.each([...jsonOperators.value, ...jsonOperators.list, ...jsonOperators.name, ...jsonOperators.names])(
    "as data in JSON %s",
    async (operator) => {
      const isList = [...jsonOperators.list, ...jsonOperators.names].some((each) => each === operator);
      const filters = hostileTexts.flatMap((text) =>
        (operator.includes("Key") ? [text] : [text, [text], { [text]: text }, { list: [text] }]).map((operand) => ({
          metadata: { [operator]: isList ? [operand] : operand },
        })),
      );
      expect(await disputed(filters)).toEqual([]);
    },
  );

  test.each([...textListOperators.list, ...textListOperators.text])("as data in lists, %s", async (operator) => {
    const operands = hostileTexts.map((text) => (operator.startsWith("any") ? text : [text]));
    expect(await disputed(operands.map((operand) => ({ credentialIds: { [operator]: operand } })))).toEqual([]);
  });
});

test("type, status and verification status are compared by their folded values [RG-119]", async () => {
  await registry.clear();
  await registry.store(domainRecord(0, { type: "Organization", verificationStatus: "UnderVote", status: "suspended" }));
  await registry.store(domainRecord(1, { type: "protocol" }));
  expect(await matches({ type: { equalTo: "ORGANISATION" } })).toEqual([domainId(0)]);
  expect(await matches({ type: { notIn: ["organization"] } })).toEqual([domainId(1)]);
  expect(await matches({ status: { in: ["SUSPENDED"] }, statusCode: { equalTo: 1 } })).toEqual([domainId(0)]);
  expect(await matches({ verificationStatus: { equalTo: "UNDERVOTE" } })).toEqual([domainId(0)]);
  expect(await matches({ verificationStatus: { startsWith: "Under" } })).toEqual([domainId(0)]);
});

test("a condition is an equality, and an explicit null means IS NULL", async () => {
  await registry.clear();
  await registry.store(domainRecord(0, { externalId: "x", relayerNode: "did:a:1" }));
  await registry.store(domainRecord(1, { externalId: "x" }));
  const holding = async (condition: FilterInput) => {
    const bindings = createBindings();
    return [...(await registry.judge(compileCondition(condition, bindings), bindings.values))]
      .filter(([, holds]) => holds === true)
      .map(([id]) => id);
  };
  expect(await holding({ externalId: "x" })).toEqual([domainId(0), domainId(1)]);
  expect(await holding({ externalId: "x", relayerNode: null })).toEqual([domainId(1)]);
  expect(await holding({ relayerNode: "did:a:1", type: "PROJECT", entityVerified: false })).toEqual([domainId(0)]);
  expect(await holding({})).toEqual([domainId(0), domainId(1)]);
});

test("like accepts patterns of any length without _, and refuses a long pattern with _", async () => {
  await registry.clear();
  const metadata = { name: `${"x".repeat(60)}middle${"y".repeat(60)}end` };
  await registry.store(domainRecord(0, { metadata }));
  expect(await matches({ name: { like: `${"x".repeat(60)}%y${"y".repeat(59)}%d` } })).toEqual([domainId(0)]);
  expect(await matches({ name: { like: `%middle%middle%` } })).toEqual([]);
  // Prefix and suffix must not overlap.
  expect(await matches({ name: { like: `${metadata.name}%end` } })).toEqual([]);
  expect(await matches({ name: { like: `${"x".repeat(GLOB_BYTES - 2)}_%` } })).toEqual([domainId(0)]);
  await expect(matches({ name: { like: `${"x".repeat(GLOB_BYTES - 1)}_%` } })).rejects.toThrow(/at most 50 bytes/);
});

describe("limits [RG-125]", () => {
  const comparisons = (count: number) => ({ or: Array.from({ length: count }, () => ({ name: { equalTo: "x" } })) });
  const nested = (levels: number): FilterInput =>
    levels === 1 ? { name: { equalTo: "x" } } : { not: nested(levels - 1) };
  const different = (count: number) => ({
    metadata: { containsKey: "x" },
    and: Array.from({ length: count }, (_, at) => ({ name: { in: [`${at}`], notIn: [`not ${at}`] } })),
  });
  const chain = (levels: number): unknown => (levels === 0 ? 1 : { a: chain(levels - 1) });
  const leaves = (count: number) => ({
    metadata: { contains: { list: Array.from({ length: count }, (_, at) => at) } },
  });

  test("on operators", async () => {
    expect(await matches(comparisons(FILTER_OPERATORS))).toEqual([]);
    await expect(matches(comparisons(FILTER_OPERATORS + 1))).rejects.toThrow(/80 operators/);
  });

  test("on levels", async () => {
    await expect(matches(nested(FILTER_DEPTH))).resolves.toBeDefined();
    await expect(matches(nested(FILTER_DEPTH + 1))).rejects.toThrow(/10 levels/);
  });

  test("on different values", () => {
    expect(different(FILTER_OPERATORS / 2).and).toHaveLength(40);
    const bindings = createBindings();
    for (let value = 0; value < PARAMETERS; value += 1) bindings.bind(value);
    expect(bindings.bind(1)).toBe("?2");
    expect(() => bindings.bind(PARAMETERS)).toThrow(/too many different values/);
  });

  test("on the operand of contains", async () => {
    await expect(matches({ metadata: { contains: chain(CONTAINS_DEPTH) } })).resolves.toBeDefined();
    await expect(matches({ metadata: { contains: chain(CONTAINS_DEPTH + 1) } })).rejects.toThrow(/5 levels deep/);
    await expect(matches(leaves(CONTAINS_LEAVES))).resolves.toBeDefined();
    await expect(matches(leaves(CONTAINS_LEAVES + 1))).rejects.toThrow(/20 values/);
    await expect(
      matches({ metadata: { contains: Array.from({ length: CONTAINS_LEAVES + 1 }, () => ({})) } }),
    ).rejects.toThrow(/20 values/);
  });
});
