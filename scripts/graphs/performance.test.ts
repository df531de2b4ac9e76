/** The graphs of docs/performance.md are those of bench/results.json, and the page names the conditions of each. */
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { conditionsOf, drawGraph, graphs, readResults, withRun } from "./performance.ts";

const project = resolve(import.meta.dirname, "../..");
const read = (path: string): string => readFileSync(join(project, path), "utf8");
const results = readResults(read("bench/results.json"));

test.each(graphs)("$name is drawn from the results: run `npm run graphs` after a change", (graph) => {
  expect(read(`docs/images/${graph.name}.svg`)).toBe(drawGraph(graph, results));
});

test("docs/performance.md shows each graph with the conditions of its measures", () => {
  const page = read("docs/performance.md").replaceAll(/\s+/g, " ");
  for (const graph of graphs) {
    expect(page).toContain(`(images/${graph.name}.svg)`);
    expect(page).toContain(conditionsOf(graph, results));
  }
});

test("a run replaces the measures that it took and leaves the others", () => {
  const machine = { date: "2027-01-02T03:04:05Z", processor: "x", cores: 4, loadBefore: 0.5, versions: {} };
  const rows = [{ what: "GET /", value: 1, unit: "requests/s", spread: 0.1 }];
  const json = JSON.stringify({ machine, options: { rounds: 1, seconds: 2 }, measures: [{ name: "health", rows }] });
  const merged = withRun(results, json);
  expect(merged["health"]).toMatchObject({ machine: { cores: 4 }, rows: [{ what: "GET /", value: 1 }] });
  expect(merged["turn"]).toEqual(results["turn"]);
});

test("a missed aim has another colour", () => {
  const share = (ratio: number) => ({
    what: "w",
    value: 1,
    unit: "s",
    baseline: { name: "b", ratio },
    aim: { ratio: 0.6 },
  });
  const [chat] = graphs;
  if (chat === undefined) throw new Error("there is a graph");
  const drawn = (ratio: number): string => {
    const { machine, options } = results["turn"] ?? {};
    if (machine === undefined || options === undefined) throw new Error("there are results of turns");
    return drawGraph(chat, { turn: { machine, options, rows: [share(ratio)] } });
  };
  expect(drawn(0.61)).toContain("61 % (aim 60 %)");
  expect(drawn(0.59)).not.toBe(drawn(0.61));
  expect(drawn(0.59).match(/fill="#9a6700"/g)).toHaveLength(1);
  expect(drawn(0.61)).not.toContain("#9a6700");
});
