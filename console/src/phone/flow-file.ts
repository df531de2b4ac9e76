/**
 * Flow files (shared/flow-file.ts): reads them, and writes them from a session. Loaded when a file is opened or saved, since it
 * includes a YAML parser.
 */
import { parse, stringify } from "yaml";
import { type FlowFile, readFlowFile } from "../../../shared/flow-file.ts";
import { namesIn } from "../../../shared/flow-template.ts";
import type { TextMode } from "../../../shared/gateway-formats.ts";
import { MASK, withoutSecrets } from "./secret-input.ts";
import type { RecordedStep } from "./session-recording.ts";

/** Maximum bytes of a flow file. */
const LONGEST_FILE = 1_000_000;

/** The chosen file, or a sentence with the error and its place. The browser may no longer be able to read the file. */
export async function readChosenFile(chosen: Pick<File, "size" | "text">): Promise<FlowFile | string> {
  if (chosen.size > LONGEST_FILE) return "it has more than a megabyte";
  let text: string;
  try {
    text = await chosen.text();
  } catch {
    return "the browser can no longer read it";
  }
  return readFlows(text);
}

export function readFlows(text: string): FlowFile | string {
  try {
    const read = readFlowFile(parse(text, { schema: "failsafe" }));
    return typeof read === "string" ? withoutExcerpt(read) : read;
  } catch (error) {
    return withoutExcerpt(error instanceof Error ? error.message : String(error));
  }
}

/** The parser quotes the invalid line, which may contain a PIN; its number is enough. */
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
