import { expect, test } from "vitest";
import { readFlows, stepsOf } from "./flow-file.ts";

const step = "steps:\n      - dial:\n        expect: CON W";

test("scalars are texts, so PINs and 00 need no quotes; flows stand on others", () => {
  const file = readFlows(`mode: latest
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
  if (file instanceof Error) throw file;
  expect(file.mode).toBe("latest");
  expect(file.flows[0]?.steps).toEqual([
    { dial: "", expect: "CON W" },
    { input: "00", expect: "CON Line\n12345" },
  ]);
  const [first, second] = file.flows;
  if (first === undefined || second === undefined) throw new Error("two flows");
  expect(second.given).toEqual(["customerId"]);
  expect(stepsOf(file, second).map(({ flow, number }) => [flow, number])).toEqual([
    ["first", 1],
    ["first", 2],
    ["second", 1],
  ]);
});

test.each<[string, string, RegExp]>([
  ["no YAML", "flows: [", /flow/i],
  ["no flows", "flows: []", /flows/],
  ["nothing", "", /expected object/i],
  ["a step without expect", "flows:\n  - name: x\n    steps:\n      - input: 1", /flows\.0\.steps\.0: a step has/],
  ["a step with both", "flows:\n  - name: x\n    steps:\n      - {input: 1, dial: 1, expect: CON}", /a step has/],
  ["a dial that waits", "flows:\n  - name: x\n    steps:\n      - {dial: 1, while: [CON], expect: CON}", /"while"/],
  ["an unknown key", `flows:\n  - name: x\n    befor: y\n    ${step}`, /befor/],
  ["a mode that is none", `mode: all\nflows:\n  - name: x\n    ${step}`, /mode/],
  ["two of a name", `flows:\n  - name: x\n    ${step}\n  - name: x\n    ${step}`, /two flows are called "x"/],
  ["after itself", `flows:\n  - name: x\n    after: x\n    ${step}`, /"x" comes after "x"/],
  ["after a later one", `flows:\n  - name: x\n    after: y\n    ${step}\n  - name: y\n    ${step}`, /not above it/],
])("%s is told in one sentence", (_, text, message) => {
  const read = readFlows(text);
  expect(read).toBeInstanceOf(Error);
  expect((read as Error).message).toMatch(message);
});
