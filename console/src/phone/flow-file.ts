/**
 * The flow files of `npm run ussd` (scripts/ussd/flow-file.ts says what they hold): read, and written from a session. Loaded when a
 * file is opened or saved, since it brings a parser of YAML.
 */
import { parse, stringify } from "yaml";
import { namesIn } from "./flow-template.ts";
import type { Flow, FlowFile, FlowStep } from "./flow-tree.ts";
import type { TextMode } from "../../../shared/gateway-formats.ts";
import { MASK, withoutSecrets } from "./secret-input.ts";
import type { RecordedStep } from "./session-recording.ts";

/** The file, or a sentence that says what is wrong and where. */
export function readFlowFile(text: string): FlowFile | string {
  try {
    return fileOf(parse(text, { schema: "failsafe" }));
  } catch (error) {
    return withoutExcerpt(error instanceof Error ? error.message : String(error));
  }
}

/** Bytes of a flow file that is read. */
const LONGEST_FILE = 1_000_000;

/** The same of a file that somebody has chosen, which the browser may not be able to read any more. */
export async function readChosenFile(chosen: Pick<File, "size" | "text">): Promise<FlowFile | string> {
  if (chosen.size > LONGEST_FILE) return "it has more than a megabyte";
  try {
    return readFlowFile(await chosen.text());
  } catch {
    return "the browser has no access to it any more";
  }
}

/** The parser shows the line that it cannot read, which may hold a PIN; its number is enough. */
function withoutExcerpt(message: string): string {
  const [said = ""] = message.split(/:?\n/);
  const [what = "", ...place] = said.split(/(?= at line \d+, column \d+$)/);
  return withoutSecrets(what, "", () => MASK) + place.join("");
}

/** @param steps with PINs as names, which become the flow's `given`. */
export function writeFlowFile(name: string, code: string, mode: TextMode, steps: readonly RecordedStep[]): string {
  const given = neededNames(steps);
  const plain = steps.map(({ kind, typed, expect }) => ({ [kind]: typed, expect }));
  const flow = given.length === 0 ? { name, steps: plain } : { name, given, steps: plain };
  const options = given.map((name) => ` --set ${name}=...`).join("");
  const comment = [
    "A phone session saved by the console. Replay it there, or:",
    `npm run ussd -- --replay-file phone-session.yaml${options}`,
  ].map((line) => `# ${line}\n`);
  return comment.join("") + stringify({ code, mode, flows: [flow] }, { schema: "failsafe", lineWidth: 0 });
}

/** Names that are typed before a screen shows their value. */
function neededNames(steps: readonly { readonly typed: string; readonly expect: string }[]): readonly string[] {
  const shown = new Set(["phone", "phoneEnd"]);
  const needed = new Set<string>();
  for (const { typed, expect } of steps) {
    for (const name of namesIn(typed)) if (!shown.has(name)) needed.add(name);
    for (const name of namesIn(expect)) shown.add(name);
  }
  return [...needed];
}

/** Flows of one file: each may build on the one before, so that the steps to list grow with their square. */
export const MAX_FLOWS = 200;

type Plain = Readonly<Record<string, unknown>>;

function fileOf(value: unknown): FlowFile {
  const { phone, code, mode, flows } = objectOf(value, "", ["phone", "code", "mode", "flows"]);
  if (mode !== undefined && mode !== "cumulative" && mode !== "latest")
    throw wrong("mode", "cumulative or latest is expected here");
  const read = listOf(flows, "flows").map((flow, index) => flowOf(flow, `flows.${index}`));
  if (read.length === 0) throw wrong("flows", "it may not be empty");
  if (read.length > MAX_FLOWS) throw wrong("flows", `it may have at most ${MAX_FLOWS} flows`);
  for (const [index, { name, after }] of read.entries()) {
    const above = read.slice(0, index).map(({ name }) => name);
    if (above.includes(name)) throw new Error(`two flows are called "${name}"`);
    if (after !== undefined && !above.includes(after))
      throw new Error(`"${name}" comes after "${after}", which is not above it`);
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
  const read = listOf(steps, `${path}.steps`).map((step, index) => stepOf(step, `${path}.steps.${index}`));
  const title = textOf(name, `${path}.name`);
  if (title === "") throw wrong(`${path}.name`, "it may not be empty");
  if (read.length === 0) throw wrong(`${path}.steps`, "it may not be empty");
  return {
    name: title,
    given: given === undefined ? [] : listOf(given, `${path}.given`).map((one) => textOf(one, `${path}.given`)),
    steps: read,
    ...(after === undefined ? {} : { after: textOf(after, `${path}.after`) }),
  };
}

function stepOf(value: unknown, path: string): FlowStep {
  const { dial, input, expect, while: pending } = objectOf(value, path, ["dial", "input", "expect", "while"]);
  const isDial = dial !== undefined;
  if (isDial === (input !== undefined) || (isDial && pending !== undefined))
    throw wrong(path, "a step has `dial` or `input`, and `expect`; with `input` optionally `while`, and nothing else");
  return {
    kind: isDial ? "dial" : "input",
    typed: textOf(isDial ? dial : input, `${path}.${isDial ? "dial" : "input"}`),
    expect: textOf(expect, `${path}.expect`),
    while: pending === undefined ? [] : listOf(pending, `${path}.while`).map((one) => textOf(one, `${path}.while`)),
  };
}

function objectOf(value: unknown, path: string, names: readonly string[]): Plain {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw wrong(path, "names and values are expected here");
  const unknown = Object.keys(value).find((name) => !names.includes(name));
  if (unknown !== undefined) throw wrong(path, `\`${unknown}\` means nothing here`);
  return value as Plain;
}

function listOf(value: unknown, path: string): readonly unknown[] {
  if (!Array.isArray(value)) throw wrong(path, "a list is expected here");
  return value as readonly unknown[];
}

function textOf(value: unknown, path: string): string {
  if (typeof value !== "string") throw wrong(path, "a text is expected here");
  return value;
}

function wrong(path: string, expected: string): Error {
  return new Error(path === "" ? expected : `${path}: ${expected}`);
}
