/** The estimated cost of an operation. */
import { getIntrospectionQuery, getOperationAST, parse } from "graphql";
import { describe, expect, test } from "vitest";
import { ANSWER_LENGTH } from "./answer-budget.ts";
import {
  COST,
  DEPTH,
  excessOf,
  INTROSPECTION_DEPTH,
  measureOperation,
  ROOT_FIELDS,
  type Variables,
} from "./query-limits.ts";

function measure(text: string, variables: Variables = {}) {
  const document = parse(text);
  const operation = getOperationAST(document, undefined);
  if (operation === null || operation === undefined) throw new Error("one operation");
  return measureOperation(document, operation, variables, { usual: 10, greatest: 100 });
}

const deep = (levels: number, field: string): string =>
  levels === 1 ? field : `${field} { ${deep(levels - 1, field)} }`;

describe("cost", () => {
  test.each<[string, Variables, number]>([
    ["{ nodeId }", {}, 1],
    ["{ entities { totalCount } }", {}, 11],
    ["{ entities(first: 100) { nodes { id type } } }", {}, 301],
    ["{ entities(last: 5) { nodes { id } } }", {}, 11],
    ["{ entities(first: 1000000) { nodes { id } } }", {}, 201],
    ["{ entities(first: -5) { nodes { id } } }", {}, 3],
    ["query ($n: Int) { entities(first: $n) { nodes { id } } }", { n: 50 }, 101],
    ["query ($n: Int = 20) { entities(first: $n) { nodes { id } } }", {}, 41],
    ["query ($n: Int = 20) { entities(first: $n) { nodes { id } } }", { n: null }, 21],
    ["query ($n: Int) { entities(first: $n) { nodes { id } } }", { n: "many" }, 21],
    ["{ entities(first: 2) { ...page } iids(first: 3) { ...page } } fragment page on X { nodes { id } }", {}, 12],
  ])("of %s with %j is %i", (text, variables, cost) => {
    expect(measure(text, variables).cost).toBe(cost);
  });

  test("is computed quickly even if fragments multiply", () => {
    const fragments = Array.from({ length: 60 }, (_, at) => `fragment f${at} on X { ...f${at + 1} ...f${at + 1} }`);
    const { cost } = measure(`{ ...f0 } ${fragments.join(" ")} fragment f60 on X { id }`);
    expect(cost).toBe(2 ** 60);
  });

  test("does not follow a cycle", () => {
    expect(measure("{ ...a } fragment a on X { id ...b } fragment b on X { ...a }").cost).toBe(1);
  });
});

describe("at the limit and one beyond it [RG-125, RG-126]", () => {
  test("depth", () => {
    expect(excessOf(measure(`{ ${deep(DEPTH, "query")} }`))).toBeUndefined();
    expect(excessOf(measure(`{ ${deep(DEPTH + 1, "query")} }`))).toMatch(/11 fields deep/);
  });

  test("depth of an introspection, counted separately", () => {
    const introspection = (levels: number) => `{ __schema { ${deep(levels - 1, "type")} } }`;
    expect(excessOf(measure(introspection(INTROSPECTION_DEPTH)))).toBeUndefined();
    expect(excessOf(measure(introspection(INTROSPECTION_DEPTH + 1)))).toMatch(/21 fields deep/);
  });

  test("root fields, including nested occurrences of the root query", () => {
    const aliases = (count: number) => Array.from({ length: count }, (_, at) => `a${at}: nodeId`).join(" ");
    expect(excessOf(measure(`{ ${aliases(ROOT_FIELDS)} }`))).toBeUndefined();
    expect(excessOf(measure(`{ ${aliases(ROOT_FIELDS + 1)} }`))).toMatch(/21 root fields/);
    expect(excessOf(measure(`{ query { ${aliases(ROOT_FIELDS - 1)} } }`))).toBeUndefined();
    expect(excessOf(measure(`{ query { ...many } } fragment many on Query { ${aliases(ROOT_FIELDS)} }`))).toMatch(/21/);
  });

  test("names, including long aliases and repeated ones", () => {
    const inAccounts = (length: number) =>
      measure(`{ entities(first: 100) { nodes { accounts { ${"a".repeat(length)}: name } } } }`);
    // At most 100 domains of 50 accounts, four characters around each name, and the names above.
    const above = "entities".length + 4 + 100 * ("nodes".length + 4 + "accounts".length + 4);
    const longest = Math.floor((ANSWER_LENGTH - above) / 5_000) - 4;
    expect(inAccounts(longest).names).toBe(above + 5_000 * (longest + 4));
    expect(excessOf(inAccounts(longest))).toBeUndefined();
    expect(excessOf(inAccounts(longest + 1))).toMatch(/shorter aliases/);
    expect(excessOf(measure(`{ __schema { types { inputFields { ${"a".repeat(20_000)}: name } } } }`))).toMatch(
      /alias/,
    );
    expect(excessOf(measure(getIntrospectionQuery()))).toBeUndefined();
  });

  test("cost", () => {
    const fields = (count: number) =>
      `{ entities(first: 100) { nodes { ${Array.from({ length: count }, (_, at) => `a${at}: id`).join(" ")} } } nodeId }`;
    expect(measure(fields(198)).cost).toBe(19_902);
    expect(
      excessOf({ depth: 1, introspectionDepth: 0, rootFields: 1, cost: COST, names: ANSWER_LENGTH }),
    ).toBeUndefined();
    expect(excessOf(measure(fields(199)))).toMatch(/costs 20002/);
  });
});
