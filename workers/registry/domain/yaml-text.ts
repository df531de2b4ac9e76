/**
 * Writes JSON values as YAML 1.2, and reads the safe subset of platform/yaml.ts as JSON values. Written texts are always
 * quoted, on one line, with every character escaped that a parser, an editor or a terminal could misinterpret.
 */
import { isJsonObject, type JsonObject, type JsonValue } from "../../../platform/json.ts";
import { failure, success, type Result } from "../../../platform/result.ts";
import { parseYaml } from "../../../platform/yaml.ts";

/** Maximum characters: four times the limit of metadata, and at worst half a second of parsing. */
export const YAML_LENGTH = 256 * 1024;
/** Maximum levels: four times the limit of metadata. */
const YAML_DEPTH = 64;

/**
 * A block of lines, each with its line break. If the block would be too long to read back, each member is written on
 * one line as JSON.
 */
export function writeYaml(value: JsonObject): string {
  const block = blockOf(value, "");
  if (block.length <= YAML_LENGTH) return block;
  return membersOf(value)
    .map(([name, member]) => `${keyOf(name, "")}: ${escaped(JSON.stringify(member))}\n`)
    .join("");
}

function blockOf(value: JsonObject, indent: string): string {
  return membersOf(value)
    .map(([name, member]) => `${indent}${keyOf(name, indent)}:${valueOf(member, indent)}`)
    .join("");
}

function membersOf(value: JsonObject): readonly [string, JsonValue][] {
  return Object.entries(value).map(([name, member]) => [name, member ?? null]);
}

/** The text after `name:` or `-`. */
function valueOf(value: JsonValue, indent: string): string {
  const deeper = `${indent}  `;
  if (Array.isArray(value)) {
    const list = value as readonly JsonValue[];
    if (list.every((item) => isPlain(item))) return ` [${list.map(plainOf).join(", ")}]\n`;
    return `\n${list.map((item) => `${deeper}-${valueOf(item, deeper)}`).join("")}`;
  }
  if (isJsonObject(value) && !isPlain(value)) return `\n${blockOf(value, deeper)}`;
  return ` ${plainOf(value)}\n`;
}

/** Whether the value fits on one line: a scalar, or an empty list or object. */
function isPlain(value: JsonValue): boolean {
  return typeof value !== "object" || value === null || Object.keys(value).length === 0;
}

function plainOf(value: JsonValue): string {
  return typeof value === "string" ? quoted(value) : JSON.stringify(value);
}

const PLAIN_KEY = /^[A-Za-z_][\w-]*$/;
/** Texts that YAML 1.1, which many parsers still use, reads as a boolean or null. */
const AMBIGUOUS = /^(?:y|n|yes|no|on|off|true|false|null)$/i;
/** Maximum characters of a key on the line of its value. */
const KEY_LENGTH = 1_000;

function keyOf(name: string, indent: string): string {
  if (PLAIN_KEY.test(name) && !AMBIGUOUS.test(name)) return name;
  const key = quoted(name);
  return key.length <= KEY_LENGTH ? key : `? ${key}\n${indent}`;
}

/** C1 controls, no-break space, line and paragraph separators, byte order mark, and direction marks. */
const UNSEEN = /[\u007f-\u00a0\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufffe\uffff]/g;

function quoted(text: string): string {
  return escaped(JSON.stringify(text));
}

function escaped(json: string): string {
  return json.replaceAll(UNSEEN, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** The map in the text; empty for a text without content. An error says what to do. */
export function readYaml(text: string): Result<JsonObject, string> {
  const read = parseYaml(text, { schema: "core", length: YAML_LENGTH, depth: YAML_DEPTH, values: YAML_LENGTH });
  if (!read.ok) return failure(read.error.sentence);
  const value = read.value.value ?? {};
  return isJsonObject(value) ? success(value) : failure("must be a map of names to values");
}
