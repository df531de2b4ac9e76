import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { givenNames, MAX_FLOWS, readFlowFile, stepsOf, undefinedName, type FlowFile } from "./flow-file.ts";

const repository = join(import.meta.dirname, "..");

function read(text: string): FlowFile | string {
  return readFlowFile(parse(text, { schema: "failsafe" }));
}

function flowFile(text: string): FlowFile {
  const file = read(text);
  if (typeof file === "string") throw new Error(file);
  return file;
}

const step = "steps:\n      - dial:\n        expect: CON W";

test("scalars are texts, so PINs and 00 need no quotes; a flow runs after another", () => {
  const file = flowFile(`mode: latest
flows:
  - name: first
    ${step}
      - input: 00
        expect: |-
          CON Line
          12345
  - name: second
    after: first
    given: [customerId]
    ${step}
`);
  expect(file.mode).toBe("latest");
  expect(file.flows[0]?.steps).toEqual([
    { flow: "first", number: 1, kind: "dial", typed: "", expect: "CON W", while: [] },
    { flow: "first", number: 2, kind: "input", typed: "00", expect: "CON Line\n12345", while: [] },
  ]);
  expect(file.flows.map(({ given }) => given)).toEqual([[], ["customerId"]]);
  expect(file.flows.map((flow) => stepsOf(file, flow).map(({ flow, number }) => `${flow} ${number}`))).toEqual([
    ["first 1", "first 2"],
    ["first 1", "first 2", "second 1"],
  ]);
});

test("every recorded flow of the repository is valid, and gives each name a value before its use [CN-114]", () => {
  const files = globSync("test/flows/*.yaml", { cwd: repository });
  expect(files.length).toBeGreaterThan(0);
  for (const path of files) {
    const file = flowFile(readFileSync(join(repository, path), "utf8"));
    for (const flow of file.flows) expect(undefinedName(file, flow), `${path}: ${flow.name}`).toBeUndefined();
  }
});

test("names are requested once, however many flows use them", () => {
  const file = flowFile(`flows:
  - name: first
    given: [pin]
    ${step}
  - name: second
    after: first
    given: [customerId, pin]
    ${step}
`);
  expect(file.flows.map((flow) => givenNames(file, flow))).toEqual([["pin"], ["pin", "customerId"]]);
});

test("a file has at most 200 flows [CN-195]", () => {
  const file = (count: number): string =>
    `flows:\n${Array.from({ length: count }, (_, index) => `  - {name: f${index}, steps: [{dial: "", expect: ""}]}\n`).join("")}`;
  expect(MAX_FLOWS).toBe(200);
  expect(flowFile(file(MAX_FLOWS)).flows).toHaveLength(MAX_FLOWS);
  expect(read(file(MAX_FLOWS + 1))).toContain("at most 200 flows");
});

test.each<[string, string, RegExp]>([
  ["no flows", "flows: []", /flows/],
  ["nothing", "", /^names and values/],
  ["a step without expect", "flows:\n  - name: x\n    steps:\n      - input: 1", /flows\.0\.steps\.0: a step has/],
  ["a step with both", "flows:\n  - name: x\n    steps:\n      - {input: 1, dial: 1, expect: CON}", /a step has/],
  [
    "a dial with `while`",
    "flows:\n  - name: x\n    steps:\n      - {dial: 1, while: [CON], expect: CON}",
    /a step has/,
  ],
  ["an unknown key", `flows:\n  - name: x\n    befor: y\n    ${step}`, /befor/],
  ["an unknown mode", `mode: all\nflows:\n  - name: x\n    ${step}`, /mode/],
  ["two flows with one name", `flows:\n  - name: x\n    ${step}\n  - name: x\n    ${step}`, /two flows are called "x"/],
  ["after itself", `flows:\n  - name: x\n    after: x\n    ${step}`, /"x" comes after "x"/],
  [
    "a flow after a later one",
    `flows:\n  - name: x\n    after: y\n    ${step}\n  - name: y\n    ${step}`,
    /not above it/,
  ],
])("%s is reported in one sentence [CN-114]", (_, text, message) => {
  expect(read(text)).toMatch(message);
});
