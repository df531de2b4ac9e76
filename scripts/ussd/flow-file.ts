/**
 * Recorded flows, read from YAML. Every scalar is a text, so `00` and `12345` need no quotes; `"*"` and `"#"` do. In inputs
 * and screens `{customerId}` is a known value or, on a screen, one that is found there and known from then on; `{...}` on a
 * screen is any text.
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
import { parse } from "yaml";
import * as z from "zod";

const step = z.union(
  [
    /** A new call; the text is what was dialled after the code, usually nothing. */
    z.strictObject({ dial: z.string(), expect: z.string() }),
    z.strictObject({
      input: z.string(),
      /** The input is repeated as long as one of these comes: what a slow service shows until it has finished. */
      while: z.array(z.string()).optional(),
      expect: z.string(),
    }),
  ],
  { error: "a step has `dial` or `input`, and `expect`; with `input` optionally `while`, and nothing else" },
);

const flow = z.strictObject({
  name: z.string().min(1),
  /** A flow above in the same file that runs first, with the same phone and the values that it captures. */
  after: z.string().optional(),
  /** Names that `--set` must define. */
  given: z.array(z.string()).default([]),
  steps: z.array(step).min(1),
});

const file = z.strictObject({
  phone: z.string().optional(),
  code: z.string().optional(),
  mode: z.enum(["cumulative", "latest"]).optional(),
  flows: z.array(flow).min(1),
});

export type RecordedFlow = z.output<typeof flow>;
export type FlowFile = z.output<typeof file>;

/** The flows, or a sentence that says what is wrong and where. */
export function readFlows(text: string): FlowFile | Error {
  let plain: unknown;
  try {
    plain = parse(text, { schema: "failsafe" });
  } catch (error) {
    return error as Error;
  }
  const read = file.safeParse(plain);
  if (!read.success) {
    const [issue] = read.error.issues;
    return new Error(`${issue?.path.join(".") ?? ""}: ${issue?.message ?? ""}`.replace(/^: /, ""));
  }
  const { flows } = read.data;
  const names = flows.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) return new Error(`two flows are called "${twice}"`);
  const misplaced = flows.find(({ after }, index) => after !== undefined && !names.slice(0, index).includes(after));
  if (misplaced !== undefined) {
    return new Error(`"${misplaced.name}" comes after "${misplaced.after ?? ""}", which is not above it`);
  }
  return read.data;
}

/** One step of a flow or of a flow that runs before it. */
export interface PlacedStep {
  readonly flow: string;
  readonly number: number;
  readonly input: string;
  readonly isDial: boolean;
  readonly expect: string;
  readonly while: readonly string[];
}

/** The steps of a flow, after those of all flows that run before it. */
export function stepsOf(file: FlowFile, flow: RecordedFlow): readonly PlacedStep[] {
  const before = flowBefore(file, flow);
  return [
    ...(before === undefined ? [] : stepsOf(file, before)),
    ...flow.steps.map((step, index) => ({
      flow: flow.name,
      number: index + 1,
      input: "dial" in step ? step.dial : step.input,
      isDial: "dial" in step,
      expect: step.expect,
      while: "dial" in step ? [] : (step.while ?? []),
    })),
  ];
}

/** The names that must be set for a flow and for all that run before it. */
export function givenNames(file: FlowFile, flow: RecordedFlow): readonly string[] {
  const before = flowBefore(file, flow);
  return before === undefined ? flow.given : [...givenNames(file, before), ...flow.given];
}

/** A name that the flow uses before it has a value. */
export function undefinedName(file: FlowFile, flow: RecordedFlow): string | undefined {
  const known = new Set([...givenNames(file, flow), "phone", "phoneEnd"]);
  for (const { input, expect } of stepsOf(file, flow)) {
    const missing = namesIn(input).find((name) => !known.has(name));
    if (missing !== undefined) return missing;
    for (const name of namesIn(expect)) known.add(name);
  }
  return undefined;
}

function flowBefore({ flows }: FlowFile, { after }: RecordedFlow): RecordedFlow | undefined {
  return flows.find(({ name }) => name === after);
}

const PLACEHOLDER = /\{(\.\.\.|[A-Za-z][A-Za-z0-9]*)\}/;
const ANYTHING = "...";

export type Values = ReadonlyMap<string, string>;

/** The names in a template, in order, without `{...}`. */
export function namesIn(template: string): readonly string[] {
  return segmentsOf(template).flatMap(({ name }) => (name === undefined || name === ANYTHING ? [] : [name]));
}

/** The template with its names replaced; a name without a value stays. */
export function fill(template: string, values: Values): string {
  return segmentsOf(template)
    .map(({ text, name }) => (name === undefined ? text : (values.get(name) ?? text)))
    .join("");
}

/** The values of the template's unknown names in a text, each within one line; undefined when it does not match. */
export function match(template: string, text: string, values: Values): Values | undefined {
  const found = new Set<string>();
  const pattern = segmentsOf(template).map(({ text: literal, name }) => {
    if (name === undefined) return escaped(literal);
    if (name === ANYTHING) return "[^]*?";
    const known = values.get(name);
    if (known !== undefined) return escaped(known);
    if (found.has(name)) return `\\k<${name}>`;
    found.add(name);
    return `(?<${name}>[^\\n]+?)`;
  });
  const groups = new RegExp(`^${pattern.join("")}$`, "u").exec(text);
  return groups === null ? undefined : new Map(Object.entries(groups.groups ?? {}));
}

/** Every second part of the split is a name. */
function segmentsOf(template: string): readonly { readonly text: string; readonly name?: string }[] {
  return template
    .split(PLACEHOLDER)
    .map((part, index) => (index % 2 === 0 ? { text: part } : { text: `{${part}}`, name: part }));
}

function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);
}
