import { expect, test } from "vitest";
import { type FlowFile, undefinedName } from "../../../shared/flow-file.ts";
import { readChosenFile, readFlows, writeFlowFile } from "./flow-file.ts";

function read(text: string): FlowFile {
  const file = readFlows(text);
  if (typeof file === "string") throw new Error(file);
  return file;
}

test("a saved session is read again, text by text, and gets its PIN [CN-114]", () => {
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
  const file = read(text);
  expect(file).toMatchObject({ code: "*2233#", mode: "latest" });
  const saved = steps.map((step, index) => ({ flow: "saved", number: index + 1, ...step, while: [] }));
  expect(file.flows).toEqual([{ name: "saved", given: ["pin"], steps: saved }]);
  for (const flow of file.flows) expect(undefinedName(file, flow)).toBeUndefined();
  expect(text).toContain("--set pin=...");
});

test("a chosen file of more than a megabyte is refused, and so is a deleted one [CN-195]", async () => {
  const valid = "flows: [{ name: a, steps: [{ dial: '', expect: '' }] }]";
  const text = (): Promise<string> => Promise.resolve(valid);
  expect(await readChosenFile({ size: 1_000_000, text })).toEqual(read(valid));
  expect(await readChosenFile({ size: 1_000_001, text })).toBe("it has more than a megabyte");
  const gone = (): Promise<string> => Promise.reject(new DOMException("gone", "NotReadableError"));
  expect(await readChosenFile({ size: 10, text: gone })).toBe("the browser can no longer read it");
});

test("aliases that multiply are refused [CN-195]", () => {
  const lists = Array.from({ length: 12 }, (_, index) => `l${index + 1}: &l${index + 1} [${`*l${index}, `.repeat(9)}]`);
  expect(readFlows(["l0: &l0 [x]", ...lists].join("\n"))).toMatch(/alias/);
});

test.each([
  "flows:\n - name: x\n   input: [43219\n  wrong: 43219",
  "a: *43219",
  "a: 1\n43219: 2\n43219: 3",
  "43219: 1",
])("an invalid file is refused without quoting its lines, which may contain a PIN [CN-184]: %j", (text) => {
  const refused = readFlows(text);
  expect(refused).toEqual(expect.any(String));
  expect(refused).not.toContain("43219");
  expect(refused).not.toContain("\n");
});
