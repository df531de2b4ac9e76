/** The graph of docs/scaling.md is the result of the simulation, and the page names its numbers. */
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { monthlyCost, sizes } from "../../bench/scale/costs.ts";
import { limits, valuesWith } from "../../bench/scale/limits.ts";
import { saturations } from "../../bench/scale/scenarios.ts";
import { drawScaling, SCALING } from "./scaling.ts";

const project = resolve(import.meta.dirname, "../..");
const read = (path: string): string => readFileSync(join(project, path), "utf8");
const page = read("docs/scaling.md").replaceAll(/\s+/g, " ");

test("it is drawn from the simulation: run `npm run graphs` after a change", () => {
  expect(read(`docs/images/${SCALING}.svg`)).toBe(drawScaling());
  expect(page).toContain(`(images/${SCALING}.svg)`);
});

test("docs/scaling.md has the costs of each size", () => {
  for (const size of sizes) {
    const cost = monthlyCost(size, valuesWith({}));
    const cells = [cost.phone, cost.chat, cost.database, cost.total].map((amount) =>
      Math.round(amount).toLocaleString("en-US"),
    );
    expect(page).toContain(`| ${size.name} | ${size.domains.toLocaleString("en-US")} |`);
    expect(page).toContain(`| ${cells.join(" | ")} |`);
  }
});

test("docs/scaling.md has the limits that decide, with their values", () => {
  for (const name of ["d1Bytes", "d1StatementMs", "objectRequests", "poolConnections", "postgresCommitMs"] as const)
    expect(page).toContain(`\`${name}\` | ${limits[name].value.toLocaleString("en-US")} ${limits[name].unit}`);
});

test("docs/scaling.md names what saturates below its target", () => {
  const below = saturations(valuesWith({})).filter(({ at, target }) => at < target);
  expect(below.map(({ what }) => what).filter((what) => !page.includes(what))).toEqual([]);
});
