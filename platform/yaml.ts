/**
 * Reads a safe subset of YAML 1.2, of which JSON is a part: maps, lists and scalars, without anchors, aliases, tags, keys
 * other than texts, duplicate keys and second documents. Length, depth and number of values are limited. A fault has its line.
 */
import { isCollection, isMap, isPair, isScalar, isSeq, Lexer, LineCounter, parseDocument, visit } from "yaml";
import { failure, success, type Result } from "./result.ts";

export interface YamlRules {
  /** `failsafe`: every scalar is a text, so `00` and `no` need no quotes. `core`: numbers, booleans and null too. */
  readonly schema: "core" | "failsafe";
  /** Maximum UTF-16 units of the text, levels of nesting, and values. */
  readonly length: number;
  readonly depth: number;
  readonly values: number;
}

export interface YamlFault {
  /** From 1. */
  readonly line: number;
  readonly sentence: string;
}

export interface YamlText {
  /** `undefined` for a text without content. */
  readonly value: unknown;
  /** The line of a value; if the path leads nowhere, the line of its nearest ancestor. */
  lineAt(path: readonly PropertyKey[]): number;
}

const TOO_DEEP = "is nested too deep";
/** Characters of the parser's own sentence that are kept. */
const SENTENCE_LENGTH = 200;

export function parseYaml(text: string, rules: YamlRules): Result<YamlText, YamlFault> {
  const { schema, length } = rules;
  if (text.length > length) return failure({ line: 1, sentence: `may have at most ${length} characters` });
  const early = earlyFault(text, rules);
  if (early !== undefined) return failure(early);
  const lines = new LineCounter();
  try {
    const document = parseDocument(text, {
      schema,
      version: "1.2",
      merge: false,
      // The library compares each key with every other one; our check below is linear.
      uniqueKeys: false,
      logLevel: "error",
      prettyErrors: false,
      lineCounter: lines,
    });
    const [error] = document.errors;
    if (error !== undefined) {
      return failure({
        line: lines.linePos(error.pos[0]).line,
        sentence: `is not YAML: ${error.message.slice(0, SENTENCE_LENGTH)}`,
      });
    }
    const fault = faultOf(document, rules);
    if (fault !== undefined) return failure({ line: lineOf(fault.at, lines), sentence: fault.sentence });
    const value: unknown = document.contents === null ? undefined : document.toJS({ maxAliasCount: 0 });
    return success({ value, lineAt: (path) => lineOf(offsetAt(document.contents, path), lines) });
  } catch (thrown) {
    // The parser recurses, and extreme nesting overflows its stack. Nothing else throws a RangeError here.
    if (thrown instanceof RangeError) return failure({ line: 1, sentence: TOO_DEEP });
    throw thrown;
  }
}

function lineOf(offset: number, lines: LineCounter): number {
  return Math.max(1, lines.linePos(offset).line);
}

/** Tokens that a value has at most on average: its name, separators, blanks and the line feed. */
const TOKENS_PER_VALUE = 6;

/** Found before the parser builds anything: brackets, consecutive indicators, and the number of tokens. */
function earlyFault(text: string, { depth, values }: YamlRules): YamlFault | undefined {
  let [brackets, indicators, line, tokens] = [0, 0, 1, 0];
  for (const token of new Lexer().lex(text)) {
    tokens += 1;
    if (token === "[" || token === "{") brackets += 1;
    else if (token === "]" || token === "}") brackets -= 1;
    else if (token === "-" || token === "?") indicators += 1;
    else if (token.trim() !== "") indicators = 0;
    if (brackets > depth || indicators > depth) return { line, sentence: TOO_DEEP };
    if (tokens > values * TOKENS_PER_VALUE) return { line, sentence: tooMany(values) };
    line += token.split("\n").length - 1;
  }
  return undefined;
}

function tooMany(values: number): string {
  return `may have at most ${values} values`;
}

interface Fault {
  readonly at: number;
  readonly sentence: string;
}

function faultOf(document: ReturnType<typeof parseDocument>, { depth, values }: YamlRules): Fault | undefined {
  let fault: Fault | undefined;
  let count = 0;
  const found = (node: unknown, sentence: string): symbol => {
    fault = { at: startOf(node), sentence };
    return visit.BREAK;
  };
  visit(document, {
    Alias: (_, node) => found(node, "must have no aliases"),
    Node(_, node, path) {
      count += 1;
      if (count > values) return found(node, tooMany(values));
      if (path.filter(isCollection).length > depth) return found(node, TOO_DEEP);
      if ("anchor" in node && node.anchor !== undefined) return found(node, "must have no anchors");
      if (node.tag !== undefined) return found(node, "must have no tags");
      if (!isMap(node)) return undefined;
      const names = new Set<string>();
      for (const { key } of node.items) {
        if (!isScalar(key) || typeof key.value !== "string")
          return found(key, "must have names that are texts; quote those that are not");
        if (names.has(key.value)) return found(key, "must not repeat a name");
        names.add(key.value);
      }
      return undefined;
    },
  });
  return fault;
}

function startOf(node: unknown): number {
  const range = typeof node === "object" && node !== null && "range" in node ? node.range : undefined;
  return Array.isArray(range) ? Number(range[0]) : 0;
}

/** Where the value at the path begins: its key, if it has one. */
function offsetAt(root: unknown, path: readonly PropertyKey[]): number {
  let [node, offset] = [root, startOf(root)];
  for (const segment of path) {
    const pair = isMap(node)
      ? node.items.find(({ key }) => isScalar(key) && key.value === segment)
      : isSeq(node)
        ? node.items[Number(segment)]
        : undefined;
    if (pair === undefined) return offset;
    offset = startOf(isPair(pair) ? pair.key : pair);
    node = isPair(pair) ? pair.value : pair;
  }
  return offset;
}
