/**
 * Recorded flows in a YAML file: the console's phone and `npm run ussd` replay these files. Every scalar is a text (the
 * parser's schema is `failsafe`), so `00` and `12345` need no quotes; `"*"` and `"#"` do.
 *
 *     flows:
 *       - name: exit
 *         steps:
 *           - dial:
 *             expect: |-
 *               CON Welcome to Digital Services
 *               {...}
 *           - input: "*"
 *             expect: END Thank you for using Digital Services. Goodbye!
 */
import { namesIn } from "./flow-template.ts";
import type { TextMode } from "./gateway-formats.ts";

export interface FlowStep {
  /** The step's flow, and its position there, from 1. */
  readonly flow: string;
  readonly number: number;
  /** A dial starts a new call. */
  readonly kind: "dial" | "input";
  /** The typed input, or inputs dialled after the code, usually empty. */
  readonly typed: string;
  readonly expect: string;
  /** The input is repeated as long as one of these screens is shown: wait screens of a slow service. */
  readonly while: readonly string[];
}

export interface Flow {
  readonly name: string;
  /** An earlier flow that runs first, on this phone, and whose captured values are kept. */
  readonly after?: string;
  /** Names that need a value before it runs. */
  readonly given: readonly string[];
  readonly steps: readonly FlowStep[];
}

export interface FlowFile {
  readonly phone?: string;
  readonly code?: string;
  readonly mode?: TextMode;
  readonly flows: readonly Flow[];
}

/** Flows in one file: each may build on the previous one, so the number of steps grows with the square. */
export const MAX_FLOWS = 200;

/** The steps of a flow, after those of all flows that run before it. */
export function stepsOf(file: FlowFile, flow: Flow): readonly FlowStep[] {
  const before = flowBefore(file, flow);
  return before === undefined ? flow.steps : [...stepsOf(file, before), ...flow.steps];
}

/** The names that need a value, for a flow and all flows that run before it. */
export function givenNames(file: FlowFile, flow: Flow): readonly string[] {
  const before = flowBefore(file, flow);
  return before === undefined ? flow.given : [...new Set([...givenNames(file, before), ...flow.given])];
}

/** A name that the flow uses before it has a value. */
export function undefinedName(file: FlowFile, flow: Flow): string | undefined {
  const known = new Set([...givenNames(file, flow), "phone", "phoneEnd"]);
  for (const { typed, expect } of stepsOf(file, flow)) {
    const missing = namesIn(typed).find((name) => !known.has(name));
    if (missing !== undefined) return missing;
    for (const name of namesIn(expect)) known.add(name);
  }
  return undefined;
}

function flowBefore({ flows }: FlowFile, { after }: Flow): Flow | undefined {
  return flows.find(({ name }) => name === after);
}

/** A sentence about the fault and its place. It is caught in this file. */
class WrongFile extends Error {}

/** @param value the result of the YAML parser. Returns the file, or a sentence about the fault and its place. */
export function readFlowFile(value: unknown): FlowFile | string {
  try {
    return fileOf(value);
  } catch (error) {
    if (error instanceof WrongFile) return error.message;
    throw error;
  }
}

function fileOf(value: unknown): FlowFile {
  const { phone, code, mode, flows } = objectOf(value, "", ["phone", "code", "mode", "flows"]);
  if (mode !== undefined && mode !== "cumulative" && mode !== "latest")
    throw wrong("mode", "cumulative or latest is expected here");
  const read = filledListOf(flows, "flows").map((flow, index) => flowOf(flow, `flows.${index}`));
  if (read.length > MAX_FLOWS) throw wrong("flows", `it may have at most ${MAX_FLOWS} flows`);
  for (const [index, { name, after }] of read.entries()) {
    const above = read.slice(0, index).map(({ name }) => name);
    if (above.includes(name)) throw new WrongFile(`two flows are called "${name}"`);
    if (after !== undefined && !above.includes(after))
      throw new WrongFile(`"${name}" comes after "${after}", which is not above it`);
  }
  return {
    flows: read,
    ...(phone === undefined ? {} : { phone: textOf(phone, "phone") }),
    ...(code === undefined ? {} : { code: textOf(code, "code") }),
    ...(mode === undefined ? {} : { mode }),
  };
}

function flowOf(value: unknown, path: string): Flow {
  const { name, after, given, steps } = objectOf(value, path, ["name", "after", "given", "steps"]);
  const title = textOf(name, `${path}.name`);
  if (title === "") throw wrong(`${path}.name`, "it may not be empty");
  return {
    name: title,
    given: given === undefined ? [] : textsOf(given, `${path}.given`),
    steps: filledListOf(steps, `${path}.steps`).map((step, index) =>
      stepOf(step, `${path}.steps.${index}`, title, index + 1),
    ),
    ...(after === undefined ? {} : { after: textOf(after, `${path}.after`) }),
  };
}

function stepOf(value: unknown, path: string, flow: string, number: number): FlowStep {
  const { dial, input, expect, while: pending } = objectOf(value, path, ["dial", "input", "expect", "while"]);
  const isDial = dial !== undefined;
  if (isDial === (input !== undefined) || expect === undefined || (isDial && pending !== undefined))
    throw wrong(path, "a step has `dial` or `input`, and `expect`; with `input` optionally `while`, and nothing else");
  return {
    flow,
    number,
    kind: isDial ? "dial" : "input",
    typed: textOf(isDial ? dial : input, `${path}.${isDial ? "dial" : "input"}`),
    expect: textOf(expect, `${path}.expect`),
    while: pending === undefined ? [] : textsOf(pending, `${path}.while`),
  };
}

function objectOf(value: unknown, path: string, names: readonly string[]): Readonly<Record<string, unknown>> {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw wrong(path, "names and values are expected here");
  const unknown = Object.keys(value).find((name) => !names.includes(name));
  if (unknown !== undefined) throw wrong(path, `\`${unknown}\` means nothing here`);
  return value as Readonly<Record<string, unknown>>;
}

function filledListOf(value: unknown, path: string): readonly unknown[] {
  const list = listOf(value, path);
  if (list.length === 0) throw wrong(path, "it may not be empty");
  return list;
}

function textsOf(value: unknown, path: string): readonly string[] {
  return listOf(value, path).map((one) => textOf(one, path));
}

function listOf(value: unknown, path: string): readonly unknown[] {
  if (!Array.isArray(value)) throw wrong(path, "a list is expected here");
  return value as readonly unknown[];
}

function textOf(value: unknown, path: string): string {
  if (typeof value !== "string") throw wrong(path, "a text is expected here");
  return value;
}

function wrong(path: string, expected: string): WrongFile {
  return new WrongFile(path === "" ? expected : `${path}: ${expected}`);
}
