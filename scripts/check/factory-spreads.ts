/**
 * House rule: a call that builds a part of the program names each member that it passes. The call then shows the part's parameters,
 * and a member that the part no longer takes does not compile. Pure: a path and a text go in, sentences come out.
 */
import { walk } from "estree-walker";
import { parseSync } from "oxc-parser";

/** Functions that build a part, and those that start a run. */
const FACTORY = /^(?:(?:create|compose|boot|open|admit)[A-Z]|runAgent$)/;
/** Most files have no such call with a spread, and need not be parsed. */
const MAY_SPREAD = /\b(?:(?:create|compose|boot|open|admit)[A-Z]|runAgent\b)[^]*?\.\.\./;

interface Node {
  readonly type: string;
  readonly start: number;
  readonly name?: string;
  readonly callee?: Node;
  readonly arguments?: readonly Node[];
  readonly properties?: readonly Node[];
  readonly argument?: Node;
  readonly expression?: Node;
  readonly consequent?: Node;
  readonly alternate?: Node;
  readonly right?: Node;
}

export function factorySpreads(path: string, text: string): readonly string[] {
  if (!MAY_SPREAD.test(text)) return [];
  const faults: string[] = [];
  walk(parseSync(path, text).program as never, {
    enter(entered) {
      const node = entered as unknown as Node;
      const name = node.type === "CallExpression" ? (node.callee?.name ?? "") : "";
      if (!FACTORY.test(name)) return;
      for (const spread of (node.arguments ?? []).flatMap(spreadsOf)) {
        const line = text.slice(0, spread.start).split("\n").length;
        faults.push(`${path}:${line}: name the members that ${name} receives, in place of a spread object`);
      }
    },
  });
  return faults;
}

/** In an object literal of the call: the spreads that hide their members. */
function spreadsOf({ type, properties = [] }: Node): readonly Node[] {
  if (type !== "ObjectExpression") return [];
  return properties.filter((each) => each.type === "SpreadElement" && !showsMembers(each.argument));
}

/** `...(key === undefined ? {} : { key })` makes a member optional and hides none. */
function showsMembers(node: Node | undefined): boolean {
  if (node === undefined) return false;
  if (node.type === "ObjectExpression") return spreadsOf(node).length === 0;
  if (node.type === "ParenthesizedExpression") return showsMembers(node.expression);
  if (node.type === "ConditionalExpression") return showsMembers(node.consequent) && showsMembers(node.alternate);
  return node.type === "LogicalExpression" && showsMembers(node.right);
}
