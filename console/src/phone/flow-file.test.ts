/** Flow files are those of `npm run ussd`: it reads what is written here, and here is read what it reads. */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import * as terminal from "../../../scripts/ussd/flow-file.ts";
import { MAX_FLOWS, readChosenFile, readFlowFile, writeFlowFile } from "./flow-file.ts";
import { givenNames, stepsOf, type FlowFile } from "./flow-tree.ts";

const projectRoot = join(import.meta.dirname, "../../..");
const recorded = globSync("test/flows/*.yaml", { cwd: projectRoot });

function read(text: string): FlowFile {
  const file = readFlowFile(text);
  if (typeof file === "string") throw new Error(file);
  return file;
}

test.each(recorded)("%s holds the same flows here and there [CN-114]", (path) => {
  const text = readFileSync(join(projectRoot, path), "utf8");
  const here = read(text);
  const there = terminal.readFlows(text);
  if (there instanceof Error) throw there;
  expect(here.flows.map(({ name }) => name)).toEqual(there.flows.map(({ name }) => name));
  for (const [index, flow] of here.flows.entries()) {
    const theirs = there.flows[index];
    if (theirs === undefined) throw new Error("as many flows");
    expect(
      stepsOf(here, flow).map(({ kind, typed, expect, while: pending }) => [kind === "dial", typed, expect, pending]),
    ).toEqual(
      terminal
        .stepsOf(there, theirs)
        .map(({ isDial, input, expect, while: pending }) => [isDial, input, expect, pending]),
    );
    expect(givenNames(here, flow)).toEqual([...new Set(terminal.givenNames(there, theirs))]);
  }
});

test("a saved session is read by both, text by text, and is given its PIN [CN-114]", () => {
  const steps = [
    { kind: "dial", typed: "", expect: "CON Welcome\n1. A\n\n*. Exit" },
    { kind: "input", typed: "2", expect: 'CON "Quoted": yes # no\n- list' },
    { kind: "input", typed: "{pin}", expect: "CON Your Customer ID: {customerId}" },
    { kind: "input", typed: "{customerId}", expect: "CON  leading\nand trailing \n" },
    { kind: "input", typed: "00", expect: "END |- é 🙂" },
    { kind: "input", typed: "*", expect: "END Bye" },
    { kind: "input", typed: " John: # 'x' ", expect: "END " },
  ] as const;
  const text = writeFlowFile("saved", "*2233#", "latest", steps);
  const here = read(text);
  expect(here).toMatchObject({ code: "*2233#", mode: "latest" });
  expect(here.flows).toEqual([{ name: "saved", given: ["pin"], steps: steps.map((step) => ({ ...step, while: [] })) }]);
  const there = terminal.readFlows(text);
  if (there instanceof Error) throw there;
  const [flow] = there.flows;
  if (flow === undefined) throw new Error("one flow");
  expect(terminal.stepsOf(there, flow).map(({ input, expect }) => [input, expect])).toEqual(
    steps.map(({ typed, expect }) => [typed, expect]),
  );
  expect(flow.given).toEqual(["pin"]);
  expect(terminal.undefinedName(there, flow)).toBeUndefined();
  expect(text).toContain("--set pin=...");
});

const step = "steps:\n      - dial:\n        expect: CON W";

test.each([
  "flows: [",
  "flows: []",
  "",
  "flows:\n  - name: x\n    steps:\n      - input: 1",
  "flows:\n  - name: x\n    steps:\n      - {input: 1, dial: 1, expect: CON}",
  "flows:\n  - name: x\n    steps:\n      - {dial: 1, while: [CON], expect: CON}",
  `flows:\n  - name: x\n    befor: y\n    ${step}`,
  `mode: all\nflows:\n  - name: x\n    ${step}`,
  `flows:\n  - name: x\n    ${step}\n  - name: x\n    ${step}`,
  `flows:\n  - name: x\n    after: x\n    ${step}`,
  `flows:\n  - name: x\n    after: y\n    ${step}\n  - name: y\n    ${step}`,
  "flows:\n  - name: x\n    steps: []",
])("what the command refuses is refused here with a sentence (%#) [CN-114]", (text) => {
  expect(terminal.readFlows(text)).toBeInstanceOf(Error);
  expect(readFlowFile(text)).toEqual(expect.any(String));
});

test("a chosen file of more than a megabyte is refused, and so is one that is gone [CN-195]", async () => {
  const valid = "flows: [{ name: a, steps: [{ dial: '', expect: '' }] }]";
  const text = (): Promise<string> => Promise.resolve(valid);
  expect(await readChosenFile({ size: 1_000_000, text })).toEqual(read(valid));
  expect(await readChosenFile({ size: 1_000_001, text })).toBe("it has more than a megabyte");
  const gone = (): Promise<string> => Promise.reject(new DOMException("gone", "NotReadableError"));
  expect(await readChosenFile({ size: 10, text: gone })).toBe("the browser has no access to it any more");
});

test("a file has at most 200 flows, and aliases that multiply are refused [CN-195]", () => {
  const flow = (index: number): string =>
    `  - {name: f${index}${index === 0 ? "" : `, after: f${index - 1}`}, steps: [{dial: "", expect: "CON a"}]}\n`;
  const file = (count: number): string =>
    `flows:\n${Array.from({ length: count }, (_, index) => flow(index)).join("")}`;
  expect(MAX_FLOWS).toBe(200);
  const { flows } = read(file(MAX_FLOWS));
  expect(flows).toHaveLength(MAX_FLOWS);
  expect(readFlowFile(file(MAX_FLOWS + 1))).toContain("at most 200 flows");
  const lists = Array.from({ length: 12 }, (_, index) => `l${index + 1}: &l${index + 1} [${`*l${index}, `.repeat(9)}]`);
  expect(readFlowFile(["l0: &l0 [x]", ...lists].join("\n"))).toMatch(/alias/);
});

test.each([
  "flows:\n - name: x\n   input: [43219\n  wrong: 43219",
  "a: *43219",
  "a: 1\n43219: 2\n43219: 3",
  "43219: 1",
])("a file that cannot be read is refused without its lines, which may hold a PIN [CN-184]: %j", (text) => {
  const refused = readFlowFile(text);
  expect(refused).toEqual(expect.any(String));
  expect(refused).not.toContain("43219");
  expect(refused).not.toContain("\n");
});
