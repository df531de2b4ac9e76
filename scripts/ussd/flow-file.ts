/**
 * Recorded flows, read from YAML. Every scalar is a text, so `00` and `12345` need no quotes; `"*"` and `"#"` do, which
 * is YAML's own wish. What the names in braces mean is screen-template.ts.
 *
 *     flows:
 *       - name: exit
 *         steps:
 *           - dial:
 *             expect: |-
 *               CON Welcome to USSD Example App
 *               {...}
 *           - input: "*"
 *             expect: END Thank you for using USSD Example App. Goodbye!
 */
import { parse } from "yaml";
import * as z from "zod";

const step = z.union(
  [
    /** A new call; the text is what was dialled behind the code, mostly nothing. */
    z.strictObject({ dial: z.string(), expect: z.string() }),
    z.strictObject({
      input: z.string(),
      /** The same is typed again as long as one of these comes: what a slow service shows until it is done. */
      while: z.array(z.string()).optional(),
      expect: z.string(),
    }),
  ],
  { error: "a step has `dial` or `input`, and `expect`; beside `input` perhaps `while`, and nothing else" },
);

const flow = z.strictObject({
  name: z.string().min(1),
  /** A flow of the same file that comes first, with the same phone and what it captured. */
  after: z.string().optional(),
  /** Names that whoever replays must set. */
  given: z.array(z.string()).default([]),
  steps: z.array(step).min(1),
});

const file = z.strictObject({
  phone: z.string().optional(),
  code: z.string().optional(),
  mode: z.enum(["cumulative", "latest"]).optional(),
  flows: z.array(flow).min(1),
});

export type FlowStep = z.output<typeof step>;
export type RecordedFlow = z.output<typeof flow>;
export type FlowFile = z.output<typeof file>;

/** The flows, or a sentence on what is wrong and where. */
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
  // Only what stands above: so no flow comes before itself.
  const lost = flows.find(({ after }, index) => after !== undefined && !names.slice(0, index).includes(after));
  if (lost !== undefined) return new Error(`"${lost.name}" comes after "${lost.after ?? ""}", which is not above it`);
  return read.data;
}

/** The names that must be set for a flow and for all that comes before it. */
export function givenTo({ flows }: FlowFile, { after, given }: RecordedFlow): readonly string[] {
  const before = flows.find((other) => other.name === after);
  return before === undefined ? given : [...givenTo({ flows }, before), ...given];
}

/** The steps of a flow with those of all that comes before it, each with the name of the flow that it stands in. */
export function stepsOf(
  { flows }: FlowFile,
  { name, after, steps }: RecordedFlow,
): readonly { readonly flow: string; readonly number: number; readonly step: FlowStep }[] {
  const before = flows.find((other) => other.name === after);
  return [
    ...(before === undefined ? [] : stepsOf({ flows }, before)),
    ...steps.map((each, index) => ({ flow: name, number: index + 1, step: each })),
  ];
}
