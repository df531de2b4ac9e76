/** Reads a menu file, YAML or JSON: bounded, without tags, anchors and duplicate keys, with the line of every fault. */
import type * as z from "zod";
import { isJsonObject } from "../../../platform/json.ts";
import { failure, success, type Result } from "../../../platform/result.ts";
import { parseYaml, type YamlText } from "../../../platform/yaml.ts";
import { MOST_FAULTS, type FileFault } from "./faults.ts";
import { menuFileFrame, type MenuFile } from "./menu-file.ts";
import { schemaOfScreen, type FileScreen } from "./screen-schemas.ts";

/** Maximum bytes of a file in UTF-8. */
export const FILE_BYTES = 256 * 1024;
/** Maximum levels, and values including names: more than any file within the other limits has. */
const FILE_DEPTH = 10;
const FILE_VALUES = 20_000;

export interface ReadMenuFile {
  readonly file: MenuFile;
  readonly lineAt: YamlText["lineAt"];
}

export function readMenuFile(source: string): Result<ReadMenuFile, readonly FileFault[]> {
  const bytes = byteLength(source);
  if (bytes > FILE_BYTES) {
    return failure([{ line: 1, count: bytes, sentence: `the file may have ${FILE_BYTES} bytes, and has ${bytes}` }]);
  }
  const read = parseYaml(source, { schema: "failsafe", length: FILE_BYTES, depth: FILE_DEPTH, values: FILE_VALUES });
  if (!read.ok) return failure([{ line: read.error.line, sentence: `the file ${read.error.sentence}` }]);
  const { value, lineAt } = read.value;
  if (!isJsonObject(value)) return failure([{ line: 1, sentence: "the file must be a map of names to values" }]);
  const inherited = inheritedName(value);
  if (inherited !== undefined) {
    return failure([{ line: lineAt(inherited), sentence: `"${inherited.join(".")}" is no name for anything` }]);
  }
  const framed = menuFileFrame.safeParse(value);
  if (!framed.success) return failure(faultsOf(framed.error, [], lineAt));

  const screens: [string, FileScreen][] = [];
  const faults: FileFault[] = [];
  for (const [name, screen] of Object.entries(framed.data.screens)) {
    const path = ["screens", name];
    const schema = schemaOfScreen(screen);
    if (typeof schema === "string") {
      faults.push({ line: lineAt(path), screen: name, sentence: schema });
      continue;
    }
    const checked = schema.safeParse(screen);
    if (checked.success) screens.push([name, checked.data]);
    else faults.push(...faultsOf(checked.error, path, lineAt).map((fault) => ({ ...fault, screen: name })));
  }
  if (faults.length > 0) return failure(faults.slice(0, MOST_FAULTS));
  // Names such as `constructor` find no inherited member later, because compiled files are maps.
  const file: MenuFile = { ...framed.data, screens: Object.fromEntries(screens) };
  return success({ file, lineAt });
}

/** Where a map has the name `__proto__`, which records cannot hold; levels are limited. */
function inheritedName(value: unknown): readonly string[] | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  if (Object.hasOwn(value, "__proto__")) return ["__proto__"];
  for (const [name, member] of Object.entries(value)) {
    const found = inheritedName(member);
    if (found !== undefined) return [name, ...found];
  }
  return undefined;
}

function byteLength(source: string): number {
  return new TextEncoder().encode(source).length;
}

function faultsOf(error: z.ZodError, base: readonly string[], lineAt: YamlText["lineAt"]): readonly FileFault[] {
  return error.issues.slice(0, MOST_FAULTS).map((issue) => {
    const path = [...base, ...issue.path];
    return { line: lineAt(path), sentence: `${pathText(issue.path)}${sentenceOf(issue)}` };
  });
}

function pathText(path: readonly PropertyKey[]): string {
  return path.length === 0 ? "" : `${path.map((each) => String(each).slice(0, 40)).join(".")}: `;
}

function sentenceOf(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case "unrecognized_keys":
      return `${issue.keys
        .slice(0, 5)
        .map((key) => `"${key.slice(0, 40)}"`)
        .join(", ")} means nothing here`;
    case "invalid_type":
      return issue.input === undefined
        ? "is missing"
        : `must be ${issue.expected === "record" ? "a map" : issue.expected}`;
    case "invalid_key":
      return issue.issues[0]?.message ?? issue.message;
    case "invalid_value":
      return `must be one of ${issue.values.map(String).join(", ")}`;
    case "too_big":
      return issue.message.startsWith("Too big") ? `must be at most ${String(issue.maximum)} long` : issue.message;
    default:
      return issue.message;
  }
}
