/**
 * Words of the console that stand in a component and not in console/src/texts/, where a translator finds them. Looked for where
 * somebody would read or hear them: between tags, and in the attributes that hold words. Pure: a path and a text go in, sentences
 * come out.
 */
import { walk } from "estree-walker";
import { parseSync } from "oxc-parser";

/** Attributes and properties of our own parts whose value is shown or read aloud. */
const SPOKEN =
  /^(?:aria-(?:label|description|placeholder|roledescription|valuetext)|title|placeholder|alt|label|lead|hint|summary)$/;
const LETTER = /\p{L}/u;

/** What this needs of a node of the syntax tree. */
interface SyntaxNode {
  readonly type: string;
  readonly start: number;
  readonly [member: string]: unknown;
}

export function textFaults(path: string, source: string): readonly string[] {
  const { program, errors } = parseSync(path, source);
  if (errors.length > 0) return [`${path}: ${errors[0]?.message ?? "does not parse"}`];
  const faults: string[] = [];
  const report = ({ words, start }: Words): void => {
    const line = source.slice(0, start).split("\n").length;
    faults.push(`${path}:${line}: "${words}" belongs into console/src/texts/`);
  };
  walk(program as never, {
    enter(entered) {
      const node = entered as unknown as SyntaxNode;
      if (node.type === "JSXAttribute") {
        const { name } = node["name"] as SyntaxNode;
        if (typeof name === "string" && SPOKEN.test(name)) wordsIn(node["value"]).forEach(report);
      } else if (node.type === "JSXElement" || node.type === "JSXFragment") {
        (node["children"] as readonly SyntaxNode[]).flatMap(wordsIn).forEach(report);
      }
    },
  });
  return faults;
}

interface Words {
  readonly words: string;
  readonly start: number;
}

/** The words that an expression itself holds where its value is shown; not those that it compares or passes on. */
function wordsIn(value: unknown): readonly Words[] {
  if (typeof value !== "object" || value === null) return [];
  const node = value as SyntaxNode;
  const inside = (...members: readonly string[]): readonly Words[] => members.flatMap((name) => wordsIn(node[name]));
  switch (node.type) {
    case "JSXText":
    case "Literal":
      return wordsOf(node["value"], node.start);
    case "TemplateLiteral":
      return (node["quasis"] as readonly SyntaxNode[]).flatMap(({ value: text, start }) =>
        wordsOf((text as { readonly cooked: string }).cooked, start),
      );
    case "JSXExpressionContainer":
      return inside("expression");
    case "ConditionalExpression":
      return inside("consequent", "alternate");
    case "LogicalExpression":
      return inside("left", "right");
    case "BinaryExpression":
      return node["operator"] === "+" ? inside("left", "right") : [];
    default:
      return [];
  }
}

function wordsOf(text: unknown, start: number): readonly Words[] {
  return typeof text === "string" && LETTER.test(text) ? [{ words: text.trim(), start }] : [];
}
